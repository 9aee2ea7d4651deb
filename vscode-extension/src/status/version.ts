/** Asking for the PyTorch version that a project is migrated to. */

import * as vscode from "vscode";

import { label } from "../escaping";
import { onDidSendSettings } from "../server/configuration";
import type { FolderOptions } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { SECTION } from "../settings";

/** How long the server may take to ask for a setting that has changed, in milliseconds. */
const PATIENCE = 10_000;

/** The version that counts in a folder: the one that is set, or that its requirements name. */
export function versionOf({ values, detected }: FolderOptions): string | undefined {
  return typeof values.version === "string" ? values.version : detected?.version;
}

/** The version that is looked at for a folder: where none is set or found, the one that fits it best. */
export function effectiveVersion(options: FolderOptions): string | undefined {
  return versionOf(options) ?? options.proposedVersion?.version;
}

/** A version, null for the one found in the project, or undefined if the question was dismissed. */
export async function pickVersion(options: FolderOptions, title: string): Promise<string | null | undefined> {
  const { t } = vscode.l10n;
  const found = options.detected?.version;
  const automatic = {
    label: t("$(search) Found in the project"),
    description: found === undefined ? t("it names no single version") : label(found),
    version: null,
  };
  const picked = await vscode.window.showQuickPick([automatic, ...known(options)], { title });
  return picked?.version;
}

/**
 * Asks, for each folder of the workspace that has no version, for one, and sets it. Whether all of them have one
 * then, and the server knows it.
 */
export async function haveVersions(requests: ServerRequests): Promise<boolean> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const options = await requests.options(folder.uri.fsPath);
    if (versionOf(options) === undefined) {
      const title = vscode.l10n.t("PyTorch version that {0} is migrated to", folder.name);
      const picked = await vscode.window.showQuickPick(known(options), { title });
      if (picked === undefined) {
        return false;
      }
      const isSent = nextSettings();
      const section = vscode.workspace.getConfiguration(SECTION, folder.uri);
      await section.update("version", picked.version, vscode.ConfigurationTarget.WorkspaceFolder);
      await isSent;
    }
  }
  return true;
}

/** The supported versions, the newest first; the one that fits the project best says why. */
function known({ versions, proposedVersion }: FolderOptions): {
  label: string;
  detail?: string;
  version: string;
}[] {
  return [...versions].reverse().map((version) => ({
    label: version,
    // Of its own line: behind the version it would be cut off.
    ...(version === proposedVersion?.version
      ? { detail: label(reasonOf(proposedVersion.message, version)) }
      : {}),
    version,
  }));
}

/** Why a version is proposed, without the version, which stands before it. */
function reasonOf(message: string, version: string): string {
  return message.startsWith(version) ? message.slice(version.length).replace(/^[:：,，]\s*/, "") : message;
}

/** The server has been given the settings anew, or does not ask for them. */
async function nextSettings(): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, PATIENCE);
    const listener = onDidSendSettings(done);
  });
}
