import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { parseProbe, probePython } from "../src/python/probe";

const ANSWER = {
  executable: "/usr/bin/python3",
  version: [3, 12, 1],
  extensionSuffix: ".cpython-312-x86_64-linux-gnu.so",
  machine: "x86_64",
  hasServer: false,
};

describe("the probe of an interpreter", () => {
  it("reads the answer behind whatever the environment prints at start", () => {
    assert.deepEqual(parseProbe(`welcome!\r\n${JSON.stringify(ANSWER)}\r\n`), ANSWER);
  });

  it("refuses what is no answer", () => {
    for (const output of [
      "",
      "Python 3.12.1",
      "null",
      "{}",
      JSON.stringify({ ...ANSWER, version: "3.12" }),
    ]) {
      assert.throws(() => parseProbe(output), /not the answer/);
    }
  });

  it("is understood by a real Python", async () => {
    const facts = await probePython({ program: process.env.PYTHON ?? "python3", args: [] });
    assert.equal(facts.version[0], 3);
    assert.match(facts.extensionSuffix, /\.(so|pyd)$/);
  });

  it("fails for a program that does not exist", async () => {
    await assert.rejects(probePython({ program: "/no/such/python", args: [] }));
  });
});
