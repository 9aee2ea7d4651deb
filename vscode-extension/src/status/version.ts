/** Asking for the PyTorch version that a project is migrated to. */

import * as vscode from "vscode";

import { label } from "../escaping";
import type { FolderOptions } from "../server/protocol";

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

/** The supported versions, the newest first. Why one fits best is longer than a row: the status bar says it. */
function known({ versions, proposedVersion }: FolderOptions): {
  label: string;
  description: string;
  version: string;
}[] {
  return [...versions].reverse().map((version) => ({
    label: version,
    description: version === proposedVersion?.version ? vscode.l10n.t("fits the project best") : "",
    version,
  }));
}
