/** The lines of files as they are now, for rows that show them: as the editor has them, else from the disk. */

import * as vscode from "vscode";

import { isRecord } from "../records";
import type { Finding } from "../server/protocol";

/** Texts of a file, or of the cells of a notebook. */
type Texts = readonly (readonly string[])[];

export class Lines {
  private readonly files = new Map<string, Promise<Texts>>();

  /** The code of a finding's line without its indentation; empty where it cannot be read. */
  async of({ file, cell, range }: Finding): Promise<string> {
    const texts = this.files.get(file) ?? readTexts(vscode.Uri.file(file)).catch(() => []);
    this.files.set(file, texts);
    return (await texts)[cell === null ? 0 : cell - 1]?.[range.start.line]?.trim() ?? "";
  }

  /** Files may have changed. */
  forget(): void {
    this.files.clear();
  }
}

async function readTexts(uri: vscode.Uri): Promise<Texts> {
  const same = (other: vscode.Uri): boolean => other.toString() === uri.toString();
  const notebook = vscode.workspace.notebookDocuments.find((open) => same(open.uri));
  if (notebook !== undefined) {
    return notebook.getCells().map(({ document }) => linesOf(document.getText()));
  }
  const open = vscode.workspace.textDocuments.find((document) => same(document.uri));
  const text = open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return uri.path.endsWith(".ipynb") ? cellsOf(text) : [linesOf(text)];
}

function cellsOf(text: string): Texts {
  const content: unknown = JSON.parse(text);
  const cells: readonly unknown[] = isRecord(content) && Array.isArray(content.cells) ? content.cells : [];
  return cells.map((cell) => {
    const source = isRecord(cell) ? cell.source : "";
    return linesOf(Array.isArray(source) ? source.join("") : String(source));
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}
