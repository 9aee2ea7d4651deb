import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";

import { shims } from "../src/terminal/shim";

describe("the program in a terminal", () => {
  const { gpu2ascend, "gpu2ascend.cmd": batch } = shims({
    command: process.execPath,
    args: ["-p", `JSON.stringify(process.argv.slice(1)) + " it's"`],
    directory: "/",
  });

  it("is started with the words that are typed", { skip: process.platform === "win32" }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-test-"));
    const file = path.join(folder, "gpu2ascend");
    fs.writeFileSync(file, gpu2ascend ?? "", { mode: 0o755 });
    const said = execFileSync(file, ["check", "a b", "$HOME"], { encoding: "utf8" });
    fs.rmSync(folder, { recursive: true });
    assert.equal(said.trim(), `["check","a b","$HOME"] it's`);
  });

  it("is started with the words that are typed on Windows too", () => {
    const lines = shims({ command: "C:\\a b\\100%\\python.exe", args: ["-I"], directory: "" })[
      "gpu2ascend.cmd"
    ];
    assert.equal(lines, '@"C:\\a b\\100%%\\python.exe" "-I" %*\r\n');
    assert.ok(batch?.endsWith(" %*\r\n"));
  });
});
