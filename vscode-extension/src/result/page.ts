/** The result page of a migration: what was done, what is left, and the ways to look at both. */

import * as path from "node:path";
import * as vscode from "vscode";

import type { Destination } from "../chat/prompts";
import { Command } from "../commands";
import type { ChangedFile, CompletedMigration } from "../server/protocol";
import { isThere, openPlace } from "../views/places";
import { pageHtml, viewRoot } from "../views/html";
import { sealed } from "../views/sealed";
import { fromResult, type FromResult, resultState, type ToResult } from "./protocol";
import type { Verifications } from "../verify/verifications";
import type { Progress } from "./progress";
import { stepsOf } from "./steps";
import type { ResultStore } from "./store";
import { resultTexts } from "./texts";

/** What a page sends that changes nothing of what is kept of it. */
type Plain = Exclude<FromResult, { type: "ready" | "tick" | "applyFixes" | "copyPrompt" | "handOver" }>;

/** How what is left of a project becomes a prompt. */
export interface Handing {
  readonly hasChat: () => boolean;
  readonly ofProject: (project: string, destination: Destination) => Promise<void>;
}

export const RESULT_VIEW = "gpu2ascend.result";

export class ResultPages implements vscode.WebviewPanelSerializer {
  constructor(
    private readonly extension: vscode.Uri,
    private readonly store: ResultStore,
    private readonly verifications: Verifications,
    private readonly progress: Progress,
    /** Applies the fixes that are offered in a project; whether it did. */
    private readonly applyOffered: (project: string) => Promise<boolean>,
    private readonly handing: Handing,
  ) {}

  async open(result: CompletedMigration): Promise<void> {
    const id = await this.store.add(result);
    const title = vscode.l10n.t("Result: {0}", path.basename(result.outputPath));
    const panel = vscode.window.createWebviewPanel(RESULT_VIEW, title, vscode.ViewColumn.Active);
    this.adopt(panel, id, result);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = resultState(state)?.id ?? "";
    this.adopt(panel, id, id === "" ? undefined : await this.store.read(id));
  }

  private adopt(panel: vscode.WebviewPanel, id: string, result: CompletedMigration | undefined): void {
    const { webview } = panel;
    void vscode.commands.executeCommand("setContext", "gpu2ascend.hasResult", true);
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "icon.svg");
    webview.options = { enableScripts: true, localResourceRoots: [viewRoot(this.extension)] };
    webview.onDidReceiveMessage((message: unknown) => {
      const known = fromResult(message);
      if (known?.type === "ready") {
        const texts = resultTexts();
        const answer: ToResult =
          result === undefined
            ? { type: "gone", texts }
            : {
                type: "show",
                id,
                result,
                verification: this.verifications.stateOf(result.outputPath),
                done: this.progress.of(result.outputPath),
                hasChat: this.handing.hasChat(),
                texts,
              };
        void webview.postMessage(answer);
      } else if (known !== undefined && result !== undefined) {
        void this.receive(known, result, webview);
      }
    });
    const following = this.verifications.onDidChange((project) => {
      if (project === result?.outputPath) {
        const verification = this.verifications.stateOf(project);
        const message: ToResult = { type: "verification", verification, texts: resultTexts() };
        void webview.postMessage(message);
      }
    });
    panel.onDidDispose(() => following.dispose() as undefined);
    webview.html = pageHtml(webview, this.extension, { name: "result", title: panel.title });
  }

  private async receive(
    message: Exclude<FromResult, { type: "ready" }>,
    result: CompletedMigration,
    webview: vscode.Webview,
  ): Promise<void> {
    const { outputPath } = result;
    if (message.type === "copyPrompt" || message.type === "handOver") {
      await this.handing.ofProject(outputPath, message.type === "handOver" ? "chat" : "clipboard");
      return;
    }
    if (message.type === "tick") {
      await this.progress.tick(outputPath, message.id, message.done);
    } else if (message.type !== "applyFixes") {
      await perform(message, result);
      return;
    } else if (await this.applyOffered(outputPath)) {
      await this.progress.tick(outputPath, "apply", true);
    }
    const answer: ToResult = { type: "done", done: this.progress.of(outputPath), texts: resultTexts() };
    void webview.postMessage(answer);
  }
}

async function perform(message: Plain, result: CompletedMigration): Promise<void> {
  switch (message.type) {
    case "copy": {
      const step = stepsOf(result).find(({ id }) => id === message.id);
      await vscode.env.clipboard.writeText(step?.command ?? "");
      break;
    }
    case "compare": {
      const file = result.files[message.index];
      if (file !== undefined) {
        await compare(file);
      }
      break;
    }
    case "compareAll":
      if (await isThere(vscode.Uri.file(result.outputPath))) {
        await compareAll(result.files);
      }
      break;
    case "reveal": {
      const finding = result.findings[message.index];
      if (finding !== undefined) {
        await openPlace(finding);
      }
      break;
    }
    case "openFolder":
      await openFolder(vscode.Uri.file(result.outputPath));
      break;
    case "openReport":
      await openReport(result.reports[message.index]?.path);
      break;
    case "verify":
      await vscode.commands.executeCommand(Command.verifyProject, vscode.Uri.file(result.outputPath));
      break;
    case "showLog":
      await vscode.commands.executeCommand(Command.showLog);
  }
}

async function openFolder(folder: vscode.Uri): Promise<void> {
  if (await isThere(folder)) {
    await vscode.commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
  }
}

async function compare(file: ChangedFile): Promise<void> {
  const { original, migrated } = uris(file);
  if (!(await isThere(original, migrated))) {
    return;
  }
  const title = vscode.l10n.t("{0} (original ↔ migrated)", path.posix.basename(file.path));
  await vscode.commands.executeCommand("vscode.diff", original, migrated, title, { preview: true });
}

async function compareAll(files: readonly ChangedFile[]): Promise<void> {
  const triples = files
    .filter(({ status }) => status === "changed")
    .map((file) => {
      const { original, migrated } = uris(file);
      return [migrated, original, migrated];
    });
  await vscode.commands.executeCommand("vscode.changes", vscode.l10n.t("Original ↔ migrated"), triples);
}

function uris(file: ChangedFile): { original: vscode.Uri; migrated: vscode.Uri } {
  return { original: vscode.Uri.file(file.original), migrated: vscode.Uri.file(file.migrated) };
}

/**
 * A page for people is shown as one, a list or a log in an editor. In a web view without scripts the page looks
 * the same on this machine and on a remote one, where no browser could open its file.
 */
export async function openReport(file: string | undefined): Promise<void> {
  if (file === undefined) {
    return;
  }
  const uri = vscode.Uri.file(file);
  if (!(await isThere(uri))) {
    return;
  }
  if (!file.endsWith(".html")) {
    await vscode.window.showTextDocument(uri);
    return;
  }
  const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const title = path.basename(file);
  const panel = vscode.window.createWebviewPanel("gpu2ascend.report", title, vscode.ViewColumn.Active, {
    localResourceRoots: [],
  });
  panel.webview.html = sealed(content);
}
