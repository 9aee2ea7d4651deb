/** Migrating a project: the request, its progress, and what is said of its end. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import { messageOf } from "../errors";
import type { MigrationParameters } from "../server/options.generated";
import { requestWithProgress } from "../server/progress";
import {
  type CompletedMigration,
  type FieldError,
  type MigrationResult,
  ServerRequest,
} from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { showError, showInformation, showWarning } from "../messages";
import { expandPath } from "../paths";
import { readyToRead } from "../unsaved/ask";

/** Migrates and shows the result; the errors are those of options that the server refuses. */
export async function migrateProject(
  requests: ServerRequests,
  options: MigrationParameters,
  show: (result: CompletedMigration) => Promise<void>,
): Promise<readonly FieldError[]> {
  if (!vscode.workspace.isTrusted) {
    void showWarning(vscode.l10n.t("Migrating needs a trusted workspace."));
    return [];
  }
  const { t } = vscode.l10n;
  const buttons = { save: t("Save and Migrate"), leave: t("Migrate What Is on Disk") };
  if (!(await readyToRead(expandPath(options.inputPath, undefined), buttons))) {
    return [];
  }
  let result: MigrationResult;
  try {
    const title = vscode.l10n.t("Migrating {0}", path.basename(options.inputPath));
    const client = await requests.client();
    result = await requestWithProgress<MigrationResult>(client, ServerRequest.migrate, { options }, title);
  } catch (error) {
    result = { status: "failed", message: messageOf(error) };
  }
  switch (result.status) {
    case "invalid":
      return result.errors;
    case "failed":
      void tellFailed(result.message);
      return [];
    case "cancelled":
      void showInformation(vscode.l10n.t("Migration cancelled. Nothing was written."));
      return [];
    case "completed":
      await show(result);
      return [];
  }
}

async function tellFailed(message: string): Promise<void> {
  const log = vscode.l10n.t("Show Log");
  const text = vscode.l10n.t("Nothing was migrated: {0}", message);
  if ((await showError(text, log)) === log) {
    await vscode.commands.executeCommand(Command.showLog);
  }
}
