/** The command line that starts the server. */

import type { Choice } from "../python/choose";

/** A process to start. Two that are equal need no restart between them. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The server's process.
 *
 * `-I` keeps the project's modules, PYTHONPATH and the user's packages out of it: an `enum.py` beside the
 * user's code would otherwise end it at once.
 */
export function launchOf(choice: Choice, bundledScript: string): Launch {
  const server = choice.strategy === "fromEnvironment" ? ["-m", "gpu2ascend"] : [bundledScript];
  return { command: choice.facts.executable, args: ["-I", ...server, "lsp"] };
}

export function sameLaunch(one: Launch | undefined, other: Launch | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
