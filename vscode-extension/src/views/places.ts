/** Places in files, between the protocol and the editor. */

import * as vscode from "vscode";
import type { Range } from "vscode-languageclient";

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
