/** Letting the user say which interpreter runs the server. */

import * as vscode from "vscode";

import { clearSetting, SECTION } from "../settings";

/** Asks for an interpreter and writes the setting. */
export async function selectInterpreter(): Promise<void> {
  const browse = { label: vscode.l10n.t("$(folder) Browse…"), id: "browse" as const };
  const automatic = { label: vscode.l10n.t("$(sparkle) Find one by itself"), id: "automatic" as const };
  const settings = { label: vscode.l10n.t("$(gear) Open settings"), id: "settings" as const };
  const picked = await vscode.window.showQuickPick([browse, automatic, settings], {
    title: vscode.l10n.t("Interpreter that runs the PyTorch GPU2Ascend server"),
    placeHolder: vscode.l10n.t("Your project may use any Python; this one needs no PyTorch"),
  });
  switch (picked?.id) {
    case undefined:
      return;
    case "browse":
      await chooseFile();
      return;
    case "automatic":
      await clearSetting("interpreter", firstFolder());
      return;
    case "settings":
      await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.interpreter`);
  }
}

async function chooseFile(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: false,
    openLabel: vscode.l10n.t("Use This Interpreter"),
    ...(process.platform === "win32" ? { filters: { Python: ["exe"] } } : {}),
  });
  if (chosen?.[0] !== undefined) {
    await write(chosen[0].fsPath);
  }
}

/** Writes the setting where it counts: what is set for a workspace would hide what is set for its user. */
async function write(value: string): Promise<void> {
  const section = vscode.workspace.getConfiguration(SECTION, firstFolder());
  const set = section.inspect("interpreter");
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  const overridden = [
    ...(set?.workspaceFolderValue === undefined ? [] : [WorkspaceFolder]),
    ...(set?.workspaceValue === undefined ? [] : [Workspace]),
  ];
  await section.update("interpreter", value, overridden[0] ?? Global);
}

function firstFolder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}
