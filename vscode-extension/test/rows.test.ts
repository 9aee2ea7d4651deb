import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { filtered } from "../src/findings/filter";
import { findingsOf, type Row, rowsOf } from "../src/findings/model";
import { ShownOrder } from "../src/findings/order";
import type { Finding } from "../src/server/protocol";
import { finding } from "./finding";

describe("the tree by folder, and by what a training reaches", () => {
  const findings = [
    finding("lib/a.py", 1),
    finding("lib/b.py", 1, { onTheWay: false }),
    finding("train.py", 1),
    finding("lib/a.py", 3, { severity: "hint" }),
  ];
  const tree = (grouping: "folder" | "way"): unknown =>
    rowsOf(undefined, findings, grouping).map((row) => [
      row.kind === "group" ? row.group.name : "",
      rowsOf(row, findings, grouping).map((file) => (file.kind === "group" ? file.group.name : "")),
    ]);

  it("has files below folders", () => {
    assert.deepEqual(tree("folder"), [
      ["", ["train.py"]],
      ["lib", ["lib/a.py", "lib/b.py"]],
    ]);
  });

  it("has files below what is on the way, beside it, and advice", () => {
    assert.deepEqual(tree("way"), [
      ["way", ["lib/a.py", "train.py"]],
      ["beside", ["lib/b.py"]],
      ["advice", ["lib/a.py"]],
    ]);
  });
});

describe("rows that are shown already", () => {
  const findings = [1, 3, 5].map((line) => finding("a.py", line, { message: line === 3 ? "other" : "m" }));
  const titles = (rows: readonly Row[]): unknown =>
    rows.map((row) => (row.kind === "group" ? row.group.name : findingsOf(row)[0]?.message));

  it("keep their order when the gravest of them is mended", () => {
    const order = new ShownOrder();
    const grave = finding("z.py", 1, { severity: "error" });
    assert.deepEqual(titles(rowsOf(undefined, [...findings, grave], "file", order)), ["z.py", "a.py"]);
    const mended = [...findings, finding("z.py", 9), finding("new.py", 1, { severity: "error" })];
    assert.deepEqual(titles(rowsOf(undefined, mended, "file", order)), ["new.py", "z.py", "a.py"]);
    order.forget();
    assert.deepEqual(titles(rowsOf(undefined, mended, "file", order)), ["new.py", "a.py", "z.py"]);
  });

  it("keep their order when the first place of a cause is mended", () => {
    const order = new ShownOrder();
    const below = (members: readonly Finding[]): unknown => {
      const [group] = rowsOf(undefined, members, "file", order);
      return titles(rowsOf(group, members, "file", order));
    };
    assert.deepEqual(below(findings), ["m", "other"]);
    assert.deepEqual(below(findings.slice(1)), ["m", "other"]);
    assert.deepEqual(titles(rowsOf(rowsOf(undefined, findings.slice(1), "file")[0], [], "file")), [
      "other",
      "m",
    ]);
  });
});

describe("the filter of the view", () => {
  const findings = [
    finding("lib/a.py", 1, { severity: "error", api: "torch.cuda.Stream" }),
    finding("b.py", 2, { rule: "cuda-name", message: "Replace it" }),
    finding("c.py", 3, { severity: "hint", code: "NPU502" }),
  ];
  const paths = (filter: string): string[] => filtered(findings, filter).map(({ path }) => path);

  it("lets all through while it is empty", () => {
    assert.deepEqual(paths("  "), ["lib/a.py", "b.py", "c.py"]);
  });

  it("takes words of paths, rules, names and messages, all of which must be there", () => {
    assert.deepEqual(paths("LIB"), ["lib/a.py"]);
    assert.deepEqual(paths("stream lib"), ["lib/a.py"]);
    assert.deepEqual(paths("cuda-name replace"), ["b.py"]);
    assert.deepEqual(paths("npu502"), ["c.py"]);
    assert.deepEqual(paths("stream replace"), []);
  });

  it("takes severities, one of which it must be, also while they are typed", () => {
    assert.deepEqual(paths("@error"), ["lib/a.py"]);
    assert.deepEqual(paths("@w @hint"), ["b.py", "c.py"]);
    assert.deepEqual(paths("@error b.py"), []);
  });
});
