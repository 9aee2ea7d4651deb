/** Work orders as a prompt: into the clipboard, or into the chat of the editor. */

import * as vscode from "vscode";

import { showError, showInformation } from "../messages";
import { requestWithProgress } from "../server/progress";
import { type Finding, type HandoverResult, ServerRequest } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import type { Chat } from "./chat";

/** Where a prompt goes. */
export type Destination = "clipboard" | "chat";

export class Prompts {
  constructor(
    private readonly requests: ServerRequests,
    private readonly chat: Chat,
  ) {}

  /** Hands some findings over. */
  async ofFindings(findings: readonly Finding[], destination: Destination): Promise<void> {
    const folders = new Map<string, Finding[]>();
    for (const finding of findings) {
      const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(finding.file))?.uri.fsPath;
      if (folder !== undefined) {
        folders.set(folder, [...(folders.get(folder) ?? []), finding]);
      }
    }
    const prompts: string[] = [];
    for (const [folder, members] of folders) {
      const chosen = members.map(({ file, range, cell, code }) => ({
        file,
        line: range.start.line,
        cell,
        code,
      }));
      const prompt = await this.ask({ folder, findings: chosen });
      if (prompt === undefined) {
        return;
      }
      prompts.push(...(prompt === "" ? [] : [prompt]));
    }
    await this.send(prompts.join("\n\n"), destination);
  }

  /** Hands over all that is left in a project. */
  async ofProject(folder: string, destination: Destination): Promise<void> {
    const prompt = await this.ask({ folder });
    await (prompt === undefined ? undefined : this.send(prompt, destination));
  }

  /** A prompt, empty where nothing is left; undefined if there is none, which is said. */
  private async ask(parameters: object): Promise<string | undefined> {
    const title = vscode.l10n.t("Collecting what is known of it");
    const client = await this.requests.client();
    const result = await requestWithProgress<HandoverResult>(
      client,
      ServerRequest.handover,
      parameters,
      title,
    );
    switch (result.status) {
      case "cancelled":
        return undefined;
      case "failed":
        void showError(vscode.l10n.t("It could not be done: {0}", result.message));
        return undefined;
      case "completed":
        return result.orders.length === 0 ? "" : result.prompt;
    }
  }

  private async send(prompt: string, destination: Destination): Promise<void> {
    if (prompt === "") {
      void showInformation(vscode.l10n.t("Nothing is left to do there."));
    } else if (destination === "chat") {
      await this.chat.open(prompt);
    } else {
      await vscode.env.clipboard.writeText(prompt);
      const text = vscode.l10n.t("The prompt is in the clipboard.");
      vscode.window.setStatusBarMessage(`$(check) ${text}`, 5_000);
    }
  }
}
