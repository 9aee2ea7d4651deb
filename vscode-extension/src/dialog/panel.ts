/** The dialog "PyTorch GPU2Ascend": one at a time, filled from the server, kept over a reload. */

import * as vscode from "vscode";

import { defaultOutput } from "../migrate/output";
import type { MigrationParameters } from "../server/options.generated";
import type { FieldError, FolderOptions } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { pageHtml, viewRoot } from "../views/html";
import type { Drafts } from "./drafts";
import { fieldKind, type FormValue, type FormValues, parameters, startValues } from "./form";
import { dialogState, fromDialog, type FromDialog, type ToDialog } from "./protocol";
import { dialogTexts } from "./texts";

export const DIALOG_VIEW = "gpu2ascend.dialog";

export interface DialogActions {
  /** Migrates; the errors are those of fields. */
  readonly transplant: (options: MigrationParameters) => Promise<readonly FieldError[]>;
  readonly preview: (folder: string) => Promise<void>;
}

export class Dialog implements vscode.WebviewPanelSerializer {
  private panel: vscode.WebviewPanel | undefined;
  private folder: string | undefined;
  /** The folder that was asked for by a click on it goes before what was last entered. */
  private folderWasChosen = false;
  private options: FolderOptions | undefined;
  private running = false;
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
        void this.receive(known);
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
        await this.drafts.write(message.values);
        this.validate(message.revision, message.values);
        break;
      case "browse":
        await this.browse(message.field, message.current);
        break;
      case "transplant":
        await this.transplant(message.values);
        break;
      case "preview":
        await this.actions.preview(textOf(message.values.inputPath) ?? this.folder ?? "");
        break;
    }
  }

  private async show(): Promise<void> {
    const texts = dialogTexts();
    try {
      this.options = await this.requests.options(this.folder);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.post({ type: "unavailable", reason, texts });
      return;
    }
    const values = this.values(this.options);
    this.post({ type: "show", options: this.options, values, texts, running: this.running });
  }

  private values(options: FolderOptions): FormValues {
    const draft = this.drafts.read() ?? {};
    const folder = this.folder ?? "";
    const chosen = this.folderWasChosen ? { inputPath: folder } : {};
    const paths = { inputPath: folder, outputPath: folder === "" ? "" : defaultOutput(folder) };
    return startValues(options, chosen, draft, chosenValues(options), paths);
  }

  /** Asks the server about the newest values; those between are passed over while it answers. */
  private validate(revision: number, values: FormValues): void {
    this.newest = revision;
    this.validating = this.validating.then(async () => {
      if (revision !== this.newest || this.options === undefined) {
        return;
      }
      try {
        const validation = await this.requests.validate(parameters(values, this.options));
        this.post({ type: "validated", revision, validation });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const validation = { errors: [{ field: "", message }], notices: [], target: null };
        this.post({ type: "validated", revision, validation });
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

  private async transplant(values: FormValues): Promise<void> {
    if (this.running || this.options === undefined) {
      return;
    }
    this.setRunning(true);
    try {
      // The server checks every value; what it refuses comes back as errors of fields.
      const wanted = parameters(values, this.options) as unknown as MigrationParameters;
      const errors = await this.actions.transplant(wanted);
      if (errors.length > 0) {
        const validation = { errors, notices: [], target: null };
        this.post({ type: "validated", revision: this.newest, validation });
      }
    } finally {
      this.setRunning(false);
    }
  }

  private setRunning(running: boolean): void {
    this.running = running;
    this.post({ type: "running", running });
  }

  private post(message: ToDialog): void {
    void this.panel?.webview.postMessage(message);
  }
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
