/** A task of tasks.json as the command line of `gpu2ascend migrate`. */

import type { OptionSchema } from "../server/protocol";

/** The arguments after `gpu2ascend`. Properties that are no options are the editor's own and are left out. */
export function taskArguments(
  definition: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, OptionSchema>>,
): string[] {
  const args = ["migrate"];
  for (const [name, value] of Object.entries(definition)) {
    const flags = schema[name]?.flags ?? [];
    const flag = flags.find((spelling) => spelling.startsWith("--")) ?? flags[0];
    if (flag === undefined || value === null || value === false || value === undefined) {
      continue;
    }
    args.push(flag);
    if (value !== true) {
      args.push(argument(value));
    }
  }
  return args;
}

/** A list and a map are one argument, with commas; a text is taken as it is. */
function argument(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return String(value);
  }
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : Object.entries(value).map(([name, item]) => `${name}=${String(item)}`);
  return items.map(String).join(",");
}
