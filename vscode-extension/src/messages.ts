/** Messages and Markdown for the user: the only place that hands text to the editor where it reads markup. */

import * as vscode from "vscode";

import { label, markdown } from "./escaping";

/* eslint-disable no-restricted-syntax -- Here the text is escaped. */

export function showError(text: string, ...answers: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(label(text), ...answers);
}

export function showWarning(text: string, ...answers: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(label(text), ...answers);
}

export function showInformation(text: string, ...answers: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(label(text), ...answers);
}

/** A question that keeps the editor waiting; `undefined` if it is cancelled. */
export function askFirmly(text: string, detail: string, ...answers: string[]): Thenable<string | undefined> {
  const options = { modal: true, detail: label(detail) };
  return vscode.window.showWarningMessage(label(text), options, ...answers);
}

/** Paragraphs in which words in backquotes are code. */
export function paragraphs(...texts: readonly string[]): vscode.MarkdownString {
  return new vscode.MarkdownString(texts.map(markdown).join("\n\n"));
}
