/** Folders and those that they lie in. */

/**
 * The folders with all above them, up to and with the tops.
 *
 * @param above Gives the folder that holds another.
 */
export function foldersAbove(
  folders: Iterable<string>,
  tops: readonly string[],
  above: (folder: string) => string,
): Set<string> {
  const ends = new Set(tops);
  const found = new Set<string>();
  for (const folder of folders) {
    let at = folder;
    while (!found.has(at)) {
      found.add(at);
      const next = above(at);
      if (ends.has(at) || next === at) {
        break;
      }
      at = next;
    }
  }
  return found;
}
