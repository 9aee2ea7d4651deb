/** The last analysis on disk, so that the view is whole again after the window was reloaded. */

import * as vscode from "vscode";

import { isRecord } from "../records";
import type { CompletedAnalysis } from "../server/protocol";

/** An analysis as it was kept. */
export interface Kept {
  readonly analysis: CompletedAnalysis;
  /** When it was kept, in milliseconds. */
  readonly time: number;
}

export class AnalysisStore {
  constructor(private readonly root: vscode.Uri) {}

  async read(): Promise<Kept | undefined> {
    try {
      const content = await vscode.workspace.fs.readFile(this.file);
      const kept: unknown = JSON.parse(new TextDecoder().decode(content));
      const isAnalysis =
        isRecord(kept) && [kept.findings, kept.folders, kept.problems].every((part) => Array.isArray(part));
      const { mtime } = await vscode.workspace.fs.stat(this.file);
      return isAnalysis ? { analysis: kept as unknown as CompletedAnalysis, time: mtime } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps an analysis; undefined forgets the one that is kept. */
  async write(analysis: CompletedAnalysis | undefined): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.root);
    const text = analysis === undefined ? "{}" : JSON.stringify(analysis);
    await vscode.workspace.fs.writeFile(this.file, new TextEncoder().encode(text));
  }

  private get file(): vscode.Uri {
    return vscode.Uri.joinPath(this.root, "findings.json");
  }
}
