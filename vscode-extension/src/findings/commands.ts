/** The commands of the rows of the view. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import type { Prompts } from "../chat/prompts";
import type { ExplanationPages } from "../explain";
import { showError } from "../messages";
import { mayWrite, migrateFile, previewRule } from "../migrate/inPlace";
import type { Finding } from "../server/protocol";
import { type ServerRequests, ServerUnavailable } from "../server/requests";
import { showTrouble } from "../status/trouble";
import { fixFinding } from "./actions";
import { ignoreFindings } from "./ignore";
import { findingsOf, type Row } from "./model";

type Findings = readonly [Finding, ...Finding[]];

export function rowCommands(
  requests: ServerRequests,
  pages: ExplanationPages,
  prompts: Prompts,
): vscode.Disposable[] {
  const notebooks = (findings: Findings): vscode.Uri[] =>
    [...new Set(findings.map(({ file }) => file))]
      .filter((file) => path.extname(file) === ".ipynb")
      .map((file) => vscode.Uri.file(file));
  return [
    ofRow(Command.fixFinding, async ([finding]) => {
      await (mayWrite() ? fixFinding(requests, finding) : undefined);
    }),
    ofRow(Command.fixRule, (findings) => previewRule(requests, findings[0].code, notebooks(findings))),
    ofRow(Command.fixFile, async (findings) => {
      for (const notebook of notebooks(findings)) {
        await vscode.workspace.openNotebookDocument(notebook);
      }
      await migrateFile(requests, vscode.Uri.file(findings[0].file));
    }),
    ofRow(Command.ignoreFinding, async (findings) => {
      await (mayWrite() ? ignoreFindings(requests, findings) : undefined);
    }),
    ofRow(Command.explainFinding, async ([{ code }]) => {
      await pages.show(await requests.explain(code));
    }),
    ofRow(Command.copyPrompt, (findings) => prompts.ofFindings(findings, "clipboard")),
    ofRow(Command.handOver, (findings) => prompts.ofFindings(findings, "chat")),
  ];
}

/** A command that is given the findings of a row, and says in plain words why it cannot do. */
function ofRow(command: string, run: (findings: Findings) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (row: Row) => {
    const [first, ...others] = findingsOf(row);
    try {
      await (first === undefined ? undefined : run([first, ...others]));
    } catch (error) {
      void (error instanceof ServerUnavailable
        ? showTrouble(error.trouble)
        : showError(vscode.l10n.t("It could not be done: {0}", String(error))));
    }
  });
}
