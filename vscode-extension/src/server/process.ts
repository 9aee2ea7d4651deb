/** A process that runs the server: what it said last, and its end. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";

const LAST_WORDS = 4_000;

/** How long they are waited for: a process that the server has left behind may hold the pipe open. */
const PATIENCE_MS = 1_000;

export class ServerProcess {
  /** The end of what it wrote to its standard error. */
  private words = "";
  /** Settled once it has ended, and all that it wrote was heard. */
  private readonly silence: Promise<unknown>;

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    // One that could not be started has no other listener; its pipes close, and that is what counts.
    child.on("error", () => undefined);
    child.stderr.on("data", (text: Buffer) => {
      this.words = (this.words + text.toString()).slice(-LAST_WORDS);
    });
    child.stderr.resume();
    this.silence = new Promise((resolve) => child.once("close", resolve));
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** How it has ended, if it has. */
  get outcome(): string {
    return String(this.child.exitCode ?? this.child.signalCode);
  }

  /** What it wrote last; that may come after the end of the connection. */
  async lastWords(): Promise<string> {
    await Promise.race([this.silence, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    return this.words;
  }

  /**
   * Ends it even if it hangs, which would keep it from hearing anything but this.
   *
   * Its pipes are closed on this side too: where the interpreter is a script, the server is a child of what is
   * killed here, and would hold them open.
   */
  kill(): void {
    if (!this.hasEnded) {
      this.child.kill("SIGKILL");
    }
    this.child.stdin.destroy();
    this.child.stdout.destroy();
  }

  /** Ends it if it has not ended by itself until then. */
  killAfter(milliseconds: number): void {
    const timer = setTimeout(() => {
      this.kill();
    }, milliseconds);
    this.child.once("exit", () => {
      clearTimeout(timer);
    });
    if (this.hasEnded) {
      clearTimeout(timer);
    }
  }
}
