/** The settings that concern the client alone. The server asks for its own. */

import * as vscode from "vscode";

import { expandPath } from "./paths";
import type { ImportStrategy } from "./python/choose";

export const SECTION = "gpu2ascend";

export interface ClientSettings {
  /** A path; empty if none is set. */
  readonly interpreter: string;
  readonly importStrategy: ImportStrategy;
}

export function readClientSettings(scope: vscode.Uri | undefined): ClientSettings {
  const section = vscode.workspace.getConfiguration(SECTION, scope);
  return {
    interpreter: expandPath(textOf(section.get("interpreter")), scope?.fsPath),
    importStrategy: section.get<ImportStrategy>("importStrategy", "useBundled"),
  };
}

/** Somebody may have written anything into their settings. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
