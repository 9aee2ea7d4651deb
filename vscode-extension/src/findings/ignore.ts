/** Having the editor be silent about what a row tells: in lines, in files, or about the rule in a folder. */

import * as vscode from "vscode";

import { label } from "../escaping";
import { ignoreRule } from "../configure/configure";
import { showInformation } from "../messages";
import type { Finding } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { make } from "./actions";

interface Choice extends vscode.QuickPickItem {
  readonly run: () => Promise<boolean>;
}

/** Asks where to ignore what some findings of one rule tell, and does it. */
export async function ignoreFindings(
  requests: ServerRequests,
  findings: readonly [Finding, ...Finding[]],
): Promise<void> {
  const { t } = vscode.l10n;
  const [{ code, rule, message, file }] = findings;
  const files = new Set(findings.map((finding) => finding.file));
  const folders = new Map(
    [...files].map((name) => {
      const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(name));
      return [folder?.uri.toString(), folder?.uri];
    }),
  );
  const choices: Choice[] = [
    {
      label: findings.length === 1 ? t("On this line") : t("On these {0} lines", findings.length),
      description: t("a comment at the end of the line"),
      run: () => each(upwards(findings), (finding) => make(requests, finding, "ignoreLine")),
    },
    {
      label: files.size === 1 ? t("In this file") : t("In these {0} files", files.size),
      description:
        files.size === 1 ? label(vscode.workspace.asRelativePath(file)) : t("a comment at the top"),
      run: () => each(firstOfEach(findings), (finding) => make(requests, finding, "ignoreFile")),
    },
    {
      label: t("Everywhere: switch the rule off"),
      description: t("in the settings of the folder"),
      run: async () => {
        for (const folder of folders.values()) {
          await ignoreRule(folder, code);
        }
        return true;
      },
    },
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: t("Ignore {0}", [code, rule ?? ""].join(" ").trim()),
    placeHolder: label(message.replaceAll("`", "")),
    // The click on the row before it may have an editor opened that takes the focus only now.
    ignoreFocusOut: true,
  });
  if (picked !== undefined && !(await picked.run())) {
    void showInformation(t("No comment can stand there, or the place has changed. Nothing is ignored."));
  }
}

/** Does it for each, one after the other; whether it was done for any. */
async function each(
  findings: readonly Finding[],
  run: (finding: Finding) => Promise<boolean>,
): Promise<boolean> {
  let isDone = false;
  for (const finding of findings) {
    isDone = (await run(finding)) || isDone;
  }
  return isDone;
}

/** The last ones first: no comment moves what is above it. One of each line is enough. */
function upwards(findings: readonly Finding[]): Finding[] {
  const lines = new Map(
    findings.map((finding) => [
      JSON.stringify([finding.file, finding.cell, finding.range.start.line]),
      finding,
    ]),
  );
  return [...lines.values()].toSorted((one, other) => other.range.start.line - one.range.start.line);
}

/** One of each file, and of a notebook the first. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.toReversed().map((finding) => [finding.file, finding])).values()];
}
