import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type Candidate, choosePython, type ChoiceContext, pathCommands } from "../src/python/choose";
import { causeOf } from "../src/python/cause";
import type { PythonFacts } from "../src/python/start";

function facts(program: string, version: [number, number, number], hasServer = false): PythonFacts {
  return {
    executable: program,
    version,
    extensionSuffix: ".so",
    machine: "x86_64",
    hasServer,
    hasAgents: false,
  };
}

function candidate(program: string, source: Candidate["source"] = "path"): Candidate {
  return { source, command: { program, args: [] } };
}

async function* list(...items: Candidate[]): AsyncGenerator<Candidate> {
  yield* items;
  await Promise.resolve();
}

/** A world in which these interpreters exist. */
function world(known: readonly PythonFacts[], over: Partial<ChoiceContext> = {}): ChoiceContext {
  return {
    strategy: "useBundled",
    probe: ({ program }) => {
      const found = known.find(({ executable }) => executable === program);
      return found === undefined ? Promise.reject(new Error("ENOENT")) : Promise.resolve(found);
    },
    bundledFor: () => true,
    ...over,
  };
}

describe("choosing an interpreter", () => {
  it("takes the first that is new enough", async () => {
    const context = world([facts("old", [3, 9, 1]), facts("new", [3, 12, 0]), facts("other", [3, 13, 0])]);
    const result = await choosePython(
      list(candidate("absent"), candidate("old"), candidate("new"), candidate("other")),
      context,
    );
    assert.equal(result.kind === "chosen" && result.facts.executable, "new");
  });

  it("says why each of the others was not taken", async () => {
    const context = world([facts("old", [3, 9, 1]), facts("odd", [3, 14, 0])], { bundledFor: () => false });
    const result = await choosePython(list(candidate("absent"), candidate("old"), candidate("odd")), context);
    assert.ok(result.kind === "none");
    assert.deepEqual(
      result.rejections.map(({ kind }) => kind),
      ["unstartable", "tooOld", "notBundledFor"],
    );
  });

  it("never replaces the interpreter that the user has set", async () => {
    const context = world([facts("good", [3, 12, 0])]);
    const result = await choosePython(list(candidate("absent", "setting"), candidate("good")), context);
    assert.equal(result.kind, "none");
  });

  it("takes the environment's own server where it is asked for and is there", async () => {
    const context = world([facts("env", [3, 12, 0], true)], { strategy: "fromEnvironment" });
    const result = await choosePython(list(candidate("env")), context);
    assert.equal(result.kind === "chosen" && result.strategy, "fromEnvironment");
  });

  it("takes the bundled server where the environment has none", async () => {
    const context = world([facts("env", [3, 12, 0])], { strategy: "fromEnvironment" });
    const result = await choosePython(list(candidate("env")), context);
    assert.equal(result.kind === "chosen" && result.strategy, "useBundled");
  });

  it("takes the own server of a Python without bundled modules, whatever is asked for", async () => {
    for (const strategy of ["fromEnvironment", "useBundled"] as const) {
      const context = world([facts("env", [3, 15, 0], true)], { strategy, bundledFor: () => false });
      const result = await choosePython(list(candidate("env")), context);
      assert.equal(result.kind === "chosen" && result.strategy, "fromEnvironment");
    }
  });
});

describe("the cause of a missing server", () => {
  const none = { strategy: "useBundled", bundledFor: () => false } as const;

  const causeFor = async (known: readonly PythonFacts[], ...candidates: Candidate[]) => {
    const result = await choosePython(list(...candidates), world(known, none));
    assert.ok(result.kind === "none");
    return causeOf(result.rejections).kind;
  };

  it("is the interpreter that the user has set, if one is", async () => {
    assert.equal(await causeFor([], candidate("absent", "setting")), "missing");
    assert.equal(await causeFor([facts("old", [3, 8, 10])], candidate("old", "setting")), "tooOld");
    assert.equal(await causeFor([facts("new", [3, 15, 0])], candidate("new", "setting")), "notBundledFor");
  });

  it("is that of the interpreter that is nearest to a use", async () => {
    const known = [facts("old", [3, 8, 10]), facts("new", [3, 15, 0])];
    assert.equal(
      await causeFor(known, candidate("absent"), candidate("new"), candidate("old")),
      "notBundledFor",
    );
    assert.equal(await causeFor(known, candidate("absent"), candidate("old")), "tooOld");
  });

  it("is that there is no Python where none is found", async () => {
    assert.equal(await causeFor([]), "none");
    assert.equal(await causeFor([], candidate("absent")), "none");
  });

  it("is what a program says that does not start", () => {
    const reason = "it has ended with exit code 1";
    const rejection = { kind: "unstartable", candidate: candidate("broken"), reason } as const;
    assert.deepEqual(causeOf([rejection]), { kind: "broken", rejection });
  });
});

describe("interpreters on PATH", () => {
  it("asks the launcher first on Windows", () => {
    assert.deepEqual(pathCommands("win32")[0], { program: "py", args: ["-3"] });
  });

  it("prefers python3 elsewhere, where python may be Python 2 and few have the launcher", () => {
    assert.deepEqual(
      pathCommands("linux").map(({ program }) => program),
      ["python3", "python", "py"],
    );
  });
});
