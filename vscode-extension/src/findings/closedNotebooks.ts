/**
 * Notebooks that are closed, among the problems of the editor: their cells have no addresses by which the server
 * could report them, so the notebook has what is in them.
 */

import * as vscode from "vscode";

import { type AnalysisResult, type Finding, ServerRequest } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import type { ServerSession } from "../server/session";
import { readMode, SECTION } from "../settings";
import { SEVERITIES } from "./proven";

const NOTEBOOKS = "**/*.ipynb";
const COPIES = "**/.ipynb_checkpoints/**";
/** So many notebooks of a workspace are looked at. */
const MOST = 500;
const DELAY = 1_000;

export class ClosedNotebooks implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection("gpu2ascend-notebooks");
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private waiting: NodeJS.Timeout | undefined;
  /** Counts the looks, of which the last one counts. */
  private looks = 0;

  constructor(
    private readonly session: ServerSession,
    private readonly requests: ServerRequests,
  ) {
    const soon = (): void => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => void this.look().catch(() => undefined), DELAY);
    };
    const watcher = vscode.workspace.createFileSystemWatcher(NOTEBOOKS);
    this.subscriptions = [
      this.collection,
      watcher,
      watcher.onDidChange(soon),
      watcher.onDidCreate(soon),
      watcher.onDidDelete(soon),
      session.onDidChangeState(soon),
      vscode.workspace.onDidOpenNotebookDocument(soon),
      vscode.workspace.onDidCloseNotebookDocument(soon),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION)) {
          soon();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.waiting);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async look(): Promise<void> {
    this.looks += 1;
    const { looks } = this;
    const found = this.session.running === undefined ? [] : await this.findings();
    if (looks !== this.looks) {
      return;
    }
    this.collection.clear();
    // Those of one notebook are put together.
    this.collection.set(found.map((finding) => [vscode.Uri.file(finding.file), [problemOf(finding)]]));
  }

  private async findings(): Promise<readonly Finding[]> {
    const open = new Set(vscode.workspace.notebookDocuments.map(({ uri }) => uri.toString()));
    const all = await vscode.workspace.findFiles(NOTEBOOKS, COPIES, MOST);
    const closed = all.filter((uri) => !open.has(uri.toString()) && isWanted(uri));
    const found: Finding[] = [];
    for (const { uri: folder } of vscode.workspace.workspaceFolders ?? []) {
      const isIn = (uri: vscode.Uri): boolean =>
        vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === folder.toString();
      const paths = closed.filter(isIn).map(({ fsPath }) => fsPath);
      if (paths.length > 0) {
        const parameters = { folder: folder.fsPath, paths };
        const client = await this.requests.client();
        const result = await client.sendRequest<AnalysisResult>(ServerRequest.analyze, parameters);
        found.push(...(result.status === "completed" ? result.findings : []));
      }
    }
    return found.filter(({ cell }) => cell !== null);
  }
}

function isWanted(uri: vscode.Uri): boolean {
  const isOn = vscode.workspace.getConfiguration(SECTION, uri).get<boolean>("enable", true);
  return isOn && readMode(uri) === "workspace";
}

/** At the head of the notebook, with the place in words: lines of its file are not those of its cells. */
function problemOf({ cell, range, message, severity, code }: Finding): vscode.Diagnostic {
  const text = vscode.l10n.t("Cell {0}, line {1}: {2}", cell ?? 0, range.start.line + 1, message);
  const problem = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 0), text, SEVERITIES[severity]);
  problem.code = code;
  problem.source = "gpu2ascend";
  return problem;
}
