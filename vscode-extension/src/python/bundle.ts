/** The server that is bundled in the extension. */

import { accessSync, constants, existsSync } from "node:fs";
import * as path from "node:path";

import type { ImportStrategy } from "./choose";
import type { PythonFacts } from "./start";

const MACHINES: Readonly<Record<string, readonly string[]>> = {
  x64: ["x86_64", "amd64"],
  arm64: ["arm64", "aarch64"],
};

export class Bundle {
  /**
   * @param directory Where it is, and where Python runs: no project's.
   * @param storage Where Python may keep bytecode if it may not do so there.
   */
  constructor(
    readonly directory: string,
    private readonly storage: string,
  ) {}

  /**
   * The arguments that run a command of the bundled program.
   *
   * `-I` keeps the project's modules, PYTHONPATH and the user's packages out of it: an `enum.py` beside the
   * user's code would otherwise end it at once. It also lets no PYTHONDONTWRITEBYTECODE make every start slow.
   */
  running(args: readonly string[]): string[] {
    return ["-I", ...this.options(), path.join(this.directory, "run_server.py"), ...args];
  }

  /** The same, with the announcement of what Python runs it; by strategy, the environment's own program. */
  announcing(strategy: ImportStrategy, args: readonly string[]): string[] {
    const choice = strategy === "fromEnvironment" ? ["--from-environment"] : [];
    return this.running(["--announce", ...choice, ...args]);
  }

  /** Whether the native modules are there for this kind of CPython, and for this machine's processor. */
  fits(facts: PythonFacts): boolean {
    const machines = MACHINES[process.arch];
    if (machines !== undefined && !machines.includes(facts.machine.toLowerCase())) {
      return false;
    }
    return existsSync(path.join(this.directory, "libs", "libcst", `native${facts.extensionSuffix}`));
  }

  /** Text in UTF-8 whatever the locale; and bytecode that is kept, for a start with it takes half the time. */
  private options(): string[] {
    const prefix = isWritable(path.join(this.directory, "libs")) ? undefined : this.storage;
    return ["-X", "utf8", ...(prefix === undefined ? [] : ["-X", `pycache_prefix=${prefix}`])];
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
