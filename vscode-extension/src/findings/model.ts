/** The findings of an analysis as a tree: by file or by kind, and in a group each cause once, with its places. */

import type { Finding, SeverityName } from "../server/protocol";
import { ShownOrder } from "./order";
import { firstStanding, type Standing, STANDINGS, standingOf } from "./standing";

export const GROUPINGS = ["file", "folder", "way", "kind", "severity"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface FindingGroup {
  readonly kind: "group";
  /** What tells it from all others: the path of a file or folder, the code of a rule, a severity or a standing. */
  readonly key: string;
  /** The path of a file or folder in its project, the code of a rule, a severity or a standing. */
  readonly name: string;
  readonly worst: SeverityName;
  readonly standing: Standing;
  readonly findings: readonly Finding[];
}

/** One thing to know that holds at several places of a group. */
export interface FindingCause {
  readonly kind: "cause";
  readonly findings: readonly [Finding, ...Finding[]];
}

const GRAVITY: Readonly<Record<SeverityName, number>> = { error: 0, warning: 1, information: 2, hint: 3 };

/**
 * Groups, those on the way of the training first, of these the gravest, then by name; their findings by place. Two folders of a workspace may each have a
 * file of the same path: they are two groups.
 */
export function groupFindings(findings: readonly Finding[], grouping: Grouping): FindingGroup[] {
  const members = new Map<string, { name: string; group: Finding[] }>();
  for (const finding of findings) {
    const key = keyOf(finding, grouping);
    const known = members.get(key);
    if (known === undefined) {
      members.set(key, { name: nameOf(finding, grouping), group: [finding] });
    } else {
      known.group.push(finding);
    }
  }
  return [...members]
    .map(([key, { name, group }]): FindingGroup => ({
      kind: "group",
      key,
      name,
      worst: worstOf(group),
      standing: firstStanding(group),
      findings: byPlace(group),
    }))
    .sort(
      (one, other) =>
        STANDINGS.indexOf(one.standing) - STANDINGS.indexOf(other.standing) ||
        GRAVITY[one.worst] - GRAVITY[other.worst] ||
        compare(one.name, other.name),
    );
}

/** What a rule says of files on the way of the training and beside it are two groups; a file is one. */
function keyOf(finding: Finding, grouping: Grouping): string {
  const standing = standingOf(finding);
  const apart = standing === "way" ? "" : ` ${standing}`;
  switch (grouping) {
    case "file":
      return finding.file;
    case "folder":
      // Two folders of a workspace may each have a folder of the same path.
      return finding.file.slice(0, finding.file.length - basename(finding.path).length);
    case "way":
      return standing;
    case "kind":
      return finding.code + apart;
    case "severity":
      return finding.severity + apart;
  }
}

function nameOf(finding: Finding, grouping: Grouping): string {
  const { path, code, severity } = finding;
  const folder = path.slice(0, -basename(path).length).replace(/\/$/, "");
  return { file: path, folder, way: standingOf(finding), kind: code, severity }[grouping];
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What stands below a group: files where it is of several, else what they tell. */
export function innerGrouping(grouping: Grouping): Grouping | undefined {
  return grouping === "folder" || grouping === "way" ? "file" : undefined;
}

/**
 * What a group tells: each cause once, in the order of the first places. Findings have a cause in common when
 * rule, severity and message are the same; one that holds at a single place is the finding itself.
 */
export function causesOf(findings: readonly Finding[]): (FindingCause | Finding)[] {
  const causes = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = causeKey(finding);
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

function causeKey({ code, severity, message }: Finding): string {
  return JSON.stringify([code, severity, message]);
}

/** A row of the tree. Its id is the same for as long as it is about the same, wherever that has moved. */
export type Row = GroupRow | CauseRow | FindingRow;

export interface GroupRow {
  readonly kind: "group";
  readonly id: string;
  readonly grouping: Grouping;
  /** Whether it stands below its folder. */
  readonly isInFolder: boolean;
  readonly group: FindingGroup;
}

/** One thing to know that holds at several places. */
export interface CauseRow {
  readonly kind: "cause";
  readonly id: string;
  /** Whether it stands below its file. */
  readonly isInFile: boolean;
  readonly findings: readonly [Finding, ...Finding[]];
}

export interface FindingRow {
  readonly kind: "finding";
  readonly id: string;
  readonly isInFile: boolean;
  readonly finding: Finding;
  /** Whether it is a place of a cause, which is told above it. */
  readonly isPlace: boolean;
}

/** The rows below one, or those at the top, in the order in which they are shown already. */
export function rowsOf(
  parent: Row | undefined,
  findings: readonly Finding[],
  grouping: Grouping,
  order = new ShownOrder(),
): Row[] {
  switch (parent?.kind) {
    case undefined:
      return groupRows({ id: "", grouping: undefined }, findings, grouping, order);
    case "group": {
      const inner = innerGrouping(parent.grouping);
      return inner === undefined
        ? causeRows(parent, order)
        : groupRows(parent, parent.group.findings, inner, order);
    }
    case "cause": {
      const rowOf = findingRows(parent.id, parent.isInFile);
      return parent.findings.map((finding) => rowOf(finding, true));
    }
    case "finding":
      return [];
  }
}

function groupRows(
  above: { readonly id: string; readonly grouping: Grouping | undefined },
  findings: readonly Finding[],
  grouping: Grouping,
  order: ShownOrder,
): GroupRow[] {
  const rows = groupFindings(findings, grouping).map((group): GroupRow => ({
    kind: "group",
    id: JSON.stringify([above.id, grouping, group.key]),
    grouping,
    isInFolder: above.grouping === "folder",
    group,
  }));
  return order.arrange(above.id, rows, ({ id }) => id);
}

function causeRows({ id, grouping, group }: GroupRow, order: ShownOrder): Row[] {
  const isInFile = grouping === "file";
  const rowOf = findingRows(id, isInFile);
  const items = order.arrange(id, causesOf(group.findings), (item) =>
    causeKey("findings" in item ? item.findings[0] : item),
  );
  return items.map((item) => {
    if (!("findings" in item)) {
      return rowOf(item, false);
    }
    return {
      kind: "cause",
      id: JSON.stringify([id, causeKey(item.findings[0])]),
      isInFile,
      findings: item.findings,
    };
  });
}

/** Makes the rows of findings below a row; two that look the same differ in their ids. */
function findingRows(above: string, isInFile: boolean): (finding: Finding, isPlace: boolean) => FindingRow {
  const taken = new Map<string, number>();
  return (finding, isPlace) => {
    const base = JSON.stringify([above, finding.file, finding.cell, causeKey(finding)]);
    const count = (taken.get(base) ?? 0) + 1;
    taken.set(base, count);
    return { kind: "finding", id: `${base}${count}`, isInFile, finding, isPlace };
  };
}

/** The findings that a row is about. */
export function findingsOf(row: Row): readonly Finding[] {
  switch (row.kind) {
    case "group":
      return row.group.findings;
    case "cause":
      return row.findings;
    case "finding":
      return [row.finding];
  }
}

/**
 * What is to be done at a place, in one line: what the safe fix does, else what is to be known.
 * Of several places it is that if it is the same at each.
 */
export function todoOf(findings: readonly [Finding, ...Finding[]]): string {
  const fixes = new Set(
    findings.map(({ applicability, fix }) => (applicability === "safe" ? (fix ?? "") : "")),
  );
  const [fix = ""] = fixes;
  return (fixes.size === 1 && fix !== "" ? fix : findings[0].message).replaceAll("`", "");
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
