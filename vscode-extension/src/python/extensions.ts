/** The interpreter that Python extensions have selected, where one of them is installed. */

import type * as vscode from "vscode";

import type { Candidate } from "./choose";

const ENVIRONMENTS_EXTENSION = "ms-python.vscode-python-envs";
const PYTHON_EXTENSION = "ms-python.python";

/** The parts of the two extensions' interfaces that are used here. */
interface EnvironmentsApi {
  getEnvironment(
    scope: vscode.Uri | undefined,
  ): Promise<{ execInfo?: { run?: { executable?: string; args?: string[] } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/** The installed extensions: `vscode.extensions`. */
export type Installed = Pick<typeof vscode.extensions, "getExtension">;

export function hasPythonExtension(installed: Installed): boolean {
  return [ENVIRONMENTS_EXTENSION, PYTHON_EXTENSION].some((id) => installed.getExtension(id) !== undefined);
}

/** What the installed extensions propose for a folder. Their troubles are none of ours. */
export async function* extensionCandidates(
  installed: Installed,
  folder: vscode.Uri | undefined,
): AsyncGenerator<Candidate> {
  const environments = await api<EnvironmentsApi>(installed, ENVIRONMENTS_EXTENSION);
  const run = await quietly(async () => (await environments?.getEnvironment(folder))?.execInfo?.run);
  if (run?.executable !== undefined && run.executable !== "") {
    yield {
      source: "pythonEnvironments",
      command: { program: run.executable, args: run.args ?? [] },
    };
  }
  const python = (await api<PythonApi>(installed, PYTHON_EXTENSION))?.environments;
  const selected = await quietly(async () => {
    const active = python?.getActiveEnvironmentPath(folder);
    return active === undefined ? undefined : await python?.resolveEnvironment(active);
  });
  const executable = selected?.executable.uri?.fsPath;
  if (executable !== undefined) {
    yield { source: "pythonExtension", command: { program: executable, args: [] } };
  }
}

/** Calls back when another interpreter is selected in one of the extensions. */
export async function watchSelection(
  installed: Installed,
  changed: () => void,
): Promise<readonly vscode.Disposable[]> {
  const environments = await api<EnvironmentsApi>(installed, ENVIRONMENTS_EXTENSION);
  const python = await api<PythonApi>(installed, PYTHON_EXTENSION);
  const events = [
    environments?.onDidChangeEnvironment,
    python?.environments?.onDidChangeActiveEnvironmentPath,
  ];
  return events.flatMap((event) => (event === undefined ? [] : [event(changed)]));
}

async function api<T>(installed: Installed, id: string): Promise<T | undefined> {
  const extension = installed.getExtension<T>(id);
  return extension === undefined ? undefined : await quietly(async () => await extension.activate());
}

async function quietly<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
