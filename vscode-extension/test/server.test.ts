import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";

import { expandPath } from "../src/paths";
import { Bundle } from "../src/python/bundle";
import type { Choice } from "../src/python/choose";
import { CrashLimit } from "../src/server/crashes";
import { launchOf, sameLaunch } from "../src/server/launch";

function choice(strategy: Choice["strategy"]): Choice {
  const executable = "/usr/bin/python3.12";
  return {
    kind: "chosen",
    strategy,
    candidate: { source: "path", command: { program: "python3", args: [] } },
    facts: {
      ...{ executable, version: [3, 12, 0], extensionSuffix: ".so", machine: "x86_64" },
      ...{ hasServer: true, hasAgents: false },
    },
  };
}

describe("starting the server", () => {
  const bundle = new Bundle(path.resolve(import.meta.dirname, "..", "bundled"), "/storage");
  const script = path.resolve(import.meta.dirname, "..", "bundled", "run_server.py");

  it("keeps the project's modules and environment variables out of it", () => {
    for (const strategy of ["useBundled", "fromEnvironment"] as const) {
      assert.equal(launchOf(choice(strategy), bundle).args[0], "-I");
      assert.equal(bundle.announcing(strategy, ["lsp"])[0], "-I");
    }
  });

  it("runs the bundled script, or the module of the environment", () => {
    const bundled = launchOf(choice("useBundled"), bundle);
    const installed = launchOf(choice("fromEnvironment"), bundle);
    assert.deepEqual(bundled.args.slice(-2), [script, "lsp"]);
    assert.deepEqual(installed.args, ["-I", "-m", "gpu2ascend", "lsp"]);
    assert.ok(!sameLaunch(bundled, installed));
    assert.ok(sameLaunch(bundled, { ...bundled }));
  });

  it("keeps bytecode in its own storage where it may not write beside the modules", () => {
    const unwritable = new Bundle("/no/such/extension", "/storage");
    assert.ok(unwritable.running(["lsp"]).includes("pycache_prefix=/storage"));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-test-"));
    fs.mkdirSync(path.join(folder, "libs"));
    const writable = new Bundle(folder, "/storage");
    assert.ok(!writable.running(["lsp"]).join(" ").includes("pycache_prefix"));
    fs.rmSync(folder, { recursive: true });
  });
});

describe("a server that crashes", () => {
  it("is started again a few times, and then no more", () => {
    const crashes = new CrashLimit(3, 1_000, () => 0);
    assert.deepEqual(
      Array.from({ length: 5 }, () => crashes.mayRestart()),
      [true, true, true, false, false],
    );
  });

  it("is forgiven what lies long ago", () => {
    let now = 0;
    const crashes = new CrashLimit(1, 1_000, () => now);
    assert.ok(crashes.mayRestart());
    now = 2_000;
    assert.ok(crashes.mayRestart());
  });

  it("begins anew when the user restarts it", () => {
    const crashes = new CrashLimit(1, 1_000, () => 0);
    crashes.mayRestart();
    crashes.reset();
    assert.ok(crashes.mayRestart());
  });
});

describe("a path in the settings", () => {
  it("may name the home directory, the folder and the environment", () => {
    process.env.E2E_TEST_VARIABLE = "/opt";
    assert.equal(expandPath("~/py", "/p"), `${os.homedir()}/py`);
    assert.equal(expandPath("${workspaceFolder}/.venv/bin/python", "/p"), "/p/.venv/bin/python");
    assert.equal(expandPath("${env:E2E_TEST_VARIABLE}/py", undefined), "/opt/py");
  });

  it("is relative to the folder, while a bare name is looked up on PATH", () => {
    assert.equal(expandPath(".venv/bin/python", "/p"), "/p/.venv/bin/python");
    assert.equal(expandPath("python3.12", "/p"), "python3.12");
  });
});
