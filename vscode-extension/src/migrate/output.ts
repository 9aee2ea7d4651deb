/** Where a migrated project goes by default. */

import * as path from "node:path";

/** Beside the project, in a separate folder: an output must not hold its input. */
export function defaultOutput(project: string): string {
  return path.join(path.dirname(project), "ascend");
}
