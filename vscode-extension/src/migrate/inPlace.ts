/** Migrating where the files are: in the refactor preview, or one file at once. */

import * as vscode from "vscode";

import type { MigrationParameters } from "../server/options.generated";
import type { PreviewResult } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { showError, showInformation, showWarning } from "../messages";

/** Shows every change of a folder, or of the workspace, in the Refactor Preview; nothing is written before. */
export async function previewInPlace(
  requests: ServerRequests,
  target: vscode.Uri | undefined,
  options?: MigrationParameters,
): Promise<void> {
  if (mayWrite()) {
    showPreviewResult(await requests.preview(target, options));
  }
}

/** Shows the fixes that a migration offers but does not make; whether they were applied. */
export async function applyOffered(requests: ServerRequests, project: string): Promise<boolean> {
  if (!mayWrite()) {
    return false;
  }
  const result = await requests.preview(vscode.Uri.file(project), { unsafeFixes: true });
  showPreviewResult(result);
  return result.status === "completed" && result.changes > 0;
}

/** Makes the safe changes of one file, or of all cells of the notebook in front; Undo takes them back. */
export async function migrateFile(requests: ServerRequests, target: vscode.Uri | undefined): Promise<void> {
  const notebook = target === undefined ? vscode.window.activeNotebookEditor?.notebook.uri : undefined;
  const uri = target ?? notebook ?? vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    void showInformation(vscode.l10n.t("Open a Python file first."));
    return;
  }
  if (!mayWrite()) {
    return;
  }
  const result = await requests.migrateFile(uri);
  showPreviewResult(result);
  if (result.changes > 0 && notebook === undefined) {
    await vscode.window.showTextDocument(uri);
  }
}

/** Whether files may be changed; if not, the user is informed. */
export function mayWrite(): boolean {
  if (!vscode.workspace.isTrusted) {
    void showWarning(vscode.l10n.t("Changing files needs a trusted workspace."));
  }
  return vscode.workspace.isTrusted;
}

/** Says what a change came to where the editor itself shows nothing. */
export function showPreviewResult(result: PreviewResult): void {
  if (result.status === "failed") {
    void showError(result.message ?? vscode.l10n.t("The changes could not be found."));
  } else if (result.status === "cancelled") {
    void showInformation(vscode.l10n.t("Nothing was changed."));
  } else if (result.changes === 0) {
    void showInformation(vscode.l10n.t("There is nothing to migrate here."));
  }
}
