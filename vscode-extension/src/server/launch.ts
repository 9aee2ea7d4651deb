/** The command line that starts the server. */

import type { Choice } from "../python/choose";
import type { PythonCommand } from "../python/probe";

/** A process to start. Two that are equal need no restart between them. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The program with arguments. What the user has set is started as it is, for it may be a script that prepares
 * an environment; of a shim, a launcher or a link, what stands behind it.
 *
 * `-I` keeps the project's modules, PYTHONPATH and the user's packages out of it: an `enum.py` beside the
 * user's code would otherwise end it at once.
 */
export function programOf(choice: Choice, bundledScript: string, args: readonly string[]): Launch {
  const program = choice.strategy === "fromEnvironment" ? ["-m", "gpu2ascend"] : [bundledScript];
  const { source, command } = choice.candidate;
  const asked: PythonCommand =
    source === "setting" ? command : { program: choice.facts.executable, args: [] };
  return { command: asked.program, args: [...asked.args, "-I", ...program, ...args] };
}

/** The server's process. */
export function launchOf(choice: Choice, bundledScript: string): Launch {
  return programOf(choice, bundledScript, ["lsp"]);
}

export function sameLaunch(one: Launch | undefined, other: Launch | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
