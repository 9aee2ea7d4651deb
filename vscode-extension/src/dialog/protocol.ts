/** The messages between the dialog and the extension, and their validation where they arrive. */

import { isRecord } from "../records";
import type { FolderOptions, Validation } from "../server/protocol";
import type { FormValue, FormValues } from "./form";

/** The dialog's own words; those of the options come from the server. */
export type DialogTexts = Readonly<
  Record<
    | "title"
    | "intro"
    | "browse"
    | "advanced"
    | "transplant"
    | "running"
    | "preview"
    | "target"
    | "noTarget"
    | "notDetected"
    | "proposals"
    | "tied"
    | "notChosen"
    | "required"
    | "ruleFile"
    | "retry"
    | "guide",
    string
  >
>;

/** From the extension to the dialog. */
export type ToDialog =
  | {
      readonly type: "show";
      readonly options: FolderOptions;
      readonly values: FormValues;
      readonly texts: DialogTexts;
      readonly running: boolean;
      /** Whether the dialog may take the focus: not where it is shown beside what the user works in. */
      readonly focus: boolean;
    }
  | { readonly type: "unavailable"; readonly reason: string; readonly texts: DialogTexts }
  | { readonly type: "validated"; readonly revision: number; readonly validation: Validation }
  | { readonly type: "picked"; readonly field: string; readonly path: string }
  | { readonly type: "running"; readonly running: boolean }
  /** What the form holds is to be checked again. */
  | { readonly type: "recheck" };

/** From the dialog to the extension. */
export type FromDialog =
  | { readonly type: "ready" }
  | { readonly type: "changed"; readonly revision: number; readonly values: FormValues }
  | { readonly type: "browse"; readonly field: string; readonly current: string }
  | { readonly type: "guide"; readonly field: string }
  | { readonly type: "transplant"; readonly values: FormValues }
  | { readonly type: "preview"; readonly values: FormValues };

/** What a dialog keeps of itself over a reload of the window. */
export interface DialogState {
  readonly folder: string | null;
  /** Whether the advanced options are open. */
  readonly advanced: boolean;
}

/** The message, if it is one that a dialog sends; a web view's content is not trusted blindly. */
export function fromDialog(message: unknown): FromDialog | undefined {
  if (!isRecord(message)) {
    return undefined;
  }
  const { type, revision, values, field, current } = message;
  switch (type) {
    case "ready":
      return { type };
    case "changed":
      return isCount(revision) && isValues(values) ? { type, revision, values } : undefined;
    case "browse":
      return typeof field === "string" && typeof current === "string" ? { type, field, current } : undefined;
    case "guide":
      return typeof field === "string" ? { type, field } : undefined;
    case "transplant":
    case "preview":
      return isValues(values) ? { type, values } : undefined;
    default:
      return undefined;
  }
}

const TO_DIALOG: Readonly<Record<ToDialog["type"], (message: Record<string, unknown>) => boolean>> = {
  show: ({ options, values, texts }) =>
    isRecord(options) && isRecord(options.schema) && isValues(values) && isRecord(texts),
  unavailable: ({ reason, texts }) => typeof reason === "string" && isRecord(texts),
  validated: ({ revision, validation }) =>
    isCount(revision) &&
    isRecord(validation) &&
    Array.isArray(validation.errors) &&
    Array.isArray(validation.notices),
  picked: ({ field, path }) => typeof field === "string" && typeof path === "string",
  running: ({ running }) => typeof running === "boolean",
  recheck: () => true,
};

/** The message, if it is one for a dialog; the page hears whatever is posted to its window. */
export function toDialog(message: unknown): ToDialog | undefined {
  const type = isRecord(message) ? message.type : undefined;
  if (!isRecord(message) || typeof type !== "string" || !Object.hasOwn(TO_DIALOG, type)) {
    return undefined;
  }
  return TO_DIALOG[type as ToDialog["type"]](message) ? (message as unknown as ToDialog) : undefined;
}

/** What was kept, if it still has the form that it should have. */
export function dialogState(state: unknown): DialogState {
  const { folder, advanced } = isRecord(state) ? state : {};
  return { folder: typeof folder === "string" ? folder : null, advanced: advanced === true };
}

/** Whether something read from storage are values of a form. */
export function isValues(value: unknown): value is FormValues {
  return isRecord(value) && Object.values(value).every(isValue);
}

function isValue(value: unknown): value is FormValue {
  if (value === null || ["string", "boolean", "number"].includes(typeof value)) {
    return true;
  }
  const items: unknown[] = Array.isArray(value)
    ? value
    : isRecord(value)
      ? Object.values(value)
      : [undefined];
  return items.every((item) => typeof item === "string");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}
