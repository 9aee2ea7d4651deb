/** The processes that a workbench has started. */

import { execFileSync } from "node:child_process";

/**
 * Those of servers that were started by what is in their command line.
 *
 * A process that a server starts has the command line of the server until it runs its own program: it is none.
 */
export function servers(...marks: readonly string[]): number[] {
  const list = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const marked = list
    .filter((line) => marks.every((mark) => line.includes(mark)))
    .map((line) => line.trim().split(/\s+/, 2).map(Number));
  const all = new Set(marked.map(([pid]) => pid));
  return marked.filter(([, parent]) => !all.has(parent)).map(([pid]) => pid ?? 0);
}
