/** What the server says of documents: of a file without problems too, of which an editor's events alone do not tell. */

import * as vscode from "vscode";
import { type Middleware, vsdiag } from "vscode-languageclient/node";

const FULL = vsdiag.DocumentDiagnosticReportKind.full;

/** Milliseconds in which what the editor takes away because the server has ended is known to be that. */
const SETTLED = 200;

/** All that the server finds in a document at the moment. */
export interface Report {
  readonly uri: vscode.Uri;
  readonly diagnostics: readonly vscode.Diagnostic[];
}

export class Reports implements vscode.Disposable {
  private readonly told = new vscode.EventEmitter<readonly Report[]>();
  readonly onDidReport = this.told.event;
  /** Files of the workspace of which the server has said something since it was started. */
  private readonly known = new Set<string>();
  private readonly changed = new Map<string, vscode.Uri>();
  private settling: NodeJS.Timeout | undefined;
  private readonly following = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    this.follow(uris);
  });

  readonly middleware: Middleware = {
    handleDiagnostics: (uri, diagnostics, next) => {
      next(uri, diagnostics);
      this.told.fire([{ uri, diagnostics }]);
    },
    provideDiagnostics: async (document, previous, token, next) => {
      const report = await next(document, previous, token);
      if (report?.kind === FULL && !token.isCancellationRequested) {
        const uri = document instanceof vscode.Uri ? document : document.uri;
        this.told.fire([{ uri, diagnostics: report.items }]);
      }
      return report;
    },
    // The client hands the reports on the workspace to nobody else. It asks again and again, and says each time
    // which files it has reports of; what is in those the editor knows.
    provideWorkspaceDiagnostics: (results, token, tell, next) => {
      const first = results.map(({ uri }) => uri).filter((uri) => !this.known.has(uri.toString()));
      for (const uri of first) {
        this.known.add(uri.toString());
      }
      this.follow(first);
      return next(results, token, tell);
    },
  };

  /** Nothing is known of any file while the server is not running. */
  forget(): void {
    this.known.clear();
    this.changed.clear();
  }

  dispose(): void {
    clearTimeout(this.settling);
    this.following.dispose();
    this.told.dispose();
  }

  private follow(uris: readonly vscode.Uri[]): void {
    for (const uri of uris.filter((each) => this.known.has(each.toString()))) {
      this.changed.set(uri.toString(), uri);
    }
    if (this.changed.size > 0) {
      this.settling ??= setTimeout(() => {
        this.settling = undefined;
        const changed = [...this.changed.values()].filter((uri) => !isOpen(uri));
        this.changed.clear();
        this.told.fire(changed.map((uri) => ({ uri, diagnostics: vscode.languages.getDiagnostics(uri) })));
      }, SETTLED);
    }
  }
}

/** Whether the editor is told of a document by itself. */
function isOpen(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
}
