/** What the server says of documents, as it says it: of a file without problems too, which an editor's events do not tell. */

import * as vscode from "vscode";
import { type Middleware, vsdiag } from "vscode-languageclient/node";

const FULL = vsdiag.DocumentDiagnosticReportKind.full;

/** All that the server finds in a document at the moment. */
export interface Report {
  readonly uri: vscode.Uri;
  readonly diagnostics: readonly vscode.Diagnostic[];
}

export class Reports implements vscode.Disposable {
  private readonly told = new vscode.EventEmitter<readonly Report[]>();
  readonly onDidReport = this.told.event;

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
    provideWorkspaceDiagnostics: (known, token, tell, next) =>
      next(known, token, (chunk) => {
        tell(chunk);
        const full = (chunk?.items ?? []).flatMap((item) => (item.kind === FULL ? [item] : []));
        const reports = full
          .filter(({ uri, version }) => isCurrent(uri, version))
          .map(({ uri, items }) => ({ uri, diagnostics: items }));
        if (reports.length > 0) {
          this.told.fire(reports);
        }
      }),
  };

  dispose(): void {
    this.told.dispose();
  }
}

/** Whether a report is about a document as it is now. */
function isCurrent(uri: vscode.Uri, version: number | null | undefined): boolean {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open === undefined || typeof version !== "number" || open.version === version;
}
