/** Finding the interpreter in this window: the candidates in their order, and a server on the first that can. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import * as vscode from "vscode";

import type { Bundle } from "./bundle";
import { type Candidate, type Choice, choosePython, type NoChoice, pathCommands } from "./choose";
import { extensionCandidates, hasPythonExtension } from "./extensions";
import type { LastFound } from "./memory";
import { startPython } from "./start";
import { readClientSettings } from "../settings";

/** A server whose interpreter has been found by starting it. */
export interface Started {
  readonly kind: "started";
  readonly choice: Choice;
  readonly process: ChildProcessWithoutNullStreams;
}

/**
 * Starts the server on the interpreter of the settings, else of the Python extensions, else of PATH.
 *
 * Nothing is asked before: the process that says what Python it is goes on to be the server, if it is the one.
 *
 * @param last What is tried before the Python extensions are asked, and before a command on PATH is run.
 */
export async function startServer(bundle: Bundle, last?: LastFound): Promise<Started | NoChoice> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const strategy = readClientSettings(folder).importStrategy;
  let process: ChildProcessWithoutNullStreams | undefined;
  const choice = await choosePython(candidates(folder, last), {
    strategy,
    probe: async (command) => {
      process?.kill();
      process = undefined;
      const started = await startPython(command, bundle.announcing(strategy, ["lsp"]), bundle.directory);
      process = started.process;
      return started.facts;
    },
    bundledFor: (facts) => bundle.fits(facts),
  });
  if (choice.kind === "chosen" && process !== undefined) {
    return { kind: "started", choice, process };
  }
  process?.kill();
  return choice.kind === "none" ? choice : { kind: "none", rejections: [] };
}

/** Whether the Python extensions still propose first what was chosen. */
export async function isStillSelected({ candidate }: Choice): Promise<boolean> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  for await (const { command } of candidates(folder)) {
    return JSON.stringify(command) === JSON.stringify(candidate.command);
  }
  return false;
}

async function* candidates(folder: vscode.Uri | undefined, last?: LastFound): AsyncGenerator<Candidate> {
  const program = readClientSettings(folder).interpreter;
  if (program !== "") {
    yield { source: "setting", command: { program, args: [] } };
    return;
  }
  // A selected environment may be part of the folder, and to ask it anything is to run it.
  if (vscode.workspace.isTrusted && hasPythonExtension(vscode.extensions)) {
    const known = last?.selected();
    if (known !== undefined) {
      yield known;
    }
    yield* extensionCandidates(vscode.extensions, folder);
  }
  for (const command of pathCommands(process.platform)) {
    const program = last?.behind(command);
    if (program !== undefined) {
      yield { source: "path", command: { program, args: [] } };
    }
    yield { source: "path", command };
  }
}
