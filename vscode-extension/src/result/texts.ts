/** The result page's words in the language of the editor. */

import * as vscode from "vscode";

import type { ResultTexts } from "./protocol";

export function resultTexts(): ResultTexts {
  const { t } = vscode.l10n;
  return {
    ...stepTexts(),
    title: t("Migration Result"),
    complete: t("The migration is complete."),
    incomplete: t("The migration is written; some places need a person."),
    madeFor: t("For PyTorch {0} on Ascend {1}", "{0}", "{1}"),
    openFolder: t("Open Migrated Folder"),
    openReport: t("Open Report"),
    showLog: t("Show Log"),
    compareAll: t("Compare All"),
    edits: t("edits"),
    oneEdit: t("1 edit"),
    changedFiles: t("changed files"),
    unsupported: t("unsupported APIs"),
    left: t("left to you"),
    picture: t("What became of the places that concern the GPU"),
    pictureMigrated: t("migrated"),
    pictureReplaced: t("replaced by an equivalent"),
    pictureUnsafe: t("fix offered, not made"),
    pictureUnsupported: t("unsupported"),
    pictureManual: t("to be looked at"),
    files: t("Changed Files"),
    filesNone: t("No file had to be changed."),
    compare: t("Compare with the original"),
    findings: t("Left to You"),
    advice: t("Advice"),
    besideTraining: t("no training reaches it"),
    findingsNone: t("Nothing is left to do by hand."),
    reports: t("Reports"),
    verify: t("Verify Migrated Project"),
    verification: t("Run on a Simulated NPU"),
    verificationNone: t(
      "Not verified yet. Before you have an NPU, run the project on a simulated one: it says what runs, what breaks and why.",
    ),
    verificationRunning: t("Running; the terminal shows what happens."),
    verificationStale: t("Files were changed since this run. Verify again."),
    verificationLines: t("{0} of {1} lines ran in the files that were loaded.", "{0}", "{1}"),
    copyPrompt: t("Copy as Prompt"),
    handOver: t("Hand Over to Chat"),
    byFile: t("By file"),
    byKind: t("By kind"),
    error: t("Error"),
    warning: t("Warning"),
    information: t("Information"),
    hint: t("Hint"),
    gone: t("This result is no longer kept. Migrate the project again to see it."),
  };
}

/** The words of the checklist. */
function stepTexts(): Pick<
  ResultTexts,
  Extract<keyof ResultTexts, `step${string}`> | "showPart" | "applyFixes" | "applyOneFix" | "copy"
> {
  const { t } = vscode.l10n;
  return {
    steps: t("Next Steps"),
    stepErrors: t("Solve the errors: {0}", "{0}"),
    stepApply: t("Look at the fixes that are offered but not made: {0}", "{0}"),
    stepApplyUnsupported: t("for unsupported APIs: {0}", "{0}"),
    stepApplyAdvice: t("advice: {0}", "{0}"),
    stepEnvironment: t("On the NPU machine, in the project’s directory, set the environment in each shell"),
    stepInstall: t("Install what the project needs, in its directory"),
    stepLaunch: t("Start the training by the script that was written"),
    stepPythonPath: t("To start it from another directory, add the project to the path"),
    stepVerify: t("Run the project on a simulated NPU"),
    stepsDone: t("{0} of {1} done", "{0}", "{1}"),
    showPart: t("Show"),
    applyFixes: t("Apply the {0} Offered Fixes…", "{0}"),
    applyOneFix: t("Apply the 1 Offered Fix…"),
    copy: t("Copy"),
  };
}
