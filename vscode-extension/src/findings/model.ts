/** The findings of an analysis as a tree: by file or by kind, and in a group each cause once, with its places. */

import type { Finding, SeverityName } from "../server/protocol";

export type Grouping = "file" | "kind" | "severity";

export interface FindingGroup {
  readonly kind: "group";
  /** The path of a file in its project, the code of a rule, or a severity. */
  readonly name: string;
  readonly worst: SeverityName;
  readonly findings: readonly Finding[];
}

/** One thing to know that holds at several places of a group. */
export interface FindingCause {
  readonly kind: "cause";
  readonly findings: readonly [Finding, ...Finding[]];
}

const GRAVITY: Readonly<Record<SeverityName, number>> = { error: 0, warning: 1, information: 2, hint: 3 };

/**
 * Groups, the gravest first, then by name; their findings by place. Two folders of a workspace may each have a
 * file of the same path: they are two groups.
 */
export function groupFindings(findings: readonly Finding[], grouping: Grouping): FindingGroup[] {
  const members = new Map<string, { name: string; group: Finding[] }>();
  for (const finding of findings) {
    const key = keyOf(finding, grouping);
    const known = members.get(key);
    if (known === undefined) {
      members.set(key, { name: grouping === "file" ? finding.path : key, group: [finding] });
    } else {
      known.group.push(finding);
    }
  }
  return [...members.values()]
    .map(({ name, group }): FindingGroup => ({
      kind: "group",
      name,
      worst: worstOf(group),
      findings: byPlace(group),
    }))
    .sort((one, other) => GRAVITY[one.worst] - GRAVITY[other.worst] || compare(one.name, other.name));
}

function keyOf({ file, code, severity }: Finding, grouping: Grouping): string {
  return { file, kind: code, severity }[grouping];
}

/**
 * What a group tells: each cause once, in the order of the first places. Findings have a cause in common when
 * rule, severity and message are the same; one that holds at a single place is the finding itself.
 */
export function causesOf(findings: readonly Finding[]): (FindingCause | Finding)[] {
  const causes = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.code, finding.severity, finding.message]);
    const known = causes.get(key);
    if (known === undefined) {
      causes.set(key, [finding]);
    } else {
      known.push(finding);
    }
  }
  return [...causes.values()].map((places) =>
    places.length === 1 ? places[0] : { kind: "cause", findings: places },
  );
}

function worstOf(findings: readonly Finding[]): SeverityName {
  const [first, ...rest] = findings.map(({ severity }) => severity);
  return rest.reduce((worst, next) => (GRAVITY[next] < GRAVITY[worst] ? next : worst), first ?? "hint");
}

function byPlace(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (one, other) =>
      compare(one.path, other.path) ||
      compare(one.file, other.file) ||
      (one.cell ?? 0) - (other.cell ?? 0) ||
      one.range.start.line - other.range.start.line ||
      one.range.start.character - other.range.start.character,
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
