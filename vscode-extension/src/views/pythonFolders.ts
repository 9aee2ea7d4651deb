/** Which folders hold Python: menus of others offer nothing. */

import * as path from "node:path";
import * as vscode from "vscode";

import { foldersAbove } from "./folders";

/** In `when` clauses: the paths of the folders, for `resourcePath in …`. */
const CONTEXT = "gpu2ascend.pythonFolders";
const PYTHON = "**/*.{py,pyw,ipynb}";
/** So many files are looked for at most; every folder of a workspace with more is offered everything. */
const MOST = 20_000;
const QUIET_MILLISECONDS = 1_000;

/** Keeps the folders known while files come and go. */
export function followPythonFolders(): vscode.Disposable {
  let waiting: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void update(), QUIET_MILLISECONDS);
  };
  const watcher = vscode.workspace.createFileSystemWatcher(PYTHON, false, true, false);
  void update();
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(soon),
    watcher.onDidDelete(soon),
    vscode.workspace.onDidChangeWorkspaceFolders(soon),
    new vscode.Disposable(() => {
      clearTimeout(waiting);
    }),
  );
}

async function update(): Promise<void> {
  const files = await vscode.workspace.findFiles(PYTHON, undefined, MOST);
  const tops = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const folders = foldersAbove(
    files.map(({ fsPath }) => path.dirname(fsPath)),
    tops,
    (folder) => path.dirname(folder),
  );
  await vscode.commands.executeCommand("setContext", CONTEXT, [...folders]);
  await vscode.commands.executeCommand("setContext", `${CONTEXT}Unknown`, files.length >= MOST);
}
