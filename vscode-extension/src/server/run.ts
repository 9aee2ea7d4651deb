/**
 * One run of the server, until it is stopped or given up: the client, and the processes behind it.
 *
 * Once a run is over it says nothing more, whatever becomes of its processes: by then another may have begun.
 */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";

import { spawnPython } from "../python/start";
import { SECTION } from "../settings";
import type { Launch } from "./launch";
import { ServerProcess } from "./process";
import { SELECTOR } from "./selector";

export interface RunOptions {
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.OutputChannel;
  readonly middleware: Middleware;
}

/** Who is informed of a run. */
export interface RunWatcher {
  starting(): void;
  running(): void;
  /** Counts a crash; whether the server may be started again. */
  mayRestart(): boolean;
  gaveUp(reason: string): void;
}

/** A server that has not answered by then when it is asked to stop hangs. */
const ANSWER_MS = 2_000;

/** One that has answered may have something to put away before it ends. */
const END_MS = 5_000;

export class ServerRun {
  readonly client: LanguageClient;
  private process: ServerProcess;
  /** Whether the client has been given the process that runs already. */
  private isTaken = false;
  private isOver = false;

  /** @param first The process that runs already; others are started when it ends. */
  constructor(
    private readonly launch: Launch,
    first: ChildProcessWithoutNullStreams,
    private readonly options: RunOptions,
    private readonly watcher: RunWatcher,
  ) {
    this.process = new ServerProcess(first);
    this.client = this.makeClient();
    this.client.onDidChangeState(({ newState }) => {
      if (this.isOver) {
        return;
      }
      if (newState === State.Running) {
        watcher.running();
      } else if (newState === State.Starting) {
        watcher.starting();
      }
    });
  }

  /** Whether the server came up. */
  async start(): Promise<boolean> {
    await this.client.start().catch((error: unknown) => {
      this.options.log.error(String(error));
    });
    // The client may call a start done of which the connection has ended.
    if (this.client.state === State.Stopped) {
      await this.giveUp(vscode.l10n.t("it ended while starting"));
    }
    return !this.isOver;
  }

  /** Ends a start that goes on: if the server hangs, callers that wait for the start would wait for ever. */
  abandonStart(): void {
    if (this.client.state === State.Starting) {
      this.isOver = true;
      this.process.kill();
    }
  }

  /** Ends the server in good order if it answers, and anyhow if it does not; its requests fail. */
  async stop(): Promise<void> {
    this.abandonStart();
    this.isOver = true;
    const late = setTimeout(() => {
      this.process.kill();
    }, ANSWER_MS);
    try {
      await this.stopClient();
      this.process.killAfter(END_MS);
    } catch (error) {
      this.options.log.warn(`the server did not stop in good order: ${String(error)}`);
      this.process.kill();
    } finally {
      clearTimeout(late);
    }
    await this.client.dispose().catch(() => undefined);
  }

  private async stopClient(): Promise<void> {
    // What a start has not yet registered cannot be taken back, and would be in the way of the next client.
    if (this.client.needsStop()) {
      await this.client.start();
    }
    // A client that stops waiting before its process has ended never informs those who wait for answers.
    if (this.client.needsStop()) {
      await this.client.stop(2 * ANSWER_MS);
    }
  }

  private makeClient(): LanguageClient {
    const { log, trace, middleware } = this.options;
    const next = (): Promise<ChildProcessWithoutNullStreams> => this.nextProcess();
    return new QuietClient(SECTION, "PyTorch GPU2Ascend", next, {
      initializationFailedHandler: () => false,
      documentSelector: SELECTOR,
      outputChannel: log,
      traceOutputChannel: trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,

      errorHandler: this.errorHandler(),
      middleware,
    });
  }

  private nextProcess(): Promise<ChildProcessWithoutNullStreams> {
    if (this.isOver) {
      return Promise.reject(new Error("it is no longer wanted"));
    }
    if (this.isTaken) {
      const { command, args, directory } = this.launch;
      this.process = new ServerProcess(spawnPython(command, args, directory));
    }
    this.isTaken = true;
    if (this.process.hasEnded) {
      return Promise.reject(new Error(`it has ended with ${this.process.outcome}`));
    }
    return Promise.resolve(this.process.child);
  }

  /**
   * Errors on the pipe are the server's end sooner or later; its end decides.
   *
   * A server that has run before it ended is started again, a few times. One that never came to run would
   * only end again.
   */
  private errorHandler(): ErrorHandler {
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        const hasRun = this.client.state === State.Running;
        if (!this.isOver && hasRun && this.watcher.mayRestart()) {
          this.options.log.warn("the server ended unexpectedly; it is started again");
          this.process.killAfter(ANSWER_MS);
          return { action: CloseAction.Restart, handled: true };
        }
        const { t } = vscode.l10n;
        void this.giveUp(
          hasRun ? t("it ended unexpectedly several times in a row") : t("it ended while starting"),
        );
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  /** Says, once, why the server is not started again. */
  private async giveUp(reason: string): Promise<void> {
    const words = this.isOver ? "" : await this.process.lastWords();
    if (this.isOver) {
      return;
    }
    this.isOver = true;
    this.process.kill();
    this.options.log.error(`${reason}\n${words}`);
    const lastLine = words.trim().split(/\r?\n/).at(-1) ?? "";
    this.watcher.gaveUp(lastLine === "" ? reason : `${reason}: ${lastLine}`);
  }
}

/** Leaves it to this extension which of the server's troubles are shown in a message; all of them are logged. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}
