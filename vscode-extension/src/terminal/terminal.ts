/** A terminal that has `gpu2ascend` on its path: the program that comes with the extension, which no shell knows. */

import { chmod } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import { showTrouble } from "../status/trouble";
import { type ServerRequests, ServerUnavailable } from "../server/requests";
import type { ServerSession } from "../server/session";
import { shims } from "./shim";

/** As the manifest names the profile. */
const PROFILE = "gpu2ascend.terminal";

export class Terminals {
  /** @param storage Where the scripts are that start the program. */
  constructor(
    private readonly session: ServerSession,
    private readonly requests: ServerRequests,
    private readonly storage: vscode.Uri,
  ) {}

  register(): vscode.Disposable[] {
    return [
      vscode.window.registerTerminalProfileProvider(PROFILE, {
        provideTerminalProfile: async () => {
          const options = await this.options();
          return options === undefined ? undefined : new vscode.TerminalProfile(options);
        },
      }),
      vscode.commands.registerCommand(Command.openTerminal, () => this.open()),
      vscode.commands.registerCommand(Command.checkMachine, () => this.open("gpu2ascend doctor")),
    ];
  }

  /** Opens a terminal, and types a command into it. */
  private async open(command?: string): Promise<void> {
    const options = await this.options();
    if (options !== undefined) {
      const terminal = vscode.window.createTerminal(options);
      terminal.show();
      if (command !== undefined) {
        terminal.sendText(command);
      }
    }
  }

  /** Undefined where there is no server, which is said. */
  private async options(): Promise<vscode.TerminalOptions | undefined> {
    try {
      await this.requests.client();
    } catch (error) {
      if (error instanceof ServerUnavailable) {
        void showTrouble(error.trouble);
        return undefined;
      }
      throw error;
    }
    const start = this.session.commandLine([]);
    const folder = vscode.Uri.joinPath(this.storage, "bin");
    for (const [name, content] of Object.entries(start === undefined ? {} : shims(start))) {
      const file = vscode.Uri.joinPath(folder, name);
      await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
      await chmod(file.fsPath, 0o755);
    }
    const search = [folder.fsPath, process.env.PATH ?? ""].join(path.delimiter);
    return { name: "GPU2Ascend", iconPath: new vscode.ThemeIcon("circuit-board"), env: { PATH: search } };
  }
}
