/** The language server's life: found, started, restarted, and left alone once it crashes too often. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  type DocumentSelector,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";

import type { Bundle } from "../python/bundle";
import type { Choice, NoChoice } from "../python/choose";
import { isStillSelected, type Started, startServer } from "../python/find";
import { isSelected, type LastFound } from "../python/memory";
import { SECTION } from "../settings";
import { CrashLimit } from "./crashes";
import { type Launch, launchOf, programOf, sameLaunch } from "./launch";

/** What is to be said of the server at any moment. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly choice: Choice }
  | { readonly kind: "stopped" }
  | { readonly kind: "noPython"; readonly reasons: NoChoice }
  | { readonly kind: "crashed"; readonly reason: string };

export interface SessionOptions {
  readonly bundle: Bundle;
  readonly last: LastFound;
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.OutputChannel;
  readonly middleware: Middleware;
}

/**
 * Files, those that have no name yet, and the cells of notebooks. The other side of a Git diff and a refactor
 * preview are documents too: their problems would stand beside those of the file itself.
 */
const SELECTOR: DocumentSelector = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebook: "*", language: "python" },
];

const LAST_WORDS = 4_000;

/** How long they are waited for: a process that the server has left behind may hold the pipe open. */
const PATIENCE_MS = 1_000;

export class ServerSession implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;
  private current: ServerState = { kind: "stopped" };
  private client: LanguageClient | undefined;
  private launch: Launch | undefined;
  /** The end of what the server wrote to its standard error. */
  private lastWords = "";
  /** Settled once it has ended, and all that it wrote was heard. */
  private silence: Promise<unknown> = Promise.resolve();
  private readonly crashes = new CrashLimit();
  /** Starts and stops, one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly options: SessionOptions) {}

  get state(): ServerState {
    return this.current;
  }

  /** The client of the running server. */
  get running(): LanguageClient | undefined {
    return this.current.kind === "running" ? this.client : undefined;
  }

  /** The client once the server is up, or undefined once it is known not to come up. */
  async whenSettled(): Promise<LanguageClient | undefined> {
    await this.queue;
    while (this.current.kind === "starting") {
      await new Promise<void>((resolve) => {
        const subscription = this.onDidChangeState(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
    return this.running;
  }

  /** The command line that runs a command of the server's program, by the interpreter that the server runs on. */
  commandLine(args: readonly string[]): Launch | undefined {
    if (this.current.kind !== "running") {
      return undefined;
    }
    return programOf(this.current.choice, this.options.bundle, args);
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Starts the server again, forgetting its crashes and where the interpreter was the last time. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      this.crashes.reset();
      await this.stopNow();
      this.setState({ kind: "starting" });
      await this.startNow(await startServer(this.options.bundle));
    });
  }

  /** Starts the server again if another interpreter, or another server, is to be used, or none for other reasons. */
  restartIfOther(): Promise<void> {
    return this.enqueue(async () => {
      const found = await startServer(this.options.bundle);
      const wanted = found.kind === "started" ? this.launchOf(found.choice) : undefined;
      if (!sameLaunch(wanted, this.launch) || this.isNews(found)) {
        this.crashes.reset();
        await this.stopNow();
        await this.startNow(found);
      } else if (found.kind === "started") {
        found.process.kill();
      }
    });
  }

  /** Whether there is something else to be said of why no interpreter is used. */
  private isNews(found: Started | NoChoice): boolean {
    const told = this.current.kind === "noPython" ? this.current.reasons : undefined;
    return found.kind === "none" && JSON.stringify(found) !== JSON.stringify(told);
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    this.changed.dispose();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step, step);
    return this.queue;
  }

  private async startNow(known?: Started | NoChoice): Promise<void> {
    if (this.client !== undefined) {
      return;
    }
    this.setState({ kind: "starting" });
    const { bundle, last, log } = this.options;
    const begun = performance.now();
    const found = known ?? (await startServer(bundle, last));
    const search = known === undefined ? ` (found in ${Math.round(performance.now() - begun)} ms)` : "";
    if (found.kind === "none") {
      this.setState({ kind: "noPython", reasons: found });
      return;
    }
    const { choice, process } = found;
    this.launch = this.launchOf(choice);
    log.info(`started: ${process.spawnargs.join(" ")}`);
    const { executable, version } = choice.facts;
    log.info(`Python ${version.join(".")}, ${choice.strategy}: ${executable}${search}`);
    const client = this.makeClient(this.launch, process);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.setState({ kind: "running", choice });
      } else if (newState === State.Starting && this.client === client) {
        this.setState({ kind: "starting" });
      }
    });
    try {
      await client.start();
    } catch (error) {
      log.error(String(error));
      if (this.current.kind !== "crashed") {
        await this.giveUp(vscode.l10n.t("it ended while starting"));
      }
      return;
    }
    void last.keep(choice);
    if (known === undefined && isSelected(choice)) {
      void this.confirm(choice);
    }
  }

  /** Asks the Python extensions whether what was chosen by what they said the last time is still right. */
  private async confirm(choice: Choice): Promise<void> {
    if (!(await isStillSelected(choice))) {
      await this.restartIfOther();
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.launch = undefined;
    if (client?.needsStop() === true) {
      await client.stop().catch((error: unknown) => {
        this.options.log.warn(`the server did not stop in good order: ${String(error)}`);
      });
    }
    await client?.dispose().catch(() => undefined);
    this.setState({ kind: "stopped" });
  }

  private launchOf(choice: Choice): Launch {
    return launchOf(choice, this.options.bundle);
  }

  /** A client of the process that runs already, and of those that are started when it ends. */
  private makeClient(launch: Launch, first: ChildProcessWithoutNullStreams): LanguageClient {
    const { log, trace, middleware } = this.options;
    let ready: ChildProcessWithoutNullStreams | undefined = first;
    const next = (): Promise<ChildProcessWithoutNullStreams> => {
      const process = ready ?? spawn(launch.command, launch.args, { windowsHide: true });
      ready = undefined;
      if (process.exitCode !== null) {
        return Promise.reject(new Error(`it has ended with exit code ${process.exitCode}`));
      }
      this.hear(process);
      return Promise.resolve(process);
    };
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

  private hear(process: ChildProcessWithoutNullStreams): void {
    this.lastWords = "";
    process.stderr.on("data", (text: Buffer) => {
      this.lastWords = (this.lastWords + text.toString()).slice(-LAST_WORDS);
    });
    process.stderr.resume();
    this.silence = new Promise((resolve) => process.once("close", resolve));
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
        const hasRun = this.client !== undefined && this.current.kind === "running";
        if (hasRun && this.crashes.mayRestart()) {
          this.options.log.warn("the server ended unexpectedly; it is started again");
          return { action: CloseAction.Restart, handled: true };
        }
        if (this.client !== undefined) {
          const { t } = vscode.l10n;
          void this.giveUp(
            hasRun ? t("it ended unexpectedly several times in a row") : t("it ended while starting"),
          );
        }
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  /** Says, once, why the server is not started again; its last words may come after the end of the connection. */
  private async giveUp(reason: string): Promise<void> {
    const { client } = this;
    await Promise.race([this.silence, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    if (this.client !== client || this.current.kind === "crashed") {
      return;
    }
    const lastLine = this.lastWords.trim().split(/\r?\n/).at(-1) ?? "";
    this.options.log.error(`${reason}\n${this.lastWords}`);
    this.setState({ kind: "crashed", reason: lastLine === "" ? reason : `${reason}: ${lastLine}` });
  }

  private setState(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }
}

/** Leaves it to this extension what of the server's troubles is told in a message; all of them are logged. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}
