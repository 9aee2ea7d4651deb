/** The dialog "PyTorch GPU2Ascend": one at a time, filled from the server, kept over a reload. */

import * as vscode from "vscode";

import { messageOf } from "../errors";
import { defaultOutput } from "../migrate/output";
import type { MigrationParameters } from "../server/options.generated";
import type { Detected, FieldError, FolderOptions, Validation } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { pageHtml, viewRoot } from "../views/html";
import type { Drafts } from "./drafts";
import {
  entered,
  fieldKind,
  type FormOptions,
  type FormValue,
  type FormValues,
  ofAnyProject,
  ofMigration,
  parameters,
  startValues,
} from "./form";
import { dialogState, fromDialog, type FromDialog, type ToDialog } from "./protocol";
import { dialogTexts } from "./texts";
import { showError } from "../messages";

export const DIALOG_VIEW = "gpu2ascend.dialog";

export interface DialogActions {
  /** Migrates; the errors are those of fields. */
  readonly transplant: (options: MigrationParameters) => Promise<readonly FieldError[]>;
  readonly preview: (folder: string, options: MigrationParameters) => Promise<void>;
  /** Shows what is known of a rule, an API or the topic of a guide. */
  readonly explain: (name: string) => Promise<void>;
}

export class Dialog implements vscode.WebviewPanelSerializer {
  private panel: vscode.WebviewPanel | undefined;
  private folder: string | undefined;
  /** The folder that was asked for by a click on it goes before what was last entered. */
  private folderWasChosen = false;
  private options: FolderOptions | undefined;
  /** The version for the input, which may have become another than the folder. */
  private proposed: Detected | null = null;
  private running = false;
  /** Whether something was wrong when the server was last asked; it may have been mended outside of the dialog. */
  private hasErrors = false;
  /** Whether there is no form, because the server could not be asked what belongs into it. */
  private isUnavailable = false;
  private validating: Promise<void> = Promise.resolve();
  private newest = 0;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly requests: ServerRequests,
    private readonly drafts: Drafts,
    private readonly actions: DialogActions,
  ) {}

  /** Opens the dialog for a folder, or brings it to the front. */
  async open(folder: string | undefined): Promise<void> {
    this.folderWasChosen = folder !== undefined;
    this.folder = folder ?? this.folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (this.panel === undefined) {
      await closeLeftTabs();
      this.adopt(
        vscode.window.createWebviewPanel(DIALOG_VIEW, "PyTorch GPU2Ascend", vscode.ViewColumn.Active, {
          localResourceRoots: [viewRoot(this.context.extensionUri)],
        }),
      );
    } else {
      this.panel.reveal();
      await this.show();
    }
  }

  /** Asks a server that has come back what the one before it did not answer. */
  async serverIsBack(): Promise<void> {
    if (this.isUnavailable) {
      await this.show();
    } else if (this.options !== undefined) {
      this.post({ type: "recheck" });
    }
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.panel?.dispose();
    this.folder = dialogState(state).folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    this.adopt(panel);
    return Promise.resolve();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    const { extensionUri } = this.context;
    panel.iconPath = vscode.Uri.joinPath(extensionUri, "media", "icon.svg");
    panel.webview.options = { enableScripts: true, localResourceRoots: [viewRoot(extensionUri)] };
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const known = fromDialog(message);
      if (known !== undefined) {
        this.receive(known).catch((error: unknown) => {
          void showError(messageOf(error));
        });
      }
    });
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = undefined;
      }
    });
    panel.webview.html = pageHtml(panel.webview, extensionUri, { name: "dialog", title: panel.title });
  }

  private async receive(message: FromDialog): Promise<void> {
    switch (message.type) {
      case "ready":
        await this.show();
        break;
      case "changed":
        this.folderWasChosen = false;
        this.validate(message.revision, message.values);
        await this.remember(message.values);
        break;
      case "browse":
        await this.browse(message.field, message.current);
        break;
      case "guide":
        await this.showGuide(message.field);
        break;
      case "transplant":
        await this.transplant(message.values);
        break;
      case "preview":
        await this.preview(message.values);
        break;
    }
  }

  private async show(): Promise<void> {
    const texts = dialogTexts();
    try {
      this.options = ofMigration(await this.requests.options(this.folder));
    } catch (error) {
      this.options = undefined;
      this.isUnavailable = true;
      this.post({ type: "unavailable", reason: messageOf(error), texts });
      return;
    }
    this.isUnavailable = false;
    this.proposed = this.options.proposedVersion;
    const values = this.values(this.options);
    const focus = this.panel?.active === true;
    this.post({ type: "show", options: this.options, values, texts, running: this.running, focus });
  }

  private values(options: FolderOptions): FormValues {
    const folder = this.folder ?? "";
    const chosen = this.folderWasChosen ? { inputPath: folder } : {};
    const draft = this.drafts.of(folder) ?? ofAnyProject(this.drafts.latest() ?? {}, options, options.values);
    return startValues(options, chosen, draft, ...this.given(options));
  }

  /** What a form starts with where nothing was entered: the settings, and the places of the folder. */
  private given(options: FolderOptions): readonly Record<string, unknown>[] {
    const { folder = "" } = this;
    // Beside the whole workspace folder: what is made from a part of it must not become a part of it.
    const whole = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder))?.uri.fsPath ?? folder;
    const paths = { inputPath: folder, outputPath: folder === "" ? "" : defaultOutput(whole) };
    return [chosenValues(options), paths];
  }

  /** Keeps what was entered, so that settings that change later still count for the rest. */
  private async remember(values: FormValues): Promise<void> {
    if (this.options !== undefined) {
      const start = startValues(this.options, ...this.given(this.options));
      await this.drafts.write(this.folder ?? "", entered(values, start));
    }
  }

  /** The values that count, as a migration wants them; the server checks every one. */
  private parameters(values: FormValues, options: FolderOptions): MigrationParameters {
    const known: FormOptions = { ...options, proposedVersion: this.proposed };
    return parameters(values, known) as unknown as MigrationParameters;
  }

  private async checked(values: FormValues, options: FolderOptions): Promise<Validation> {
    const validation = await this.requests.validate(this.parameters(values, options));
    if (validation.proposedVersion?.version === this.proposed?.version) {
      return validation;
    }
    // Another project asks for another version, on which other fields depend.
    this.proposed = validation.proposedVersion;
    return await this.requests.validate(this.parameters(values, options));
  }

  /** Asks the server about the newest values; those between are passed over while it answers. */
  private validate(revision: number, values: FormValues): void {
    this.newest = revision;
    this.validating = this.validating.then(async () => {
      if (revision !== this.newest || this.options === undefined) {
        return;
      }
      try {
        this.sendValidation(revision, await this.checked(values, this.options));
      } catch (error) {
        this.sendValidation(
          revision,
          this.failed([{ field: "", message: messageOf(error), allowedBy: null }]),
        );
      }
    });
  }

  private async browse(field: string, current: string): Promise<void> {
    const option = this.options?.schema.properties[field];
    if (option === undefined) {
      return;
    }
    const wantsFile = fieldKind(option) === "file";
    const start = current === "" ? this.folder : current;
    const chosen = await vscode.window.showOpenDialog({
      title: option.title,
      openLabel: vscode.l10n.t("Choose"),
      canSelectFiles: wantsFile,
      canSelectFolders: !wantsFile,
      ...(start === undefined ? {} : { defaultUri: vscode.Uri.file(start) }),
    });
    const picked = chosen?.[0];
    if (picked !== undefined) {
      this.post({ type: "picked", field, path: picked.fsPath });
    }
  }

  private async showGuide(field: string): Promise<void> {
    const topic = this.options?.schema.properties[field]?.guide;
    if (topic !== undefined) {
      await this.actions.explain(topic);
    }
  }

  private async transplant(values: FormValues): Promise<void> {
    if (this.running || this.options === undefined) {
      return;
    }
    this.setRunning(true);
    try {
      await this.validating;
      if (this.hasErrors) {
        this.sendValidation(this.newest, await this.checked(values, this.options));
      }
      const errors = this.hasErrors
        ? []
        : await this.actions.transplant(this.parameters(values, this.options));
      if (errors.length > 0) {
        this.sendValidation(this.newest, this.failed(errors));
      }
    } finally {
      this.setRunning(false);
    }
  }

  private async preview(values: FormValues): Promise<void> {
    const folder = textOf(values.inputPath) ?? this.folder;
    if (folder !== undefined && this.options !== undefined) {
      await this.validating;
      await this.actions.preview(folder, this.parameters(values, this.options));
    }
  }

  private failed(errors: readonly FieldError[]): Validation {
    const { proposed } = this;
    return { errors, notices: [], target: null, detected: null, proposedVersion: proposed, proposals: {} };
  }

  private sendValidation(revision: number, validation: Validation): void {
    this.hasErrors = validation.errors.length > 0;
    this.post({ type: "validated", revision, validation });
  }

  private setRunning(running: boolean): void {
    this.running = running;
    this.post({ type: "running", running });
  }

  private post(message: ToDialog): void {
    void this.panel?.webview.postMessage(message);
  }
}

/** After a reload the tab of a dialog that was not in front is there, and asks for nothing before it is. */
async function closeLeftTabs(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const left = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(DIALOG_VIEW),
  );
  await vscode.window.tabGroups.close(left);
}

/** What the settings have chosen. A version that was found rather than chosen is left to be found again. */
function chosenValues({ values, detected }: FolderOptions): Record<string, unknown> {
  const chosen = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(
    chosen.filter(([name, value]) => name !== "version" || value !== detected?.version),
  );
}

function textOf(value: FormValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
