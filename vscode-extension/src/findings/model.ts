/** The findings of an analysis as a tree: two levels, by file or by kind. */

import type { Finding, SeverityName } from "../server/protocol";

export type Grouping = "file" | "kind";

export interface FindingGroup {
  readonly kind: "group";
  /** A path, or the code of a rule. */
  readonly name: string;
  readonly worst: SeverityName;
  readonly findings: readonly Finding[];
}

const GRAVITY: Readonly<Record<SeverityName, number>> = { error: 0, warning: 1, information: 2, hint: 3 };

/** Groups, the gravest first, then by name; their findings by place. */
export function groupFindings(findings: readonly Finding[], grouping: Grouping): FindingGroup[] {
  const members = new Map<string, Finding[]>();
  for (const finding of findings) {
    const name = grouping === "file" ? finding.path : finding.code;
    members.set(name, [...(members.get(name) ?? []), finding]);
  }
  return [...members]
    .map(([name, group]): FindingGroup => ({
      kind: "group",
      name,
      worst: worstOf(group),
      findings: byPlace(group),
    }))
    .sort((one, other) => GRAVITY[one.worst] - GRAVITY[other.worst] || compare(one.name, other.name));
}

function worstOf(findings: readonly Finding[]): SeverityName {
  const [first, ...rest] = findings.map(({ severity }) => severity);
  return rest.reduce((worst, next) => (GRAVITY[next] < GRAVITY[worst] ? next : worst), first ?? "hint");
}

function byPlace(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (one, other) =>
      compare(one.path, other.path) ||
      one.range.start.line - other.range.start.line ||
      one.range.start.character - other.range.start.character,
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
