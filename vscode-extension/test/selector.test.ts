import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";

import { SELECTOR } from "../src/server/selector";

const KINDS = path.resolve(__dirname, "../../rules/gpu2ascend_rules/kinds");

/** What the kinds of file beside Python are called by editors, as the rules say it. */
function languagesOfKinds(): string[] {
  return fs
    .readdirSync(KINDS, { withFileTypes: true })
    .map((entry) => path.join(KINDS, entry.isDirectory() ? `${entry.name}/__init__.py` : entry.name))
    .filter((file) => file.endsWith(".py") && fs.existsSync(file))
    .map((file) => /languages=\(([^)]*)\)/.exec(fs.readFileSync(file, "utf8"))?.[1] ?? "")
    .flatMap((names) => [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? ""));
}

describe("the documents that the server is shown", () => {
  const filters = SELECTOR.flatMap((filter) =>
    typeof filter === "object" && "scheme" in filter ? [filter] : [],
  );
  const ofFiles = filters.filter(({ scheme }) => scheme === "file");

  for (const language of ["python", ...languagesOfKinds()]) {
    it(`are files of the language ${language}, whatever their names`, () => {
      const found = ofFiles.filter((filter) => filter.language === language);
      assert.ok(found.some((filter) => !("pattern" in filter)));
    });
  }

  it("are known to the rules, or go by their names", () => {
    const known = new Set(["python", ...languagesOfKinds()]);
    for (const filter of ofFiles) {
      assert.ok(known.has(filter.language ?? "") || "pattern" in filter, filter.language);
    }
  });

  it("have no other side of a comparison among them", () => {
    assert.deepEqual([...new Set(filters.map(({ scheme }) => scheme))].sort(), ["file", "untitled"]);
  });

  it("include unnamed ones of Python and of the shell", () => {
    const unnamed = filters.filter(({ scheme }) => scheme === "untitled");
    assert.deepEqual(unnamed.map(({ language }) => language).sort(), ["python", "shellscript"]);
  });
});
