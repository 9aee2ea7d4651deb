/** The parts of a migration's picture. */

import { firstStanding, isAdvice, STANDINGS } from "../findings/standing";
import type { CompletedMigration, Finding } from "../server/protocol";

export interface Part {
  readonly id: "migrated" | "replaced" | "offered" | "unsupported" | "manual";
  readonly count: number;
}

/**
 * How much was done and how much is left: edits that were made, those among them that put an equivalent in the
 * place of an API, which are counted apart, fixes that are offered but not made by
 * themselves, APIs that have no counterpart, and what else a person must look at.
 */
export function tally(result: CompletedMigration): readonly Part[] {
  const left = result.findings.filter((finding) => !isAdvice(finding));
  const count = (wanted: (finding: Finding) => boolean): number => left.filter(wanted).length;
  const isUnsupported = ({ kind }: Finding): boolean => kind === "unsupported";
  const isOffered = (finding: Finding): boolean =>
    !isUnsupported(finding) && finding.applicability !== "manual";
  return [
    { id: "migrated", count: result.summary.edits - result.summary.replaced },
    { id: "replaced", count: result.summary.replaced },
    { id: "offered", count: count(isOffered) },
    { id: "unsupported", count: count(isUnsupported) },
    { id: "manual", count: count((finding) => !isUnsupported(finding) && !isOffered(finding)) },
  ];
}

/** Findings by what they have in common, those on the way of the training first, then in their order. */
export function grouped(
  findings: readonly Finding[],
  key: (finding: Finding) => string,
): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  findings.forEach((finding, index) => {
    const name = key(finding);
    const group = groups.get(name) ?? [];
    group.push(index);
    groups.set(name, group);
  });
  const standing = (indices: readonly number[]): number =>
    STANDINGS.indexOf(firstStanding(indices.flatMap((index) => findings[index] ?? [])));
  return new Map([...groups].sort(([, one], [, other]) => standing(one) - standing(other)));
}
