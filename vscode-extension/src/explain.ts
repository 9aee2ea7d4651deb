/** Pages that explain a rule or an API, shown as the editor shows any Markdown. */

import * as vscode from "vscode";

import type { Explanation } from "./server/protocol";
import { showInformation } from "./messages";

const SCHEME = "gpu2ascend-explain";

export class ExplanationPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly pages = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.pages.get(uri.path) ?? "";
  }

  async show(explanation: Explanation): Promise<void> {
    if (explanation.kind === null) {
      const close = explanation.close.join(", ");
      const text = vscode.l10n.t("Nothing is known of {0}.", explanation.name);
      void showInformation(close === "" ? text : `${text} (${close})`);
      return;
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${explanation.name}.md` });
    this.pages.set(uri.path, explanation.markdown);
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
