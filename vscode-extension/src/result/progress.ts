/** Which steps of which migrated projects are ticked off. */

import type * as vscode from "vscode";

import { isRecord } from "../records";
import { withStep } from "./steps";

const KEY = "gpu2ascend.result.done";
/** Of so many projects it is remembered. */
const KEPT = 20;

export class Progress {
  constructor(private readonly memory: Pick<vscode.Memento, "get" | "update">) {}

  /** The steps of a project that are done. */
  of(project: string): readonly string[] {
    const kept = this.all()[project];
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  }

  async tick(project: string, id: string, done: boolean): Promise<void> {
    const others = Object.entries(this.all()).filter(([name]) => name !== project);
    const own = [project, withStep(this.of(project), id, done)];
    const newest = [...others.slice(1 - KEPT), own];
    await this.memory.update(KEY, Object.fromEntries(newest));
  }

  private all(): Record<string, unknown> {
    const kept = this.memory.get<unknown>(KEY);
    return isRecord(kept) ? { ...kept } : {};
  }
}
