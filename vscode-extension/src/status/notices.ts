/** Messages about the server's troubles, each with a way out. */

import * as vscode from "vscode";

import { Command } from "../commands";
import { explainRejection, oldestPython } from "../python/explain";
import type { ServerSession, ServerState } from "../server/session";
import { showError } from "../messages";

/** Reports a trouble once, when it begins. */
export function tellTroubles(session: ServerSession, log: vscode.LogOutputChannel): vscode.Disposable {
  return session.onDidChangeState((state) => {
    if (state.kind === "noPython") {
      void tellNoPython(state, log);
    } else if (state.kind === "crashed") {
      void tellCrashed(state.reason);
    }
  });
}

async function tellNoPython(
  state: Extract<ServerState, { kind: "noPython" }>,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const lines = state.reasons.rejections.map(explainRejection);
  lines.forEach((line) => {
    log.error(line);
  });
  const select = vscode.l10n.t("Select Interpreter…");
  const show = vscode.l10n.t("Show Log");
  const text = vscode.l10n.t(
    "PyTorch GPU2Ascend needs Python {0} or newer, and found none that it can use.",
    oldestPython(),
  );
  const answer = await showError(text, select, show);
  await follow(answer, { [select]: Command.selectInterpreter, [show]: Command.showLog });
}

async function tellCrashed(reason: string): Promise<void> {
  const restart = vscode.l10n.t("Restart Server");
  const show = vscode.l10n.t("Show Log");
  const text = vscode.l10n.t("The PyTorch GPU2Ascend server has stopped: {0}", reason);
  const answer = await showError(text, restart, show);
  await follow(answer, { [restart]: Command.restartServer, [show]: Command.showLog });
}

async function follow(answer: string | undefined, commands: Record<string, string>): Promise<void> {
  const command = answer === undefined ? undefined : commands[answer];
  if (command !== undefined) {
    await vscode.commands.executeCommand(command);
  }
}
