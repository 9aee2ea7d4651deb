/** The findings of an analysis, kept true while files change: what the editor reports of a file replaces what was known. */

import type { Range } from "vscode-languageclient";

import type { Finding, SeverityName } from "../server/protocol";

/** What the editor reports of a file at the moment. */
export interface Reported {
  readonly code: string;
  readonly message: string;
  readonly severity: SeverityName;
  readonly range: Range;
}

/** A file, as its findings name it. */
export interface FileOf {
  readonly file: string;
  /** Relative to its folder, with `/`. */
  readonly path: string;
}

/**
 * The findings with those of one file replaced. What is reported as before stays what it was, but for its place;
 * of what is new only the server knows whether it has a fix, so that none is offered before the next analysis.
 */
export function replaced(
  findings: readonly Finding[],
  { file, path }: FileOf,
  reported: readonly Reported[],
): readonly Finding[] {
  const known = new Map<string, Finding[]>();
  const families = new Map<string, Finding>();
  for (const finding of findings) {
    families.set(finding.code, finding);
    if (finding.file === file) {
      const same = known.get(keyOf(finding));
      if (same === undefined) {
        known.set(keyOf(finding), [finding]);
      } else {
        same.push(finding);
      }
    }
  }
  const now = reported.map((item): Finding => {
    const before = known.get(keyOf(item))?.shift();
    const { family = "", rule = "" } = families.get(item.code) ?? {};
    const unknown = { family, rule, kind: "", api: null, applicability: "manual", cell: null } as const;
    return { ...(before ?? unknown), ...item, file, path };
  });
  return [...findings.filter((finding) => finding.file !== file), ...now];
}

function keyOf({ code, severity, message }: Pick<Finding, "code" | "severity" | "message">): string {
  return JSON.stringify([code, severity, message]);
}
