/** The filter of the view: words that all must be in a finding, and severities of which it must have one. */

import type { Finding, SeverityName } from "../server/protocol";

const SEVERITIES: readonly SeverityName[] = ["error", "warning", "information", "hint"];

/** The findings that a filter lets through; `@error` is a severity, any other word a part of what is shown. */
export function filtered(findings: readonly Finding[], filter: string): readonly Finding[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const severities = SEVERITIES.filter((name) => words.some((word) => isShortFor(word, name)));
  const texts = words.filter((word) => !word.startsWith("@"));
  if (words.length === 0) {
    return findings;
  }
  return findings.filter((finding) => {
    const { path, code, rule, message, api, severity } = finding;
    const shown = [path, code, rule, message, api].join("\n").toLowerCase();
    return (
      (severities.length === 0 || severities.includes(severity)) &&
      texts.every((text) => shown.includes(text))
    );
  });
}

/** Whether a word is a severity, or the beginning of one, while it is typed. */
function isShortFor(word: string, name: SeverityName): boolean {
  return word.startsWith("@") && word.length > 1 && `@${name}`.startsWith(word);
}
