/** The server's state beside the language of a Python file. */

import * as vscode from "vscode";

import { Command } from "../commands";
import { label } from "../escaping";
import type { ServerSession, ServerState } from "../server/session";
import { troubleOf } from "./trouble";

export function showLanguageStatus(session: ServerSession): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem("gpu2ascend.server", { language: "python" });
  item.name = "PyTorch GPU2Ascend";
  const update = (state: ServerState): void => {
    Object.assign(item, lookOf(state));
  };
  update(session.state);
  return vscode.Disposable.from(item, session.onDidChangeState(update));
}

type Look = Pick<vscode.LanguageStatusItem, "text" | "detail" | "busy" | "severity" | "command">;

function lookOf(state: ServerState): Look {
  const restart = { command: Command.restartServer, title: vscode.l10n.t("Restart Server") };
  const select = { command: Command.selectInterpreter, title: vscode.l10n.t("Select Interpreter…") };
  const { Information, Error } = vscode.LanguageStatusSeverity;
  const text = "GPU2Ascend";
  switch (state.kind) {
    case "starting":
      return { text, detail: vscode.l10n.t("Starting"), busy: true, severity: Information, command: restart };
    case "running": {
      const { executable, version } = state.choice.facts;
      const detail = label(vscode.l10n.t("Python {0} ({1})", version.join("."), executable));
      return { text, detail, busy: false, severity: Information, command: restart };
    }
    case "stopped":
      return { text, detail: vscode.l10n.t("Stopped"), busy: false, severity: Information, command: restart };
    case "noPython":
      return {
        text,
        detail: label(troubleOf(state).text),
        busy: false,
        severity: Error,
        command: select,
      };
    case "crashed":
      return { text, detail: label(state.reason), busy: false, severity: Error, command: restart };
  }
}
