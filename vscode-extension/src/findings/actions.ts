/** What the rows of the view do: the safe fix that is offered at a place, and the page of its rule. */

import * as vscode from "vscode";

import { showInformation } from "../messages";
import type { Finding } from "../server/protocol";
import { rangeOf } from "../views/places";

/** Actions whose edits are asked for. */
const RESOLVED = 10;

/** Makes the fix of a finding in the file as it is now. */
export async function fixFinding(finding: Finding): Promise<void> {
  const uri = vscode.Uri.file(finding.file);
  const document = await vscode.workspace.openTextDocument(uri);
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    rangeOf(finding.range),
    vscode.CodeActionKind.QuickFix.value,
    RESOLVED,
  );
  const action = chosenAction(actions, uri, rangeOf(finding.range));
  const isMade = action?.edit !== undefined && (await vscode.workspace.applyEdit(action.edit));
  if (!isMade) {
    void showInformation(vscode.l10n.t("There is no fix at this place any more. Nothing was changed."));
  }
}

/** The safe fix that changes the place itself; editors hand the actions over without the findings that they are for. */
function chosenAction(
  actions: readonly vscode.CodeAction[],
  uri: vscode.Uri,
  range: vscode.Range,
): vscode.CodeAction | undefined {
  return actions.find(
    ({ isPreferred, edit }) =>
      isPreferred === true && edit?.get(uri).some((change) => change.range.intersection(range) !== undefined),
  );
}
