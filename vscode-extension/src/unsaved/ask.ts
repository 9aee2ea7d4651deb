/** The question about unsaved files, for every command that reads a folder from disk. */

import * as path from "node:path";
import * as vscode from "vscode";

import { askFirmly, showError } from "../messages";
import { type Answer, type OpenFile, settleUnsaved } from "./settle";

/** Files that the question names. */
const NAMED = 10;

/** The answers, as buttons; the editor adds "Cancel". */
export interface Buttons {
  readonly save: string;
  readonly leave: string;
}

/** Whether the folder can be read now; the user was asked if files below it are not saved. */
export async function readyToRead(folder: string, buttons: Buttons): Promise<boolean> {
  const settled = await settleUnsaved(openFiles(), folder, (files) => ask(folder, files, buttons));
  if (settled.status === "failed") {
    const names = settled.files.map((file) => path.basename(file)).join(", ");
    void showError(vscode.l10n.t("Nothing was started, because these files could not be saved: {0}", names));
  }
  return settled.status === "goOn";
}

async function ask(folder: string, files: readonly string[], buttons: Buttons): Promise<Answer> {
  const question = vscode.l10n.t("Unsaved files in {0}: {1}", path.basename(folder), files.length);
  const names = files.slice(0, NAMED).map((file) => path.relative(folder, file));
  const detail = [...names, ...(files.length > NAMED ? ["…"] : [])].join("\n");
  const answer = await askFirmly(question, detail, buttons.save, buttons.leave);
  return answer === buttons.save ? "save" : answer === buttons.leave ? "leave" : undefined;
}

function openFiles(): OpenFile[] {
  return [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]
    .filter(({ uri }) => uri.scheme === "file")
    .map((document) => ({
      file: document.uri.fsPath,
      isDirty: document.isDirty,
      save: () => document.save(),
    }));
}
