/** The terminal of a run: what is installed, run and printed, as the server sends it. Closing it cancels the run. */

import * as vscode from "vscode";

import { visible } from "../escaping";

const RED = "\u001b[1;31m";
const PLAIN = "\u001b[0m";

export class VerifyTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<undefined>();
  readonly onDidWrite = this.written.event;
  /** The user closed it, or pressed Ctrl+C in it. */
  readonly onDidCancel = this.closed.event;
  /** What came before the terminal was drawn. */
  private waiting: string[] | undefined = [];

  private readonly terminal: vscode.Terminal;

  constructor(name: string) {
    this.terminal = vscode.window.createTerminal({
      name,
      pty: this,
      iconPath: new vscode.ThemeIcon("beaker"),
    });
    this.terminal.show(true);
  }

  /** Takes it away, as when another run of the project has one. */
  dispose(): void {
    this.terminal.dispose();
  }

  open(): void {
    const lines = this.waiting ?? [];
    this.waiting = undefined;
    lines.forEach((line) => {
      this.written.fire(line);
    });
  }

  close(): void {
    this.closed.fire(undefined);
  }

  handleInput(data: string): void {
    if (data.includes("\u0003")) {
      this.closed.fire(undefined);
    }
  }

  /** Writes lines of the server, in which nothing acts on a terminal. */
  write(lines: readonly string[]): void {
    for (const line of lines) {
      this.print(visible(line));
    }
  }

  /** Writes why there is no result. */
  end(text: string): void {
    this.print(`${RED}${visible(text)}${PLAIN}`);
  }

  private print(text: string): void {
    const line = `${text.replace(/\r?\n/g, "\r\n")}\r\n`;
    if (this.waiting === undefined) {
      this.written.fire(line);
    } else {
      this.waiting.push(line);
    }
  }
}
