/** Which project is to run, and by which command: asked each time, for its code runs. */

import * as path from "node:path";
import * as vscode from "vscode";

const MARKER = ".gpu2ascend.json";
const COMMANDS = "gpu2ascend.verifyCommands";
/** The scripts that a project is likely started by. */
const SCRIPTS = ["train.py", "main.py", "run.py", "tools/train.py"];

interface ProjectItem extends vscode.QuickPickItem {
  readonly folder: string | undefined;
}

/** The migrated project that is meant: of several the user chooses. */
export async function chooseProject(results: readonly string[]): Promise<string | undefined> {
  const found = await candidates(results);
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    return only;
  }
  const other: ProjectItem = { label: vscode.l10n.t("Another Folder…"), folder: undefined, alwaysShow: true };
  const items = found.map((folder) => ({
    label: path.basename(folder),
    description: path.dirname(folder),
    folder,
  }));
  const placeHolder = vscode.l10n.t("The migrated project that is to run on a simulated NPU");
  const chosen: ProjectItem | undefined =
    items.length === 0
      ? other
      : await vscode.window.showQuickPick<ProjectItem>([...items, other], { placeHolder });
  if (chosen === undefined || chosen.folder !== undefined) {
    return chosen?.folder;
  }
  const folders = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    title: placeHolder,
  });
  return folders?.[0]?.fsPath;
}

/** What starts the project, from the user; the last command of the same project is there already. */
export async function askCommand(project: string, memento: vscode.Memento): Promise<string | undefined> {
  const commands = memento.get<Record<string, string>>(COMMANDS, {});
  const command = await vscode.window.showInputBox({
    title: vscode.l10n.t("Verify {0}", path.basename(project)),
    prompt: vscode.l10n.t(
      "What starts the project, in its folder. Its code runs on this machine, on a simulated NPU; use little data.",
    ),
    placeHolder: "train.py --epochs 1",
    value: commands[project] ?? (await likelyScript(project)),
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === "" ? vscode.l10n.t("Such as train.py --epochs 1") : undefined,
  });
  if (command !== undefined) {
    await memento.update(COMMANDS, { ...commands, [project]: command });
  }
  return command;
}

/** Migrated projects: those of the results, and those that are open here. */
async function candidates(results: readonly string[]): Promise<string[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const open = vscode.window.activeTextEditor?.document.uri;
  const above = open?.scheme === "file" ? parents(open.fsPath) : [];
  const found: string[] = [];
  for (const folder of new Set([...above, ...folders, ...results])) {
    if (await isThere(path.join(folder, MARKER))) {
      found.push(folder);
    }
  }
  return found;
}

function parents(file: string): string[] {
  const parent = path.dirname(file);
  return parent === file ? [] : [parent, ...parents(parent)];
}

async function likelyScript(project: string): Promise<string> {
  for (const script of SCRIPTS) {
    if (await isThere(path.join(project, script))) {
      return script;
    }
  }
  return "";
}

async function isThere(file: string): Promise<boolean> {
  return await vscode.workspace.fs.stat(vscode.Uri.file(file)).then(
    () => true,
    () => false,
  );
}
