/**
 * How text from a project is written where the editor reads markup.
 *
 * File names, strings and the texts of a project's own rules come from the author of the project. The server has
 * the same functions for its own formats.
 */

/** Shows nothing and has no width; between two characters it keeps them from being read as one sign. */
const WORD_JOINER = "\u2060";

const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2061-\u2069\ufeff\ufff9-\ufffb]/g;

const MARKUP = new RegExp(
  [
    "`[^`\\n]+`", // code, which stays
    "[\\\\*[\\]<>|~$]", // emphasis, links, HTML, tables, icons
    "(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])", // emphasis; inside a word it is none
    "^[^\\S\\n]*(?:[#+=-]|\\d+(?=[.)]))", // headings, lists, rules
    "`", // code that never ends
    "&(?=#|\\w+;)", // entities
    ":(?=//)|@(?=\\w)|(?<=\\bwww)\\.", // what becomes a link without brackets
  ].join("|"),
  "gimu",
);

/** The text with characters that are not seen, or that turn what follows around, written out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A text for a notification, a label or the status bar, where `[text](target)` would be a link, which may run a
 * command, and `$(name)` a picture.
 */
export function label(text: string): string {
  return visible(text).replace(/\](?=\()|\$(?=\()/g, `$&${WORD_JOINER}`);
}

/** A message as Markdown: words in backquotes are code, and all else is text. */
export function markdown(text: string): string {
  return visible(text).replace(MARKUP, inert);
}

/** Text in HTML, also within quotes. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function inert(found: string): string {
  if (found.length > 1 && found.startsWith("`")) {
    return found;
  }
  const sign = found.trimStart();
  const space = found.slice(0, found.length - sign.length);
  if ("`&:@.".includes(sign)) {
    return `${space}&#${sign.charCodeAt(0)};`;
  }
  return /^\d/.test(sign) ? `${space}${sign}${WORD_JOINER}` : `${space}\\${sign}`;
}
