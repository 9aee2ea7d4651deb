/** What a row does: makes the fix of a finding, or has the editor be silent about it. */

import * as vscode from "vscode";
import {
  type CodeAction,
  CodeActionKind,
  CodeActionRequest,
  CodeActionResolveRequest,
  type Diagnostic,
  type LanguageClient,
  LSPErrorCodes,
  type WorkspaceEdit,
} from "vscode-languageclient/node";

import { showInformation } from "../messages";
import { isRecord } from "../records";
import type { Finding } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { documentOf } from "../views/places";

/** How often a document is asked about again whose text or settings change while it is looked at. */
const ATTEMPTS = 5;
const PAUSE = 300;

/** What is asked of the server about a place. */
export type Wanted = "fix" | "ignoreLine" | "ignoreFile";

/** Makes the safe fix of a finding in the file as it is now. */
export async function fixFinding(requests: ServerRequests, finding: Finding): Promise<void> {
  if (!(await make(requests, finding, "fix"))) {
    void showInformation(vscode.l10n.t("There is no fix at this place any more. Nothing was changed."));
  }
}

/** Makes the edit of the action for a finding; whether there was one. */
export async function make(requests: ServerRequests, finding: Finding, wanted: Wanted): Promise<boolean> {
  const client = await requests.client();
  const document = await documentOf(finding);
  if (document === undefined) {
    return false;
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const edit = await editOf(client, document.uri, finding, wanted);
    if (edit === undefined) {
      return false;
    }
    if (await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(edit))) {
      return true;
    }
    await pause(); // somebody types: the edit was one of a version that is gone
  }
  return false;
}

/**
 * The edit of an action, asked of the server itself: the editor hands actions over without what they are for, and
 * takes the answer that a document is just being looked at for one that there are none.
 */
async function editOf(
  client: LanguageClient,
  uri: vscode.Uri,
  finding: Finding,
  wanted: Wanted,
): Promise<WorkspaceEdit | undefined> {
  const textDocument = { uri: client.code2ProtocolConverter.asUri(uri) };
  const context = { diagnostics: [], only: [CodeActionKind.QuickFix] };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const parameters = { textDocument, range: finding.range, context };
      const actions = (await client.sendRequest(CodeActionRequest.type, parameters)) ?? [];
      const action = actions.find(
        (item): item is CodeAction => "kind" in item && isMeant(item, finding, wanted),
      );
      if (action === undefined) {
        return undefined;
      }
      return action.edit ?? (await client.sendRequest(CodeActionResolveRequest.type, action)).edit;
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) {
        throw error;
      }
      await pause();
    }
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
}

function isMeant({ data, diagnostics, isPreferred }: CodeAction, finding: Finding, wanted: Wanted): boolean {
  if (!isRecord(data) || !(diagnostics ?? []).some((diagnostic) => isAbout(diagnostic, finding))) {
    return false;
  }
  switch (wanted) {
    case "fix":
      return data.what === "fix" && isPreferred === true;
    case "ignoreLine":
      return data.what === "ignore" && data.where === "line";
    case "ignoreFile":
      return data.what === "ignore" && data.where === "file";
  }
}

function isAbout({ code, range }: Diagnostic, finding: Finding): boolean {
  const { start } = finding.range;
  return (
    code === finding.code && range.start.line === start.line && range.start.character === start.character
  );
}

/** Whether an answer says that the document or the settings have changed meanwhile. */
function isPassing(error: unknown): boolean {
  const passing: readonly unknown[] = [LSPErrorCodes.ContentModified, LSPErrorCodes.ServerCancelled];
  return error instanceof Error && "code" in error && passing.includes(error.code);
}
