/** The status bar item with the PyTorch version and the hardware that problems are shown for; a click changes them. */

import * as vscode from "vscode";

import { Command } from "../commands";
import { onDidSendSettings } from "../server/configuration";
import type { FolderOptions } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import type { ServerSession } from "../server/session";
import { label } from "../escaping";
import { paragraphs } from "../messages";
import { clearSetting, SECTION } from "../settings";
import { counts, shownTarget } from "./shown";
import { effectiveVersion, pickVersion, versionOf } from "./version";

/** The scheme of the URIs of cells, which are in no folder. */
const NOTEBOOK_CELL = "vscode-notebook-cell";

export class TargetStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "gpu2ascend.target",
    vscode.StatusBarAlignment.Right,
    90,
  );
  private readonly subscriptions: vscode.Disposable[];
  /** Counts the questions, so that only the answer to the last one is shown. */
  private asked = 0;

  constructor(
    private readonly session: ServerSession,
    private readonly requests: ServerRequests,
  ) {
    this.item.name = "PyTorch GPU2Ascend";
    this.item.command = Command.selectTarget;
    const update = (): void => void this.update();
    this.subscriptions = [
      session.onDidChangeState(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      onDidSendSettings(update),
    ];
    update();
  }

  /** Asks for a version and a hardware, and writes the settings of the file's folder. */
  async select(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const isOpen = folders.length > 1 && folderInFront() === undefined;
    const folder = isOpen ? await vscode.window.showWorkspaceFolderPick() : activeFolder();
    if (folder === undefined && folders.length > 0) {
      return;
    }
    const options = await this.requests.options(folder?.uri.fsPath);
    const title = vscode.l10n.t("PyTorch version of the migrated project (1/2)");
    const version = await pickVersion(options, title);
    if (version === undefined) {
      return;
    }
    const hardware = await pickHardware(options);
    if (hardware === undefined) {
      return;
    }
    const target =
      folder === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.WorkspaceFolder;
    const section = vscode.workspace.getConfiguration(SECTION, folder?.uri);
    await (version === null
      ? clearSetting("version", folder?.uri)
      : section.update("version", version, target));
    await section.update("hardware", hardware, target);
  }

  dispose(): void {
    this.item.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async update(): Promise<void> {
    this.asked += 1;
    const { asked } = this;
    const editor = vscode.window.activeTextEditor;
    const isEnabled = vscode.workspace
      .getConfiguration(SECTION, editor?.document.uri)
      .get<boolean>("enable", true);
    const isPython = editor?.document.languageId === "python";
    if (!isPython || !isEnabled || this.session.state.kind !== "running") {
      this.item.hide();
      return;
    }
    const options = await this.requests.options(activeFolder()?.uri.fsPath).catch(() => undefined);
    if (options !== undefined && asked === this.asked) {
      this.show(options);
    }
  }

  private show(options: FolderOptions): void {
    const { t } = vscode.l10n;
    const { problem } = options;
    const version = effectiveVersion(options);
    const shown = shownTarget(options, version === undefined ? t("PyTorch ?") : `PyTorch ${version}`);
    const isOfVersion = counts(options, "version");
    this.item.text = `$(circuit-board) ${label(shown)}`;
    this.item.command = isOfVersion ? Command.selectTarget : undefined;
    const said = [
      isOfVersion
        ? t(
            "Problems are shown for this PyTorch version and this family of Ascend devices. Click to change them.",
          )
        : t("Problems are shown for this target, which the settings or the migrated project name."),
      ...(isOfVersion ? reasonsOf(options) : []),
      ...(problem === null ? [] : [problem]),
    ];
    this.item.tooltip = paragraphs(...said);
    // Without it a screen reader reads the signs of the tooltip's Markdown.
    this.item.accessibilityInformation = { label: `${shown}: ${said.join(" ")}` };
    const isWarning = problem !== null;
    this.item.backgroundColor = isWarning
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    this.item.show();
  }
}

/** The folder of the file in front, or else the first. */
function activeFolder(): vscode.WorkspaceFolder | undefined {
  return folderInFront() ?? vscode.workspace.workspaceFolders?.[0];
}

/** The folder of the file, or of the notebook whose cell has the cursor. */
function folderInFront(): vscode.WorkspaceFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const file = uri?.scheme === NOTEBOOK_CELL ? vscode.window.activeNotebookEditor?.notebook.uri : uri;
  return file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file);
}

async function pickHardware(options: FolderOptions): Promise<string | undefined> {
  const { hardware } = options.schema.properties;
  const families = hardware?.enum ?? [];
  return await vscode.window.showQuickPick(
    families.filter((family) => family !== null),
    { title: vscode.l10n.t("Family of Ascend devices (2/2)"), placeHolder: hardware?.description ?? "" },
  );
}

/** Why a version counts that nobody has chosen: what the project says, or what fits it best. */
function reasonsOf(options: FolderOptions): string[] {
  const { detected, proposedVersion } = options;
  if (versionOf(options) === undefined && proposedVersion !== null) {
    return [vscode.l10n.t("No version is chosen. {0}", proposedVersion.message)];
  }
  return detected?.isTaken === true ? [detected.message] : [];
}
