/** The folders that a tool of a chat may be pointed at: what its user has opened, and what was migrated here. */

import * as path from "node:path";

import { ToolError } from "./answers";

/**
 * The absolute path that a model means; relative ones are of the first folder.
 *
 * @throws ToolError if it is none of the folders and in none of them.
 */
export function placeIn(folders: readonly string[], given: string): string {
  const [first] = folders;
  if (first === undefined) {
    throw new ToolError("No folder is open.");
  }
  const place = path.resolve(first, given);
  if (!folders.some((folder) => isWithin(place, folder))) {
    throw new ToolError(`${given} is outside of the workspace (${folders.join(", ")}). Name a path in it.`);
  }
  return place;
}

/** The innermost folder that holds a place; the place itself where none does. */
export function folderOf(folders: readonly string[], place: string): string {
  const around = folders.filter((folder) => isWithin(place, folder));
  return around.reduce(
    (inner, folder) => (folder.length > inner.length ? folder : inner),
    around[0] ?? place,
  );
}

/**
 * What an analysis looks at: a folder, or places in it.
 *
 * @throws ToolError if a path is outside of the folders, or the paths are of several.
 */
export function lookAt(
  folders: readonly string[],
  paths: readonly string[],
): { readonly folder: string; readonly paths?: readonly string[] } {
  const places = paths.map((given) => placeIn(folders, given));
  const [folder, other] = new Set(places.map((place) => folderOf(folders, place)));
  if (folder === undefined || other !== undefined) {
    throw new ToolError("Name paths of one folder of the workspace.");
  }
  return places.includes(folder) ? { folder } : { folder, paths: places };
}

function isWithin(place: string, folder: string): boolean {
  const way = path.relative(folder, place);
  return !path.isAbsolute(way) && way.split(path.sep)[0] !== "..";
}
