/** Scripts by the name of the program that start it as the extension does, for shells that have it on their path. */

import type { Launch } from "../server/launch";

/** File names and contents: for a POSIX shell and, with `.cmd`, for Windows. */
export function shims({ command, args }: Launch): Readonly<Record<string, string>> {
  const words = [command, ...args];
  return {
    gpu2ascend: `#!/bin/sh\nexec ${words.map(posix).join(" ")} "$@"\n`,
    "gpu2ascend.cmd": `@${words.map(batch).join(" ")} %*\r\n`,
  };
}

function posix(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function batch(word: string): string {
  return `"${word.replaceAll("%", "%%")}"`;
}
