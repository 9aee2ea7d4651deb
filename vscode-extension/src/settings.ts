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

/** Of which files problems are reported. */
export function readMode(scope: vscode.Uri): "workspace" | "openFilesOnly" {
  const mode = vscode.workspace.getConfiguration(SECTION, scope).get("diagnosticMode");
  return mode === "openFilesOnly" ? mode : "workspace";
}

/** What a run on a simulated NPU is told, by the names of the request; what is not set is left out. */
export function readVerifySettings(scope: vscode.Uri | undefined): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(`${SECTION}.verify`, scope);
  const texts = ["indexUrl", "torchIndexUrl"].map((name) => [name, textOf(section.get(name))]);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const interpreter = expandPath(textOf(section.get("interpreter")), folder);
  const numbers = ["steps", "processes", "timeout"].map((name) => [name, section.get<unknown>(name)]);
  const given = [...texts, ["interpreter", interpreter], ...numbers];
  return Object.fromEntries(
    given.filter(([, value]) => value !== "" && value !== 0 && value !== null && value !== undefined),
  ) as Record<string, unknown>;
}

/** Removes a setting from every place that counts for a folder: what is left in one of them would be in force. */
export async function clearSetting(name: string, scope: vscode.Uri | undefined): Promise<void> {
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  const places = [
    [WorkspaceFolder, "workspaceFolderValue"],
    [Workspace, "workspaceValue"],
    // In a remote window the user has settings on both machines, and is rid of one of them at a time.
    [Global, "globalValue"],
    [Global, "globalValue"],
  ] as const;
  for (const [target, value] of places) {
    const section = vscode.workspace.getConfiguration(SECTION, scope);
    if (section.inspect(name)?.[value] !== undefined) {
      await section.update(name, undefined, target);
    }
  }
}

/** The user may have written anything into the settings. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
