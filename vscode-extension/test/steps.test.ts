import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Progress } from "../src/result/progress";
import { fromResult } from "../src/result/protocol";
import { isDone, stepsOf } from "../src/result/steps";
import type { CompletedMigration, Finding } from "../src/server/protocol";

function result(given: object, findings: readonly Partial<Finding>[] = []): CompletedMigration {
  const summary = { edits: 0, replaced: 0, errors: 0 };
  return { summary, findings, ...given } as unknown as CompletedMigration;
}

describe("the steps of a result", () => {
  it("come in order, what is wrong before what is to be run", () => {
    const steps = ["pythonPath", "launch", "install", "environment"].map((id) => ({ id, command: id }));
    const summary = { edits: 0, replaced: 0, errors: 2 };
    const found = stepsOf(result({ steps, summary }, [{ kind: "", applicability: "unsafe" }]));
    const names = ["errors", "apply", "environment", "install", "launch", "pythonPath", "verify"];
    assert.deepEqual(
      found.map(({ id }) => id),
      names,
    );
    assert.deepEqual(
      found.map(({ count }) => count),
      [2, 1, 0, 0, 0, 0, 1],
    );
  });

  it("offer as many fixes as their preview shows, of APIs without a counterpart too", () => {
    const findings = [
      { kind: "unsupported", applicability: "unsafe" },
      { kind: "", applicability: "unsafe" },
      { kind: "unsupported", applicability: "manual" },
      { kind: "advice", applicability: "unsafe" },
    ] as const;
    const apply = stepsOf(result({}, findings)).find(({ id }) => id === "apply");
    assert.equal(apply?.count, 3);
    assert.deepEqual(apply.beside, { unsupported: 1, advice: 1 });
  });

  it("of a project that needs nothing are to verify it, also where the result is of an earlier release", () => {
    assert.deepEqual(
      stepsOf(result({})).map(({ id }) => id),
      ["verify"],
    );
  });

  it("leave a run on the simulated NPU out where none stands in for what the project needs", () => {
    const names = (isSimulated: boolean): string[] => stepsOf(result({ isSimulated })).map(({ id }) => id);
    assert.deepEqual(names(true), ["verify"]);
    assert.deepEqual(names(false), []);
  });

  it("are done when they are ticked, and a run that passed is done without", () => {
    const passed = { state: "passed", verdict: "", error: "", ran: 1, lines: 1 } as const;
    assert.ok(isDone("verify", [], passed));
    assert.ok(!isDone("verify", [], { state: "none" }));
    assert.ok(isDone("install", ["install"], { state: "none" }));
    assert.ok(!isDone("install", [], passed));
  });

  it("are ticked by no message that is not of this form", () => {
    assert.deepEqual(fromResult({ type: "tick", id: "install", done: true }), {
      type: "tick",
      id: "install",
      done: true,
    });
    for (const message of [
      { type: "tick", id: "none", done: true },
      { type: "tick", id: "install" },
      { type: "copy", id: 1 },
    ]) {
      assert.equal(fromResult(message), undefined);
    }
  });
});

describe("what is ticked", () => {
  it("is remembered by project, of the last projects only", async () => {
    const kept = new Map<string, unknown>();
    const memory = {
      get: (key: string): unknown => kept.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
    };
    const progress = new Progress(memory);
    await progress.tick("/a", "install", true);
    await progress.tick("/b", "verify", true);
    await progress.tick("/b", "verify", false);
    assert.deepEqual(progress.of("/a"), ["install"]);
    assert.deepEqual(progress.of("/b"), []);
    for (let at = 0; at < 20; at += 1) {
      await progress.tick(`/more/${String(at)}`, "apply", true);
    }
    assert.deepEqual(progress.of("/a"), []);
    assert.deepEqual(progress.of("/more/19"), ["apply"]);
  });
});
