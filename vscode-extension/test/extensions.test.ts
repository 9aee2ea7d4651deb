import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Extension, Uri } from "vscode";

import { extensionCandidates, type Installed, watchSelection } from "../src/python/extensions";

const ENVIRONMENTS = "ms-python.vscode-python-envs";
const PYTHON = "ms-python.python";

/** Extensions by their names, with what they export. */
function installed(apis: Readonly<Record<string, unknown>>): Installed {
  return {
    getExtension: <T>(id: string) =>
      id in apis ? ({ activate: () => Promise.resolve(apis[id]) } as unknown as Extension<T>) : undefined,
  };
}

/** The Python extension with an interpreter selected, as its interface describes it. */
function pythonExtension(fsPath: string): unknown {
  return {
    environments: {
      getActiveEnvironmentPath: (folder: Uri | undefined) => ({ path: folder?.fsPath ?? "" }),
      resolveEnvironment: ({ path }: { path: string }) =>
        Promise.resolve({ executable: { uri: { fsPath: `${path}${fsPath}` } } }),
    },
  };
}

const folder: unknown = { fsPath: "/p" };

async function proposals(apis: Readonly<Record<string, unknown>>): Promise<string[]> {
  const found: string[] = [];
  for await (const { source, command } of extensionCandidates(installed(apis), folder as Uri)) {
    found.push([source, command.program, ...command.args].join(" "));
  }
  return found;
}

describe("the interpreter that Python extensions have selected", () => {
  it("is proposed, for the folder that is asked about", async () => {
    assert.deepEqual(await proposals({ [PYTHON]: pythonExtension("/.venv/bin/python") }), [
      "pythonExtension /p/.venv/bin/python",
    ]);
  });

  it("of the Python Environments extension comes first, with its arguments", async () => {
    const run = { executable: "/bin/conda", args: ["run", "python"] };
    const environments = { getEnvironment: () => Promise.resolve({ execInfo: { run } }) };
    const both = { [ENVIRONMENTS]: environments, [PYTHON]: pythonExtension("/python") };
    assert.deepEqual(await proposals(both), [
      "pythonEnvironments /bin/conda run python",
      "pythonExtension /p/python",
    ]);
  });

  it("is none where no such extension is installed, nothing is selected, or the extension fails", async () => {
    assert.deepEqual(await proposals({}), []);
    assert.deepEqual(
      await proposals({
        [ENVIRONMENTS]: { getEnvironment: () => Promise.resolve(undefined) },
        [PYTHON]: {
          environments: {
            getActiveEnvironmentPath: () => {
              throw new Error("not ready");
            },
          },
        },
      }),
      [],
    );
  });

  it("may change, which is reported until nothing listens any more", async () => {
    const listeners = new Set<() => void>();
    const event = (listener: () => void): { dispose: () => void } => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    };
    const api = { environments: { onDidChangeActiveEnvironmentPath: event } };
    let changes = 0;
    const watches = await watchSelection(installed({ [PYTHON]: api }), () => (changes += 1));
    listeners.forEach((listener) => {
      listener();
    });
    assert.equal(changes, 1);
    watches.forEach((watch) => void watch.dispose());
    assert.equal(listeners.size, 0);
  });
});
