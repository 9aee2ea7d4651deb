/** Starts everything when a Python file is opened or one of our commands is run. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "./commands";
import { Bundle } from "./python/bundle";
import { watchSelection } from "./python/extensions";
import { selectInterpreter } from "./python/select";
import { ServerSession } from "./server/session";
import { SECTION } from "./settings";
import { showLanguageStatus } from "./status/languageStatus";
import { tellTroubles } from "./status/notices";

let session: ServerSession | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("PyTorch GPU2Ascend", { log: true });
  const trace = vscode.window.createOutputChannel("PyTorch GPU2Ascend Trace");
  const bundle = new Bundle(path.join(context.extensionPath, "bundled"));
  session = new ServerSession({ bundle, log, trace, middleware: {} });
  context.subscriptions.push(
    log,
    trace,
    session,
    tellTroubles(session, log),
    showLanguageStatus(session),
    ...serverCommands(session, log, trace),
    ...restartReasons(session),
  );
  void session.start();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

function serverCommands(
  server: ServerSession,
  log: vscode.OutputChannel,
  trace: vscode.OutputChannel,
): vscode.Disposable[] {
  const { registerCommand } = vscode.commands;
  return [
    registerCommand(Command.restartServer, () => server.restart()),
    registerCommand(Command.selectInterpreter, selectInterpreter),
    registerCommand(Command.showLog, () => {
      log.show();
    }),
    registerCommand(Command.showTrace, () => {
      trace.show();
    }),
  ];
}

/** What may make another interpreter the right one. */
function restartReasons(server: ServerSession): vscode.Disposable[] {
  const again = (): void => void server.restartIfOther();
  const selection = watchSelection(again);
  return [
    vscode.workspace.onDidChangeConfiguration((event) => {
      const concerned = ["interpreter", "importStrategy"].some((key) =>
        event.affectsConfiguration(`${SECTION}.${key}`),
      );
      if (concerned) {
        again();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(again),
    new vscode.Disposable(
      () =>
        void selection.then((watch) => {
          watch.dispose();
        }),
    ),
  ];
}
