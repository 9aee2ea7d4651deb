/** Verifying a migrated project: on the user's command, in a trusted workspace, visible, and until it is cancelled. */

import * as path from "node:path";
import * as vscode from "vscode";

import { messageOf } from "../errors";
import { showError, showInformation, showWarning } from "../messages";
import { newToken, requestWithProgress } from "../server/progress";
import {
  type CompletedVerification,
  ServerNotification,
  ServerRequest,
  type VerifyResult,
} from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { readVerifySettings } from "../settings";
import { readyToRead } from "../unsaved/ask";
import { openPlace } from "../views/places";
import { askCommand, chooseProject } from "./choose";
import { VerifyTerminal } from "./terminal";
import type { Verifications } from "./verifications";

export interface VerifyContext {
  readonly requests: ServerRequests;
  readonly verifications: Verifications;
  readonly memento: vscode.Memento;
  /** The folders of the migrations whose results are kept. */
  readonly results: () => Promise<readonly string[]>;
  readonly openReport: (file: string) => Promise<void>;
}

/** Runs a project on a simulated NPU; without one the user is asked which. */
export async function verifyProject(context: VerifyContext, given?: string): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void showWarning(vscode.l10n.t("Verifying runs the project's code and needs a trusted workspace."));
    return;
  }
  const project = given ?? (await chooseProject(await context.results()));
  if (project === undefined) {
    return;
  }
  if (context.verifications.isRunning(project)) {
    void showInformation(runsAlready(project));
    return;
  }
  const command = await askCommand(project, context.memento);
  if (command === undefined) {
    return;
  }
  const { t } = vscode.l10n;
  const buttons = { save: t("Save and Verify"), leave: t("Verify What Is on Disk") };
  if (!(await readyToRead(project, buttons))) {
    return;
  }
  await run(context, project, command);
}

/** A command line, or its words. */
type Command = string | readonly string[];

/** The terminal of the last run of each project; the next run has it no longer in the way. */
const terminals = new Map<string, VerifyTerminal>();

/**
 * Runs a project by a command that its user has seen, in a terminal and with progress.
 *
 * @param stop Another way to cancel it.
 */
export async function runVerified(
  context: VerifyContext,
  project: string,
  command: Command,
  stop?: vscode.CancellationToken,
): Promise<VerifyResult> {
  const { verifications } = context;
  if (verifications.isRunning(project)) {
    return { status: "failed", message: runsAlready(project) };
  }
  verifications.begin(project);
  let result: VerifyResult = { status: "cancelled" };
  try {
    result = await send(context, project, command, stop);
  } catch (error) {
    result = { status: "failed", message: messageOf(error) };
  } finally {
    await verifications.end(project, result.status === "completed" ? result : undefined);
  }
  return result;
}

function runsAlready(project: string): string {
  return vscode.l10n.t("{0} is running already.", path.basename(project));
}

async function run(context: VerifyContext, project: string, command: string): Promise<void> {
  const result = await runVerified(context, project, command);
  switch (result.status) {
    case "cancelled":
      void showInformation(vscode.l10n.t("Verification cancelled."));
      break;
    case "failed":
      void showError(vscode.l10n.t("Nothing was verified: {0}", result.message));
      break;
    case "completed":
      void tell(context, result);
  }
}

async function send(
  context: VerifyContext,
  project: string,
  command: Command,
  stop?: vscode.CancellationToken,
): Promise<VerifyResult> {
  const client = await context.requests.client();
  const token = newToken();
  const name = path.basename(project);
  terminals.get(project)?.dispose();
  const terminal = new VerifyTerminal(vscode.l10n.t("Verify {0}", name));
  terminals.set(project, terminal);
  const output = client.onNotification(
    ServerNotification.verifyOutput,
    (message: { readonly token: string; readonly lines: readonly string[] }) => {
      if (message.token === token) {
        terminal.write(message.lines);
      }
    },
  );
  const settings = readVerifySettings(vscode.Uri.file(project));
  const parameters = { projectPath: project, command, ...settings, answer: {} };
  const title = vscode.l10n.t("Running {0} on a simulated NPU", name);
  try {
    const result = await requestWithProgress<VerifyResult>(client, ServerRequest.verify, parameters, title, {
      token,
      stops: [terminal.onDidCancel, ...(stop === undefined ? [] : [stop.onCancellationRequested])],
    });
    if (result.status !== "completed") {
      terminal.end(result.status === "failed" ? result.message : vscode.l10n.t("Verification cancelled."));
    }
    return result;
  } finally {
    output.dispose();
  }
}

/** Says how it ended, and leads to the first error and to the report. */
async function tell(context: VerifyContext, result: CompletedVerification): Promise<void> {
  const { t } = vscode.l10n;
  const error = result.problems.find(({ severity }) => severity === "error");
  const show = t("Show Error");
  const report = t("Open Report");
  const answers = [...(error === undefined ? [] : [show]), ...(result.page === null ? [] : [report])];
  const answer = result.passed
    ? await showInformation(result.verdict, ...answers)
    : await showError(result.verdict, ...answers);
  if (answer === show && error !== undefined) {
    await openPlace({ ...error, cell: null });
  } else if (answer === report && result.page !== null) {
    await context.openReport(result.page);
  }
}
