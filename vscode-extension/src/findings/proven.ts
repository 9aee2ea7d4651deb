/**
 * What only the whole project shows, as problems of the editor: no look at one file tells the server of it. So what
 * the view has, the Problems view and the lines of the files have, too.
 */

import * as vscode from "vscode";

import type { Finding, SeverityName } from "../server/protocol";
import { rangeOf } from "../views/places";

export const SEVERITIES: Readonly<Record<SeverityName, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

export class ProvenProblems implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection("gpu2ascend-project");

  /** Shows those of some findings, and no others. Cells have no places while their notebook is closed. */
  show(findings: readonly Finding[]): void {
    const files = new Map<string, vscode.Diagnostic[]>();
    for (const finding of findings.filter(({ proven, cell }) => proven === true && cell === null)) {
      const diagnostic = new vscode.Diagnostic(
        rangeOf(finding.range),
        finding.message,
        SEVERITIES[finding.severity],
      );
      diagnostic.code = finding.code;
      diagnostic.source = "gpu2ascend";
      files.set(finding.file, [...(files.get(finding.file) ?? []), diagnostic]);
    }
    this.collection.clear();
    for (const [file, diagnostics] of files) {
      this.collection.set(vscode.Uri.file(file), diagnostics);
    }
  }

  dispose(): void {
    this.collection.dispose();
  }
}
