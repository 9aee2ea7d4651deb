/** What becomes of files with unsaved changes below a folder, before something reads that folder from disk. */

import { realpath } from "node:fs/promises";
import * as path from "node:path";

/** A file that is open in an editor. */
export interface OpenFile {
  readonly file: string;
  readonly isDirty: boolean;
  readonly save: () => PromiseLike<boolean>;
}

/** `undefined`: whoever was asked wants nothing to happen. */
export type Answer = "save" | "leave" | undefined;

/** Whether to go on, or the files that could not be saved. */
export type Settled =
  | { readonly status: "goOn" | "cancelled" }
  | { readonly status: "failed"; readonly files: readonly string[] };

/** Asks about the unsaved files below a folder, if there are any, and saves those and no others if that is the answer. */
export async function settleUnsaved(
  open: readonly OpenFile[],
  folder: string,
  ask: (files: readonly string[]) => PromiseLike<Answer>,
): Promise<Settled> {
  const top = await real(folder);
  const dirty = open.filter(({ isDirty }) => isDirty);
  const isInside = await Promise.all(dirty.map(async ({ file }) => isBelow(await real(file), top)));
  const unsaved = dirty.filter((_, position) => isInside[position]);
  if (unsaved.length === 0) {
    return { status: "goOn" };
  }
  const answer = await ask(unsaved.map(({ file }) => file));
  if (answer === undefined) {
    return { status: "cancelled" };
  }
  const failed: string[] = [];
  for (const file of answer === "save" ? unsaved : []) {
    if (!(await file.save())) {
      failed.push(file.file);
    }
  }
  return failed.length === 0 ? { status: "goOn" } : { status: "failed", files: failed };
}

function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== "" && !path.isAbsolute(way) && way.split(path.sep)[0] !== "..";
}

/** The path without links; of a file that is not there (any more), as far as its folders are. */
async function real(file: string): Promise<string> {
  const absolute = path.resolve(file);
  try {
    return await realpath(absolute);
  } catch {
    const above = path.dirname(absolute);
    return above === absolute ? absolute : path.join(await real(above), path.basename(absolute));
  }
}
