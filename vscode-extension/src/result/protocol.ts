/** The messages between the result page and the extension. */

import { isRecord } from "../records";
import type { CompletedMigration } from "../server/protocol";
import type { Verification } from "../verify/record";
import { isStep, type StepId } from "./steps";

export type ResultTexts = Readonly<
  Record<
    | "title"
    | "complete"
    | "incomplete"
    | "madeFor"
    | "openFolder"
    | "openReport"
    | "showLog"
    | "compareAll"
    | "edits"
    | "oneEdit"
    | "changedFiles"
    | "unsupported"
    | "left"
    | "picture"
    | "pictureMigrated"
    | "pictureReplaced"
    | "pictureUnsafe"
    | "pictureUnsupported"
    | "pictureManual"
    | "files"
    | "filesNone"
    | "compare"
    | "findings"
    | "advice"
    | "besideTraining"
    | "findingsNone"
    | "reports"
    | "verify"
    | "verification"
    | "verificationNone"
    | "verificationRunning"
    | "verificationStale"
    | "verificationLines"
    | "byFile"
    | "byKind"
    | "error"
    | "warning"
    | "information"
    | "hint"
    | "steps"
    | "stepErrors"
    | "stepApply"
    | "stepApplyUnsupported"
    | "stepApplyAdvice"
    | "stepEnvironment"
    | "stepInstall"
    | "stepLaunch"
    | "stepPythonPath"
    | "stepVerify"
    | "stepsDone"
    | "showPart"
    | "applyFixes"
    | "applyOneFix"
    | "copy"
    | "copyPrompt"
    | "handOver"
    | "gone",
    string
  >
>;

export type ToResult =
  | {
      readonly type: "show";
      readonly id: string;
      readonly result: CompletedMigration;
      readonly verification: Verification;
      /** The steps that are ticked off. */
      readonly done: readonly string[];
      /** Whether there is a chat to hand what is left to. */
      readonly hasChat: boolean;
      readonly texts: ResultTexts;
    }
  | { readonly type: "done"; readonly done: readonly string[]; readonly texts: ResultTexts }
  | { readonly type: "verification"; readonly verification: Verification; readonly texts: ResultTexts }
  | { readonly type: "gone"; readonly texts: ResultTexts };

export type FromResult =
  | { readonly type: "ready" }
  | { readonly type: "compare"; readonly index: number }
  | { readonly type: "compareAll" }
  | { readonly type: "reveal"; readonly index: number }
  | { readonly type: "openFolder" }
  | { readonly type: "verify" }
  | { readonly type: "openReport"; readonly index: number }
  | { readonly type: "tick"; readonly id: StepId; readonly done: boolean }
  | { readonly type: "copy"; readonly id: StepId }
  | { readonly type: "applyFixes" }
  | { readonly type: "copyPrompt" }
  | { readonly type: "handOver" }
  | { readonly type: "showLog" };

/** By what the findings of a result page are put together. */
export type Grouping = "file" | "kind";

/** What a result page keeps of itself while it is hidden, and over a reload of the window. */
export interface ResultState {
  readonly id: string;
  readonly grouping: Grouping;
  /** The groups of findings that are open; null as long as none was opened or closed. */
  readonly open: readonly string[] | null;
  /** How far down the page was scrolled, in pixels. */
  readonly scrolled: number;
}

/** The message, if it is one that a result page sends. */
export function fromResult(message: unknown): FromResult | undefined {
  const { type, index, id, done } = isRecord(message) ? message : {};
  switch (type) {
    case "tick":
      return isStep(id) && typeof done === "boolean" ? { type, id, done } : undefined;
    case "copy":
      return isStep(id) ? { type, id } : undefined;
    case "applyFixes":
    case "copyPrompt":
    case "handOver":
    case "ready":
    case "compareAll":
    case "openFolder":
    case "verify":
    case "showLog":
      return { type };
    case "compare":
    case "reveal":
    case "openReport":
      return typeof index === "number" && Number.isInteger(index) && index >= 0 ? { type, index } : undefined;
    default:
      return undefined;
  }
}

/** The message, if it is one for a result page; the page hears whatever is posted to its window. */
export function toResult(message: unknown): ToResult | undefined {
  const { type, id, result, verification, done, texts } = isRecord(message) ? message : {};
  const isShow =
    type === "show" &&
    typeof id === "string" &&
    isRecord(result) &&
    isRecord(verification) &&
    Array.isArray(done);
  const isDone = type === "done" && Array.isArray(done);
  const isVerification = type === "verification" && isRecord(verification);
  const isKnown = isShow || isDone || isVerification || type === "gone";
  return isKnown && isRecord(texts) ? (message as ToResult) : undefined;
}

/** What was kept, if it still has the form that it should have. */
export function resultState(state: unknown): ResultState | undefined {
  const { id, grouping, open, scrolled } = isRecord(state) ? state : {};
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) {
    return undefined;
  }
  const isList = Array.isArray(open) && open.every((name) => typeof name === "string");
  return {
    id,
    grouping: grouping === "kind" ? grouping : "file",
    open: isList ? open : null,
    scrolled: typeof scrolled === "number" ? scrolled : 0,
  };
}
