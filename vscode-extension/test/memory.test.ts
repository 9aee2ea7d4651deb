import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";

import type { Candidate, Choice } from "../src/python/choose";
import { LastFound, type Memory } from "../src/python/memory";

function emptyMemory(): Memory {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => values.get(key),
    update: (key: string, value: unknown) => {
      values.set(key, value);
      return Promise.resolve();
    },
  } as Memory;
}

const PYTHON = { program: "python3", args: [] };
const BEHIND = path.join(path.sep, "versions", "3.12", "python3");

function chosen(candidate: Candidate, executable: string): Choice {
  const version = [3, 12, 0] as const;
  const known = { executable, version, extensionSuffix: ".so", machine: "x86_64" };
  const facts = { ...known, hasServer: false, hasAgents: false };
  return { kind: "chosen", candidate, strategy: "useBundled", facts };
}

describe("what was found the last time", () => {
  let shims: string;
  let last: LastFound;
  const shim = (): string => path.join(shims, process.platform === "win32" ? "python3.exe" : "python3");

  beforeEach(() => {
    shims = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-shims-"));
    fs.writeFileSync(shim(), "#!/bin/sh\n");
    last = new LastFound(emptyMemory(), () => [path.join(shims, "absent"), shims].join(path.delimiter));
  });

  afterEach(() => {
    fs.rmSync(shims, { recursive: true });
  });

  it("is the interpreter that a script on PATH started", async () => {
    assert.equal(last.behind(PYTHON), undefined);
    await last.keep(chosen({ source: "path", command: PYTHON }, BEHIND));
    assert.equal(last.behind(PYTHON), BEHIND);
    assert.equal(last.behind({ program: "python", args: [] }), undefined);
  });

  it("is kept when it was started by itself the next time", async () => {
    await last.keep(chosen({ source: "path", command: PYTHON }, BEHIND));
    await last.keep(chosen({ source: "path", command: { program: BEHIND, args: [] } }, BEHIND));
    assert.equal(last.behind(PYTHON), BEHIND);
  });

  it("is forgotten once the script is another one, or is gone", async () => {
    await last.keep(chosen({ source: "path", command: PYTHON }, BEHIND));
    fs.utimesSync(shim(), 1, 1);
    assert.equal(last.behind(PYTHON), undefined);
    await last.keep(chosen({ source: "path", command: PYTHON }, BEHIND));
    fs.rmSync(shim());
    assert.equal(last.behind(PYTHON), undefined);
  });

  it("is nothing where the command is the interpreter itself", async () => {
    await last.keep(chosen({ source: "path", command: PYTHON }, shim()));
    assert.equal(last.behind(PYTHON), undefined);
  });

  it("is what a Python extension had selected, as long as one does", async () => {
    const candidate: Candidate = { source: "pythonExtension", command: { program: BEHIND, args: [] } };
    await last.keep(chosen(candidate, BEHIND));
    assert.deepEqual(last.selected(), candidate);
    await last.keep(chosen({ source: "path", command: PYTHON }, BEHIND));
    assert.equal(last.selected(), undefined);
  });
});
