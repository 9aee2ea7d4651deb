/** The text of the debug information, without what belongs to nobody else. */

/** Parts of addresses that may be secret: what stands before the host, and what follows a question mark. */
const CREDENTIALS = /(\w+:\/\/)[^/\s"@]*@/g;
const QUERY = /(\w+:\/\/[^\s"?]*)\?[^\s"]*/g;

/**
 * The information as a JSON text with a remark at its head.
 *
 * @param home The user's directory, which is written as `~`.
 * @param remark For its user; a single line.
 */
export function debugText(
  information: Readonly<Record<string, unknown>>,
  home: string,
  remark: string,
): string {
  const json = JSON.stringify(information, null, 2).replace(CREDENTIALS, "$1***@").replace(QUERY, "$1?***");
  const inJson = JSON.stringify(home).slice(1, -1);
  const text = home.length > 1 ? json.split(inJson).join("~") : json;
  return `// ${remark}\n${text}\n`;
}
