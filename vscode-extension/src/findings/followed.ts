/** What the editor knows of documents, in the words of the findings. */

import * as vscode from "vscode";

import { isRecord } from "../records";
import type { Finding } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import type { Reported, RuleOf } from "./live";

const SEVERITIES = ["error", "warning", "information", "hint"] as const;
const APPLICABILITIES: readonly string[] = ["safe", "unsafe", "manual"] satisfies Finding["applicability"][];

/** The notebook of a cell, and which of its cells it is, counted from 1; undefined of what is no cell. */
export function notebookOf(uri: vscode.Uri): { readonly uri: vscode.Uri; readonly cell: number } | undefined {
  for (const notebook of vscode.workspace.notebookDocuments) {
    const at = notebook.getCells().findIndex(({ document }) => document.uri.toString() === uri.toString());
    if (at >= 0) {
      return { uri: notebook.uri, cell: at + 1 };
    }
  }
  return undefined;
}

/** The findings among diagnostics; that a file was not examined is none. */
export function reportedOf(diagnostics: readonly vscode.Diagnostic[]): Reported[] {
  return diagnostics.flatMap((diagnostic) => {
    const { code, message, severity, range, source } = diagnostic;
    const data: unknown = "data" in diagnostic ? diagnostic.data : undefined;
    if (source !== "gpu2ascend" || !isRecord(data)) {
      return [];
    }
    const { applicability, fix, kind } = data;
    return {
      code: String(typeof code === "object" ? code.value : (code ?? "")),
      message,
      severity: SEVERITIES[severity],
      range: { start: positionOf(range.start), end: positionOf(range.end) },
      kind: typeof kind === "string" ? kind : "",
      applicability: isApplicability(applicability) ? applicability : "manual",
      fix: typeof fix === "string" ? fix : null,
    };
  });
}

/** The rules by their codes. */
export async function rulesOf(requests: ServerRequests): Promise<ReadonlyMap<string, RuleOf>> {
  return new Map((await requests.rules()).map(({ code, name, family }) => [code, { name, family }]));
}

function isApplicability(value: unknown): value is Finding["applicability"] {
  return typeof value === "string" && APPLICABILITIES.includes(value);
}

function positionOf({ line, character }: vscode.Position): Reported["range"]["start"] {
  return { line, character };
}
