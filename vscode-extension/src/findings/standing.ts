/** Whether a finding can keep the training from running: what lists of findings are put in order by. */

import type { Finding } from "../server/protocol";

/** The first is what comes first. */
export const STANDINGS = ["way", "beside", "advice"] as const;
export type Standing = (typeof STANDINGS)[number];

/** Of advice and hints, `advice`; of a finding in a file that no training reaches, `beside`. */
export function standingOf(finding: Finding): Standing {
  if (isAdvice(finding)) {
    return "advice";
  }
  return finding.onTheWay === false ? "beside" : "way";
}

/** Whether code runs as well without it. */
export function isAdvice({ kind, severity }: Finding): boolean {
  return kind === "advice" || severity === "hint";
}

/** The first standing of several findings. */
export function firstStanding(findings: readonly Finding[]): Standing {
  const found = new Set(findings.map(standingOf));
  return STANDINGS.find((standing) => found.has(standing)) ?? "way";
}
