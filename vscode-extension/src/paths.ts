/** Paths as people write them. */

import * as os from "node:os";
import * as path from "node:path";

/** `~`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}`, which users expect to work in a path. */
export function expandPath(text: string, folder: string | undefined): string {
  const expanded = text
    .replace(/^~(?=$|[\\/])/, os.homedir())
    .replaceAll("${userHome}", os.homedir())
    .replaceAll("${workspaceFolder}", folder ?? "")
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
  const isRelativePath = /[\\/]/.test(expanded) && !path.isAbsolute(expanded);
  return isRelativePath && folder !== undefined ? path.join(folder, expanded) : expanded;
}
