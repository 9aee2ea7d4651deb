/** What a report of a problem needs: versions, settings, what runs. A document, so that its user reads it before sending it. */

import * as os from "node:os";
import * as vscode from "vscode";

import type { ServerRequests } from "../server/requests";
import { SECTION } from "../settings";
import { debugText } from "./debugText";

const PAGE = vscode.Uri.from({ scheme: "gpu2ascend-debug", path: "/PyTorch GPU2Ascend.jsonc" });

/** The document: one that can only be read, so that no editor asks to save it. */
export class DebugInformation implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private content = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(PAGE.scheme, this);

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly requests: ServerRequests,
  ) {}

  provideTextDocumentContent(): string {
    return this.content;
  }

  async show(): Promise<void> {
    this.content = await gathered(this.context, this.requests);
    this.changed.fire(PAGE);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(PAGE), { preview: false });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

async function gathered(context: vscode.ExtensionContext, requests: ServerRequests): Promise<string> {
  const manifest = context.extension.packageJSON as { readonly version: string };
  const server = await requests.status().catch((error: unknown) => String(error));
  return debugText(
    {
      extension: manifest.version,
      editor: `${vscode.env.appName} ${vscode.version}`,
      system: `${process.platform} ${process.arch} ${os.release()}`,
      remote: vscode.env.remoteName ?? null,
      isTrusted: vscode.workspace.isTrusted,
      settings: changedSettings(),
      server,
      log: context.logUri.fsPath,
    },
    os.homedir(),
    vscode.l10n.t("PyTorch GPU2Ascend: debug information. Nothing was sent; read it before you pass it on."),
  );
}

/** What the user has set; of addresses, which may hold a password, only that there are some. */
function changedSettings(): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(SECTION);
  const changed: Record<string, unknown> = {};
  for (const name of Object.keys(section)) {
    const value = section.inspect(name);
    const set = value?.workspaceFolderValue ?? value?.workspaceValue ?? value?.globalValue;
    if (set !== undefined) {
      changed[name] = set;
    }
  }
  return changed;
}
