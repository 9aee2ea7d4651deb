/** Finding the interpreter in this window: the candidates in their order, and the choice among them. */

import * as vscode from "vscode";

import type { Bundle } from "./bundle";
import { type Candidate, type Choice, choosePython, type NoChoice, pathCommands } from "./choose";
import { extensionCandidates } from "./extensions";
import { probePython } from "./probe";
import { readClientSettings } from "../settings";

/** The interpreter for the server, by the settings, the Python extensions and PATH. */
export async function findPython(bundle: Bundle): Promise<Choice | NoChoice> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return await choosePython(candidates(folder), {
    strategy: readClientSettings(folder).importStrategy,
    probe: probePython,
    bundledFor: (facts) => bundle.fits(facts),
  });
}

async function* candidates(folder: vscode.Uri | undefined): AsyncGenerator<Candidate> {
  const program = readClientSettings(folder).interpreter;
  if (program !== "") {
    yield { source: "setting", command: { program, args: [] } };
    return;
  }
  // A selected environment may be part of the folder, and to ask it anything is to run it.
  if (vscode.workspace.isTrusted) {
    yield* extensionCandidates(vscode.extensions, folder);
  }
  for (const command of pathCommands(process.platform)) {
    yield { source: "path", command };
  }
}
