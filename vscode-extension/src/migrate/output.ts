/** Where a migrated project goes if nobody says otherwise. */

import * as path from "node:path";

/** Beside the project, in a folder of its own: an output must not hold its input. */
export function defaultOutput(project: string): string {
  return path.join(path.dirname(project), "ascend");
}
