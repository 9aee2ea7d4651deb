/** What is to be done with a migrated project, as a list to tick off. */

import type { CompletedMigration } from "../server/protocol";
import type { Verification } from "../verify/record";

export const STEPS = ["errors", "apply", "environment", "install", "launch", "pythonPath", "verify"] as const;
export type StepId = (typeof STEPS)[number];

export interface Step {
  readonly id: StepId;
  /** What is typed for it in a terminal. */
  readonly command: string | null;
  /** Of how many findings it is about. */
  readonly count: number;
  /** How many of them the picture of the result does not count as offered, by why. */
  readonly beside: Readonly<Record<"unsupported" | "advice", number>>;
}

/** The steps of a result, in the order in which they are made: what is wrong comes before what is to be run. */
export function stepsOf(result: CompletedMigration): readonly Step[] {
  const commands = new Map((result.steps ?? []).map(({ id, command }) => [id, command]));
  // As many as the preview of the fixes shows, of APIs without a counterpart too.
  const offered = result.findings.filter(({ applicability }) => applicability !== "manual");
  const of = (wanted: string): number => offered.filter(({ kind }) => kind === wanted).length;
  const none = { unsupported: 0, advice: 0 };
  const counts: Partial<Record<StepId, number>> = {
    errors: result.summary.errors - (result.summary.errorsBeside ?? 0),
    apply: offered.length,
    verify: result.isSimulated === false ? 0 : 1,
  };
  return STEPS.flatMap((id): Step[] => {
    const command = commands.get(id) ?? null;
    const count = counts[id] ?? 0;
    const beside = id === "apply" ? { unsupported: of("unsupported"), advice: of("advice") } : none;
    return command === null && count === 0 ? [] : [{ id, command, count, beside }];
  });
}

/** Whether a step is done: ticked by the user, or known from the last run. */
export function isDone(id: StepId, ticked: readonly string[], verification: Verification): boolean {
  return ticked.includes(id) || (id === "verify" && verification.state === "passed");
}

/** The ticked steps after one was ticked, or no longer is. */
export function withStep(ticked: readonly string[], id: string, done: boolean): readonly string[] {
  const others = ticked.filter((name) => name !== id);
  return done ? [...others, id] : others;
}

export function isStep(id: unknown): id is StepId {
  return STEPS.some((step) => step === id);
}
