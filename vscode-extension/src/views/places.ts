/** Places in files, between the protocol and the editor. */

import * as vscode from "vscode";
import type { Range } from "vscode-languageclient";
import { showError } from "../messages";

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** A range of a file, or of a cell of a notebook. */
export interface Place {
  readonly file: string;
  readonly range: Range;
  readonly cell: number | null;
}

/** Opens a file, or a notebook at its cell, with the range selected; says so if it is there no more. */
export async function openPlace({ file, range, cell }: Place): Promise<void> {
  const uri = vscode.Uri.file(file);
  if (await isThere(uri)) {
    const document = typeof cell === "number" ? await cellOf(uri, cell) : uri;
    const selection = rangeOf(range);
    await vscode.commands.executeCommand("vscode.open", document, { selection, preview: true });
  }
}

/** The text of a place, a cell of a notebook too; undefined of a file that is there no more, which is said. */
export async function documentOf({ file, cell }: Place): Promise<vscode.TextDocument | undefined> {
  const uri = vscode.Uri.file(file);
  if (!(await isThere(uri))) {
    return undefined;
  }
  return await vscode.workspace.openTextDocument(typeof cell === "number" ? await cellOf(uri, cell) : uri);
}

async function cellOf(uri: vscode.Uri, cell: number): Promise<vscode.Uri> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  return cell <= notebook.cellCount ? notebook.cellAt(cell - 1).document.uri : uri;
}

/** Whether all of these exist; if not, the user is informed which does not. */
export async function isThere(...places: readonly vscode.Uri[]): Promise<boolean> {
  for (const place of places) {
    try {
      await vscode.workspace.fs.stat(place);
    } catch {
      void showError(vscode.l10n.t("{0} is no longer there.", place.fsPath));
      return false;
    }
  }
  return true;
}
