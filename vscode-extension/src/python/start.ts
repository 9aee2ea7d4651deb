/** Starting an interpreter, and hearing from it what it is. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

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
  /** Whether its own environment has gpu2ascend; only known where that is asked for. */
  readonly hasServer: boolean;
  /** Whether it has the SDK that `gpu2ascend mcp` needs. */
  readonly hasAgents: boolean;
}

/** A Python that has said what it is and goes on with its script. */
export interface StartedPython {
  readonly facts: PythonFacts;
  readonly process: ChildProcessWithoutNullStreams;
}

/** What `bundled/run_server.py` writes before its facts. */
const ANNOUNCEMENT = "gpu2ascend runs on ";

/** A start of Python is tens of milliseconds; a shim that hangs must not hang the editor. */
const TIMEOUT_MS = 15_000;

/**
 * Starts Python in a directory of ours and without variables of Python's.
 *
 * The editor's current directory may be a project's. Windows looks there for a program first, and for libraries.
 */
export function spawnPython(
  program: string,
  args: readonly string[],
  directory: string,
): ChildProcessWithoutNullStreams {
  const names = Object.keys(process.env).filter((name) => !/^(__)?PY(THON|VENV)/i.test(name));
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return spawn(program, args, { windowsHide: true, cwd: directory, env });
}

/**
 * Starts a script that announces what it runs on, and goes on meanwhile.
 *
 * @param directory Where it runs.
 * @throws Error if it does not start, ends or says nothing in time: it is no Python, or a broken one.
 */
export async function startPython(
  command: PythonCommand,
  args: readonly string[],
  directory: string,
): Promise<StartedPython> {
  const child = spawnPython(command.program, [...command.args, ...args], directory);
  try {
    return { facts: parseFacts(await announcement(child)), process: child };
  } catch (error) {
    child.kill();
    throw error;
  }
}

/** The first line that is an announcement, whatever the environment has printed before it. */
async function announcement(child: ChildProcessWithoutNullStreams): Promise<string> {
  let said = "";
  const heard = new AbortController();
  // Writing to a process that has ended is no news: its end is.
  child.stdin.on("error", () => undefined);
  try {
    return await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`it has said nothing for ${TIMEOUT_MS / 1000} s`));
      }, TIMEOUT_MS);
      const listen = (text: Buffer): void => {
        said += text.toString();
        const line = announced(said);
        if (line !== undefined) {
          resolve(line);
        }
      };
      const end = (code: number | null): void => {
        const lastWords = said.trim().split(/\r?\n/).at(-1) ?? "";
        reject(new Error(lastWords === "" ? `it has ended with exit code ${code}` : lastWords));
      };
      child.stderr.on("data", listen);
      child.once("error", reject);
      child.once("close", end);
      heard.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        child.stderr.off("data", listen);
        // What it says from now on waits for its new owner: it may be why it ends.
        child.stderr.pause();
        child.off("close", end);
      });
    });
  } finally {
    heard.abort();
  }
}

/** What is announced by a complete line of a text. */
export function announced(text: string): string | undefined {
  const lines = text.split("\n").slice(0, -1);
  return lines.find((line) => line.startsWith(ANNOUNCEMENT))?.slice(ANNOUNCEMENT.length);
}

/** @throws Error for what no interpreter says. */
export function parseFacts(line: string): PythonFacts {
  let facts: Partial<Record<keyof PythonFacts, unknown>> | null;
  try {
    facts = JSON.parse(line) as typeof facts;
  } catch {
    throw new Error(`not the answer of a Python: ${line.slice(0, 200)}`);
  }
  const { executable, version, extensionSuffix, machine, hasServer, hasAgents } = facts ?? {};
  if (
    typeof executable !== "string" ||
    !isVersion(version) ||
    typeof extensionSuffix !== "string" ||
    typeof machine !== "string"
  ) {
    throw new Error(`not the answer of a Python: ${line.slice(0, 200)}`);
  }
  const known = { executable, version, extensionSuffix, machine };
  return { ...known, hasServer: hasServer === true, hasAgents: hasAgents === true };
}

function isVersion(value: unknown): value is PythonFacts["version"] {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number");
}
