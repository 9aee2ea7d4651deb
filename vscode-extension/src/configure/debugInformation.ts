/** What a report of a problem needs: versions, settings, what runs. A document, so that its user reads it before sending it. */

import * as os from "node:os";
import * as vscode from "vscode";

import type { ServerRequests } from "../server/requests";
import { SECTION } from "../settings";
import { debugText } from "./debugText";

/** Opens the document. */
export async function showDebugInformation(
  context: vscode.ExtensionContext,
  requests: ServerRequests,
): Promise<void> {
  const manifest = context.extension.packageJSON as { readonly version: string };
  const server = await requests.status().catch((error: unknown) => String(error));
  const content = debugText(
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
  const document = await vscode.workspace.openTextDocument({ language: "jsonc", content });
  await vscode.window.showTextDocument(document);
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
