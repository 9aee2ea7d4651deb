/** The server that is bundled in the extension. */

import { existsSync } from "node:fs";
import * as path from "node:path";

import type { PythonFacts } from "./probe";

const MACHINES: Readonly<Record<string, readonly string[]>> = {
  x64: ["x86_64", "amd64"],
  arm64: ["arm64", "aarch64"],
};

export class Bundle {
  constructor(private readonly directory: string) {}

  /** The script that starts the bundled server. */
  get script(): string {
    return path.join(this.directory, "run_server.py");
  }

  /** Whether the native modules are there for this kind of CPython, and for this machine's processor. */
  fits(facts: PythonFacts): boolean {
    const machines = MACHINES[process.arch];
    if (machines !== undefined && !machines.includes(facts.machine.toLowerCase())) {
      return false;
    }
    return existsSync(path.join(this.directory, "libs", "libcst", `native${facts.extensionSuffix}`));
  }
}
