/** Asking an interpreter what it is, by running it. */

import { execFile } from "node:child_process";

/** A way to start Python: a program and what comes before any other argument (`py -3`). */
export interface PythonCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** What an interpreter says of itself. */
export interface PythonFacts {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  /** The end of the file names of native modules that it can load, such as `.cpython-312-darwin.so`. */
  readonly extensionSuffix: string;
  readonly machine: string;
  /** Whether its own environment has gpu2ascend. */
  readonly hasServer: boolean;
}

const PROBE = `
import importlib.machinery, importlib.util, json, platform, sys
print(json.dumps({
    "executable": sys.executable,
    "version": list(sys.version_info[:3]),
    "extensionSuffix": importlib.machinery.EXTENSION_SUFFIXES[0],
    "machine": platform.machine(),
    "hasServer": importlib.util.find_spec("gpu2ascend") is not None,
}))
`;

/** A start of Python is tens of milliseconds; a shim that hangs must not hang the editor. */
const PROBE_TIMEOUT_MS = 15_000;

/**
 * Runs an interpreter to learn what it is.
 *
 * @throws Error if it does not start, does not answer in time, or is no Python.
 */
export async function probePython(command: PythonCommand): Promise<PythonFacts> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      command.program,
      [...command.args, "-I", "-c", PROBE],
      { timeout: PROBE_TIMEOUT_MS, windowsHide: true },
      (error, stdout) => {
        if (error === null) {
          resolve(stdout);
        } else {
          reject(new Error(error.message, { cause: error }));
        }
      },
    );
  });
  return parseProbe(output);
}

/** The answer of the probe, which may follow what a `sitecustomize` prints. */
export function parseProbe(output: string): PythonFacts {
  const line = output.trim().split(/\r?\n/).at(-1) ?? "";
  let facts: Partial<Record<keyof PythonFacts, unknown>> | null;
  try {
    facts = JSON.parse(line) as typeof facts;
  } catch {
    throw new Error(`not the answer of a Python: ${line.slice(0, 200)}`);
  }
  const { executable, version, extensionSuffix, machine, hasServer } = facts ?? {};
  if (
    typeof executable !== "string" ||
    !isVersion(version) ||
    typeof extensionSuffix !== "string" ||
    typeof machine !== "string"
  ) {
    throw new Error(`not the answer of a Python: ${line.slice(0, 200)}`);
  }
  return { executable, version, extensionSuffix, machine, hasServer: hasServer === true };
}

function isVersion(value: unknown): value is PythonFacts["version"] {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number");
}
