/** Why there is no server, in one sentence, with what mends it: the same wherever it is told. */

import * as vscode from "vscode";

import { Command } from "../commands";
import { showError } from "../messages";
import { type Cause, causeOf } from "../python/cause";
import { oldestPython } from "../python/explain";
import type { ServerState } from "../server/session";
import { clearSetting, SECTION } from "../settings";

export interface Trouble {
  readonly text: string;
  readonly mends: readonly Mend[];
}

/** A button, and what it does. */
interface Mend {
  readonly title: string;
  readonly run: () => unknown;
}

/** What is wrong; a server that is merely not running can be started. */
export function troubleOf(state: ServerState): Trouble {
  const restart = commandOf(vscode.l10n.t("Restart Server"), Command.restartServer);
  const log = commandOf(vscode.l10n.t("Show Log"), Command.showLog);
  switch (state.kind) {
    case "noPython": {
      const cause = causeOf(state.reasons.rejections);
      return { text: textOf(cause), mends: [...mendsOf(cause), log] };
    }
    case "crashed":
      return {
        text: vscode.l10n.t("The PyTorch GPU2Ascend server has stopped: {0}", state.reason),
        mends: [restart, log],
      };
    case "starting":
    case "running":
    case "stopped":
      return { text: vscode.l10n.t("The PyTorch GPU2Ascend server is not running."), mends: [restart] };
  }
}

export async function showTrouble({ text, mends }: Trouble): Promise<void> {
  const answer = await showError(text, ...mends.map(({ title }) => title));
  await mends.find(({ title }) => title === answer)?.run();
}

function textOf(cause: Cause): string {
  const { t } = vscode.l10n;
  if (cause.kind === "none") {
    return t("No Python was found. PyTorch GPU2Ascend runs on Python {0} or newer.", oldestPython());
  }
  const { command, source } = cause.rejection.candidate;
  const program = [command.program, ...command.args].join(" ");
  const place =
    source === "setting" ? t("The interpreter of gpu2ascend.interpreter ({0})", program) : program;
  switch (cause.kind) {
    case "missing":
      return t("{0} does not exist.", place);
    case "broken":
      return t("{0} does not start: {1}", place, cause.rejection.reason.split(/\r?\n/, 1)[0] ?? "");
    case "tooOld": {
      const version = cause.rejection.facts.version.join(".");
      return t("{0} is Python {1}; PyTorch GPU2Ascend needs {2} or newer.", place, version, oldestPython());
    }
    case "notBundledFor": {
      const { version, machine } = cause.rejection.facts;
      return t(
        "{0} is Python {1} ({2}), for which the extension brings no server. Install gpu2ascend there, or select another Python.",
        place,
        version.join("."),
        machine,
      );
    }
  }
}

/** Of a program that the user has set, the setting; else another program. */
function mendsOf(cause: Cause): Mend[] {
  const { t } = vscode.l10n;
  if (cause.kind === "none" || cause.rejection.candidate.source !== "setting") {
    return [commandOf(t("Select Interpreter…"), Command.selectInterpreter)];
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return [
    commandOf(t("Open Settings"), "workbench.action.openSettings", `${SECTION}.interpreter`),
    { title: t("Find Another by Itself"), run: () => clearSetting("interpreter", folder) },
  ];
}

function commandOf(title: string, command: string, ...args: readonly unknown[]): Mend {
  return { title, run: () => vscode.commands.executeCommand(command, ...args) };
}
