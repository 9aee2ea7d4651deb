/** Why no interpreter is used, in words for people. */

import * as vscode from "vscode";

import { type CandidateSource, OLDEST_PYTHON, type Rejection } from "./choose";

/** One line for each interpreter that was tried. */
export function explainRejection(rejection: Rejection): string {
  const { source, command } = rejection.candidate;
  const shown = [command.program, ...command.args].join(" ");
  const place = vscode.l10n.t("{0} (from {1})", shown, sourceName(source));
  switch (rejection.kind) {
    case "unstartable":
      return vscode.l10n.t("{0}: does not start: {1}", place, firstLine(rejection.reason));
    case "tooOld":
      return vscode.l10n.t("{0}: is Python {1}, too old", place, rejection.facts.version.join("."));
    case "notBundledFor": {
      const version = rejection.facts.version.join(".");
      const { machine } = rejection.facts;
      return vscode.l10n.t(
        "{0}: the bundled server does not run on Python {1} for {2}",
        place,
        version,
        machine,
      );
    }
  }
}

export function oldestPython(): string {
  return OLDEST_PYTHON.join(".");
}

function sourceName(source: CandidateSource): string {
  switch (source) {
    case "setting":
      return vscode.l10n.t("the setting gpu2ascend.interpreter");
    case "pythonEnvironments":
      return vscode.l10n.t("the Python Environments extension");
    case "pythonExtension":
      return vscode.l10n.t("the Python extension");
    case "path":
      return "PATH";
  }
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
