/** The command line of this checkout, for pages that it writes. */

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { expect } from "@playwright/test";

const ROOT = path.resolve(__dirname, "..", "..", "..");

export const SAMPLE = path.join(ROOT, "examples", "shapes_classifier");

/** Runs it and gives its output; 0 or 1 is expected of it, for there may be errors left in a project. */
export function gpu2ascend(...command: readonly string[]): string {
  const venv = path.join(ROOT, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const python = process.env.PYTHON ?? (fs.existsSync(venv) ? venv : "python3");
  const roots = ["rules", "server"].map((name) => path.join(ROOT, name)).join(path.delimiter);
  const { status, stdout, stderr } = spawnSync(python, ["-m", "gpu2ascend", ...command], {
    env: { ...process.env, PYTHONPATH: roots, PYTHONUTF8: "1" },
    encoding: "utf8",
  });
  expect([0, 1], stderr).toContain(status);
  return stdout;
}
