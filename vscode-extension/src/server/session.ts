/** The language server's life: found, started, restarted, and left alone once it crashes too often. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { Bundle } from "../python/bundle";
import type { Choice, NoChoice } from "../python/choose";
import { isStillSelected, type Started, startServer } from "../python/find";
import { isSelected, type LastFound } from "../python/memory";
import { CrashLimit } from "./crashes";
import { type Launch, launchOf, programOf, sameLaunch } from "./launch";
import { type RunOptions, ServerRun } from "./run";
import { serverWork } from "./work";

/** What is to be said of the server at any moment. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly choice: Choice }
  | { readonly kind: "stopped" }
  | { readonly kind: "noPython"; readonly reasons: NoChoice }
  | { readonly kind: "crashed"; readonly reason: string };

export interface SessionOptions extends RunOptions {
  readonly bundle: Bundle;
  readonly last: LastFound;
}

export class ServerSession implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;
  private current: ServerState = { kind: "stopped" };
  private run: ServerRun | undefined;
  private launch: Launch | undefined;
  private readonly crashes = new CrashLimit();
  /** Starts and stops, one after the other. */
  private queue: Promise<void> = Promise.resolve();
  /** A look for another interpreter that waits until the server has nothing to do. */
  private postponed: Promise<void> | undefined;

  constructor(private readonly options: SessionOptions) {}

  get state(): ServerState {
    return this.current;
  }

  /** The client of the running server. */
  get running(): LanguageClient | undefined {
    return this.current.kind === "running" ? this.run?.client : undefined;
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
      // It may have been stopped only for being started again.
      await this.queue;
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

  /** The same where the interpreter can serve agents. */
  agentsCommandLine(args: readonly string[]): Launch | undefined {
    const hasAgents = this.current.kind === "running" && this.current.choice.facts.hasAgents;
    return hasAgents ? this.commandLine(args) : undefined;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Starts the server again, forgetting its crashes and where the interpreter was the last time. */
  restart(): Promise<void> {
    this.run?.abandonStart();
    return this.enqueue(async () => {
      this.crashes.reset();
      await this.stopNow();
      this.setState({ kind: "starting" });
      await this.startNow(await startServer(this.options.bundle));
    });
  }

  /**
   * Starts the server again if another interpreter, or another server, is to be used, or none for other reasons.
   *
   * The user has not asked for it now: a migration, an analysis or a preview is not cut off, but waited for.
   */
  restartIfOther(): Promise<void> {
    if (!serverWork.isNone) {
      this.options.log.info("another interpreter is looked for once the server has nothing to do");
    }
    this.postponed ??= serverWork.whenNone().then(() => {
      this.postponed = undefined;
      return this.enqueue(() => this.restartNowIfOther());
    });
    return this.postponed;
  }

  private async restartNowIfOther(): Promise<void> {
    if (this.current.kind === "stopped") {
      return; // what it waited for was ended by the end of the server
    }
    const found = await startServer(this.options.bundle);
    const wanted = found.kind === "started" ? this.launchOf(found.choice) : undefined;
    if (!sameLaunch(wanted, this.launch) || this.isNews(found)) {
      this.crashes.reset();
      await this.stopNow();
      await this.startNow(found);
    } else if (found.kind === "started") {
      found.process.kill();
    }
  }

  /** Whether there is something else to be said of why no interpreter is used. */
  private isNews(found: Started | NoChoice): boolean {
    const reported = this.current.kind === "noPython" ? this.current.reasons : undefined;
    return found.kind === "none" && JSON.stringify(found) !== JSON.stringify(reported);
  }

  stop(): Promise<void> {
    this.run?.abandonStart();
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
    if (this.run !== undefined) {
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
    const run = this.makeRun(this.launch, found);
    this.run = run;
    if (!(await run.start())) {
      return;
    }
    void last.keep(choice);
    if (known === undefined && isSelected(choice)) {
      void this.confirm(choice);
    }
  }

  private makeRun(launch: Launch, { choice, process }: Started): ServerRun {
    return new ServerRun(launch, process, this.options, {
      starting: () => {
        this.setState({ kind: "starting" });
      },
      running: () => {
        this.setState({ kind: "running", choice });
      },
      mayRestart: () => this.crashes.mayRestart(),
      gaveUp: (reason) => {
        this.setState({ kind: "crashed", reason });
      },
    });
  }

  /** Asks the Python extensions whether what was chosen by what they said the last time is still right. */
  private async confirm(choice: Choice): Promise<void> {
    if (!(await isStillSelected(choice))) {
      await this.restartIfOther();
    }
  }

  private async stopNow(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    this.launch = undefined;
    await run?.stop();
    this.setState({ kind: "stopped" });
  }

  private launchOf(choice: Choice): Launch {
    return launchOf(choice, this.options.bundle);
  }

  private setState(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }
}
