import assert from "node:assert/strict";
import * as path from "node:path";
import { describe, it } from "node:test";

import { announced, parseFacts, startPython } from "../src/python/start";

const ANSWER = {
  executable: "/usr/bin/python3",
  version: [3, 12, 1],
  extensionSuffix: ".cpython-312-x86_64-linux-gnu.so",
  machine: "x86_64",
  hasServer: false,
  hasAgents: false,
};

describe("what an interpreter says of itself", () => {
  it("is read once its line is complete, behind whatever the environment prints at start", () => {
    const line = `gpu2ascend runs on ${JSON.stringify(ANSWER)}`;
    assert.equal(announced(`welcome!\n${line}`), undefined);
    assert.deepEqual(parseFacts(announced(`welcome!\r\n${line}\r\nmore`) ?? ""), ANSWER);
  });

  it("is refused if it is no answer", () => {
    for (const output of [
      "",
      "Python 3.12.1",
      "null",
      "{}",
      JSON.stringify({ ...ANSWER, version: "3.12" }),
    ]) {
      assert.throws(() => parseFacts(output), /not the answer/);
    }
  });
});

describe("starting an interpreter", () => {
  const python = { program: process.env.PYTHON ?? "python3", args: [] };
  const directory = path.resolve(import.meta.dirname, "..", "bundled");
  const script = path.join(directory, "run_server.py");

  it("reports what it is, and leaves the process to go on", async () => {
    // What it would go on to do needs no bundle: the script announces before it looks for one.
    const { facts, process: child } = await startPython(
      python,
      ["-I", script, "--announce", "lsp"],
      directory,
    );
    const ended = new Promise((resolve) => child.once("close", resolve));
    assert.equal(facts.version[0], 3);
    assert.match(facts.extensionSuffix, /\.(so|pyd)$/);
    child.stderr.resume();
    child.kill();
    await ended;
  });

  it("keeps what is said after that until something listens: it may be why it ends", async (test) => {
    const announcement = `gpu2ascend runs on ${JSON.stringify(ANSWER)}`;
    const program = `
import sys
print(sys.argv[1], file=sys.stderr, flush=True)
input()
print("no licence", file=sys.stderr, flush=True)
print("said", flush=True)
input()
`;
    const { process: child } = await startPython(python, ["-I", "-c", program, announcement], directory);
    test.after(() => child.kill());
    child.stdin.write("go on\n");
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const heard = new Promise<Buffer>((resolve) => child.stderr.once("data", resolve));
    child.stderr.resume();
    assert.match((await heard).toString(), /no licence/);
    child.stdin.end("go on\n");
  });

  it("begins in the directory given, with nothing of Python's in the environment", async (test) => {
    const before = { ...process.env };
    test.after(() => {
      process.env = before;
    });
    process.env = {
      ...before,
      PYTHONPATH: ".",
      PYTHONSTARTUP: "hostile.py",
      PythonHome: "venv",
      KEPT: "yes",
    };
    const program = `
import json, os, sys
facts = json.loads(sys.argv[1])
facts["executable"] = os.getcwd()
facts["machine"] = " ".join(name for name in os.environ if name == "KEPT" or "PYTHON" in name.upper())
print("gpu2ascend runs on", json.dumps(facts), file=sys.stderr, flush=True)
`;
    const args = ["-I", "-c", program, JSON.stringify(ANSWER)];
    const { facts } = await startPython(python, args, directory);
    assert.equal(facts.executable, directory);
    assert.equal(facts.machine, "KEPT");
  });

  it("fails with its last words if it ends without an answer", async () => {
    await assert.rejects(
      startPython(python, ["-I", "-c", "raise SystemExit('no licence')"], directory),
      /^Error: no licence$/,
    );
    await assert.rejects(startPython(python, ["-I", "-c", "raise SystemExit(3)"], directory), /exit code 3/);
  });

  it("fails for a program that does not exist", async () => {
    await assert.rejects(startPython({ program: "/no/such/python", args: [] }, [], directory), /ENOENT/);
  });
});
