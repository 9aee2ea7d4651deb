import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { fromResult, toResult } from "../src/result/protocol";
import type { CompletedVerification, VerifyProblem } from "../src/server/protocol";
import { keptRecords, recordOf, verificationOf } from "../src/verify/record";

const RANGE = { start: { line: 11, character: 4 }, end: { line: 11, character: 20 } };
const PROBLEM: VerifyProblem = {
  ...{
    path: "train.py",
    file: "/out/train.py",
    range: RANGE,
    severity: "error",
    message: "ValueError: no data",
  },
  ...{ code: "NPU101", page: null, related: [] },
};

function completed(changes: Partial<CompletedVerification> = {}): CompletedVerification {
  return {
    ...{ status: "completed", verdict: "PASSED: 3 of 3 steps", passed: true, failure: null },
    coverage: { ran: 9, lines: 12, files: [{ path: "train.py" }] },
    ...{ page: null, problems: [] },
    ...changes,
  };
}

describe("a run on a simulated NPU", () => {
  const failure = { type: "ValueError", text: "no data\nat all", place: { path: "train.py", line: 12 } };

  it("is kept with its first error in one line", () => {
    assert.equal(recordOf(completed({ failure }), 5).error, "train.py:12: ValueError: no data");
    assert.equal(
      recordOf(completed({ failure: { ...failure, place: null } }), 5).error,
      "ValueError: no data",
    );
    assert.equal(recordOf(completed(), 5).error, "");
  });

  it("is shown as passed or failed as long as the files are the same", () => {
    const passed = recordOf(completed(), 5);
    const failed = recordOf(completed({ passed: false, failure }), 5);
    assert.equal(verificationOf(passed, false).state, "passed");
    assert.equal(verificationOf(failed, false).state, "failed");
    assert.equal(verificationOf(failed, true).state, "stale");
  });

  it("is found again where it was kept", () => {
    const record = recordOf(completed({ problems: [PROBLEM] }), 5);
    const kept = keptRecords(JSON.parse(JSON.stringify({ "/out": record })));
    assert.deepEqual(kept, new Map([["/out", record]]));
  });

  it("is forgotten where what was kept is of another form", () => {
    for (const wrong of [undefined, null, 3, [], { "/out": {} }, { "/out": { passed: "yes" } }]) {
      assert.equal(keptRecords(wrong).size, 0);
    }
  });

  it("does not name more files than are looked at again", () => {
    const files = Array.from({ length: 2_000 }, (_, index) => ({ path: `m${index}.py` }));
    assert.equal(recordOf(completed({ coverage: { ran: 1, lines: 1, files } }), 5).files.length, 500);
  });
});

describe("the messages of the result page", () => {
  it("have one that asks for a run, and no command comes with it", () => {
    assert.deepEqual(fromResult({ type: "verify", command: "rm -rf /" }), { type: "verify" });
  });

  it("have one with the state of the last run", () => {
    const message = { type: "verification", verification: { state: "none" }, texts: {} };
    assert.equal(toResult(message), message);
    assert.equal(toResult({ ...message, verification: undefined }), undefined);
  });
});
