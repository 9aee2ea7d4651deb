/** Results on disk, so that a page is whole again after the window was reloaded. */

import * as vscode from "vscode";

import type { CompletedMigration } from "../server/protocol";

/** How many are kept. */
const KEPT = 5;

export class ResultStore {
  constructor(private readonly root: vscode.Uri) {}

  /** Keeps a result; its id finds it again. */
  async add(result: CompletedMigration): Promise<string> {
    const id = `${Date.now()}`;
    await vscode.workspace.fs.createDirectory(this.root);
    await vscode.workspace.fs.writeFile(this.file(id), new TextEncoder().encode(JSON.stringify(result)));
    await this.forgetOld();
    return id;
  }

  async read(id: string): Promise<CompletedMigration | undefined> {
    try {
      const content = await vscode.workspace.fs.readFile(this.file(id));
      return JSON.parse(new TextDecoder().decode(content)) as CompletedMigration;
    } catch {
      return undefined;
    }
  }

  /** The folders of the migrations that are kept, the newest first. */
  async outputs(): Promise<readonly string[]> {
    const entries = await vscode.workspace.fs.readDirectory(this.root).then(
      (found) => found,
      () => [],
    );
    const ids = entries.map(([name]) => name.replace(/\.json$/, "")).sort();
    const results = await Promise.all(ids.reverse().map((id) => this.read(id)));
    return results.flatMap((result) => (typeof result?.outputPath === "string" ? [result.outputPath] : []));
  }

  private async forgetOld(): Promise<void> {
    const entries = await vscode.workspace.fs.readDirectory(this.root);
    const names = entries.map(([name]) => name).sort();
    for (const name of names.slice(0, -KEPT)) {
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(this.root, name));
    }
  }

  private file(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.root, `${id}.json`);
  }
}
