/** The one cause that is told of why no interpreter is used: that of the setting, else the one nearest to a use. */

import type { Rejection } from "./choose";

export type Cause =
  | { readonly kind: "none" }
  | { readonly kind: "missing" | "broken"; readonly rejection: Rejected<"unstartable"> }
  | { readonly kind: "tooOld"; readonly rejection: Rejected<"tooOld"> }
  | { readonly kind: "notBundledFor"; readonly rejection: Rejected<"notBundledFor"> };

type Rejected<Kind extends Rejection["kind"]> = Extract<Rejection, { readonly kind: Kind }>;

/** The later, the nearer to a use. */
const NEARNESS: readonly Cause["kind"][] = ["none", "missing", "broken", "tooOld", "notBundledFor"];

export function causeOf(rejections: readonly Rejection[]): Cause {
  const causes = rejections.map(ownCause);
  const [nearest] = causes.toSorted(
    (one, other) => NEARNESS.indexOf(other.kind) - NEARNESS.indexOf(one.kind),
  );
  return nearest ?? { kind: "none" };
}

/** A program that is not there is missed only where the user has named it. */
function ownCause(rejection: Rejection): Cause {
  if (rejection.kind === "tooOld") {
    return { kind: "tooOld", rejection };
  }
  if (rejection.kind === "notBundledFor") {
    return { kind: "notBundledFor", rejection };
  }
  if (!rejection.reason.includes("ENOENT")) {
    return { kind: "broken", rejection };
  }
  return rejection.candidate.source === "setting" ? { kind: "missing", rejection } : { kind: "none" };
}
