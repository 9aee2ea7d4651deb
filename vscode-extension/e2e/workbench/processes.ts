/** The processes that a workbench has started. */

import { execFileSync } from "node:child_process";

/** Those of servers that were started by what is in their command line. */
export function servers(...marks: readonly string[]): number[] {
  const list = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return list
    .filter((line) => marks.every((mark) => line.includes(mark)))
    .map((line) => Number.parseInt(line, 10));
}
