/** How the rows of findings name a place in a file. */

import type { Finding } from "../server/protocol";

/** The line; of a notebook, the cell and the line in it. */
export function placeIn({ cell, range }: Pick<Finding, "cell" | "range">): string {
  const line = range.start.line + 1;
  return cell === null ? String(line) : `[${cell}]:${line}`;
}
