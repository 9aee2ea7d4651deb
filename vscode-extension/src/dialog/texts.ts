/** The dialog's own words in the language of the editor. */

import * as vscode from "vscode";

import type { DialogTexts } from "./protocol";

export function dialogTexts(): DialogTexts {
  const { t } = vscode.l10n;
  return {
    title: "PyTorch GPU2Ascend",
    intro: t(
      "Makes a copy of a PyTorch project that trains on Ascend NPUs. The project itself is only read.",
    ),
    browse: t("Browse…"),
    advanced: t("Advanced"),
    transplant: t("Transplant"),
    running: t("Transplanting…"),
    preview: t("Preview in Place"),
    target: t("Will be created:"),
    noTarget: t("Fill in the fields to see what will be created."),
    proposals: t("Found in the code:"),
    tied: t("Linked with the field of the same name below “{0}”: a change here changes both.", "{0}"),
    notDetected: t("Choose a version"),
    notChosen: t("Automatic"),
    ruleFile: t("Rule File"),
    required: t("Required"),
    retry: t("Try Again"),
    guide: t("Open the Guide"),
  };
}
