/** What was last entered in the dialog, by workspace. */

import type * as vscode from "vscode";

import type { FormValues } from "./form";
import { isValues } from "./protocol";

const KEY = "gpu2ascend.dialog.values";

export class Drafts {
  constructor(private readonly memory: vscode.Memento) {}

  read(): FormValues | undefined {
    const kept = this.memory.get<unknown>(KEY);
    return isValues(kept) ? kept : undefined;
  }

  write(values: FormValues): Thenable<void> {
    return this.memory.update(KEY, values);
  }
}
