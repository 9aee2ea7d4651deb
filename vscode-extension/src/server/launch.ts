/** The command line that starts the server. */

import type { Bundle } from "../python/bundle";
import type { Choice } from "../python/choose";
import type { PythonCommand } from "../python/start";

/** A process to start. Two that are equal need no restart between them. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Where a server runs: no project's. */
  readonly directory: string;
}

/**
 * The program with arguments. What the user has set is started as it is, for it may be a script that prepares
 * an environment; of a shim, a launcher or a link, what stands behind it.
 */
export function programOf(choice: Choice, bundle: Bundle, args: readonly string[]): Launch {
  const program =
    choice.strategy === "fromEnvironment" ? ["-I", "-m", "gpu2ascend", ...args] : bundle.running(args);
  const { source, command } = choice.candidate;
  const asked: PythonCommand =
    source === "setting" ? command : { program: choice.facts.executable, args: [] };
  return { command: asked.program, args: [...asked.args, ...program], directory: bundle.directory };
}

/** The server's process, once it is known on which interpreter it runs. */
export function launchOf(choice: Choice, bundle: Bundle): Launch {
  return programOf(choice, bundle, ["lsp"]);
}

export function sameLaunch(one: Launch | undefined, other: Launch | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
