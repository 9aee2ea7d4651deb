/** What was last entered in the dialog: by workspace, and in it by folder. */

import type * as vscode from "vscode";

import { isRecord } from "../records";
import type { FormValues } from "./form";
import { isValues } from "./protocol";

const KEY = "gpu2ascend.dialog.entered";
/** Of so many folders it is remembered. */
const KEPT = 20;

interface Draft {
  readonly folder: string;
  readonly values: FormValues;
}

export class Drafts {
  constructor(private readonly memory: vscode.Memento) {}

  /** What was entered for a folder. */
  of(folder: string): FormValues | undefined {
    return this.all().find((draft) => draft.folder === folder)?.values;
  }

  /** What was entered last, for whatever folder. */
  latest(): FormValues | undefined {
    return this.all()[0]?.values;
  }

  write(folder: string, values: FormValues): Thenable<void> {
    const others = this.all().filter((draft) => draft.folder !== folder);
    return this.memory.update(KEY, [{ folder, values }, ...others].slice(0, KEPT));
  }

  private all(): readonly Draft[] {
    const kept = this.memory.get<unknown>(KEY);
    return Array.isArray(kept) ? kept.filter(isDraft) : [];
  }
}

function isDraft(value: unknown): value is Draft {
  return isRecord(value) && typeof value.folder === "string" && isValues(value.values);
}
