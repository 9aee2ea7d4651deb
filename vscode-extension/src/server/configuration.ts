/**
 * The settings as the server gets them: those that the user has set.
 *
 * The default of a setting is no choice, and must not hide what a project's pyproject.toml says. Of a workspace
 * that is not trusted, the server heeds no paths that its files name.
 */

import * as vscode from "vscode";
import type { ConfigurationMiddleware } from "vscode-languageclient/node";

import { SECTION } from "../settings";

const sent = new vscode.EventEmitter<undefined>();

/** The server has been given the settings anew, so that its next answers are by them. */
export const onDidSendSettings = sent.event;

export const configurationMiddleware: ConfigurationMiddleware = {
  configuration: (parameters, token, next) => {
    if (parameters.items.every(({ section }) => section !== SECTION)) {
      return next(parameters, token);
    }
    // What is returned here is sent before anything that is asked afterwards.
    setImmediate(() => {
      sent.fire(undefined);
    });
    return parameters.items.map(({ section, scopeUri }) => {
      const scope = scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri);
      return section === SECTION ? chosenSettings(scope) : null;
    });
  },
};

function chosenSettings(scope: vscode.Uri | undefined): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(SECTION, scope ?? null);
  const chosen: Record<string, unknown> = {};
  for (const name of Object.keys(section)) {
    const places = section.inspect(name);
    const value: unknown =
      places?.workspaceFolderValue ?? places?.workspaceValue ?? places?.globalValue ?? undefined;
    // A text that is empty is a choice that was taken back.
    if (value !== undefined && value !== "") {
      chosen[name] = value;
    }
  }
  return { ...chosen, trusted: vscode.workspace.isTrusted };
}
