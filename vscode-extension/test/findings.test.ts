import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { replaced } from "../src/findings/live";
import { causesOf, groupFindings } from "../src/findings/model";
import { fromResult, resultState } from "../src/result/protocol";
import { tally } from "../src/result/tally";
import type { CompletedMigration, Finding } from "../src/server/protocol";

function finding(path: string, line: number, more: Partial<Finding> = {}): Finding {
  const place = { line, character: 0 };
  return {
    ...{ code: "NPU101", message: "m", severity: "warning", kind: "", family: "device", api: null },
    ...{ applicability: "manual", path, file: `/p/${path}`, range: { start: place, end: place }, cell: null },
    ...more,
  };
}

describe("the tree of findings", () => {
  const findings = [
    finding("b.py", 9),
    finding("b.py", 2),
    finding("a.py", 1),
    finding("z.py", 1, { severity: "error" }),
  ];

  it("has the gravest group first, then by name", () => {
    assert.deepEqual(
      groupFindings(findings, "file").map(({ name }) => name),
      ["z.py", "a.py", "b.py"],
    );
  });

  it("has the findings of a group in the order of their places", () => {
    const lines = groupFindings(findings, "file")
      .at(-1)
      ?.findings.map(({ range }) => range.start.line);
    assert.deepEqual(lines, [2, 9]);
  });

  it("keeps files of the same path in two folders apart, and cells in their order", () => {
    const twins = [
      finding("a.py", 1),
      finding("a.py", 1, { file: "/q/a.py" }),
      finding("n.ipynb", 1, { cell: 3 }),
      finding("n.ipynb", 7, { cell: 2 }),
    ];
    assert.deepEqual(
      groupFindings(twins, "file").map(({ name, findings: [first] }) => [name, first?.file, first?.cell]),
      [
        ["a.py", "/p/a.py", null],
        ["a.py", "/q/a.py", null],
        ["n.ipynb", "/p/n.ipynb", 2],
      ],
    );
  });

  it("groups by severity as well, the gravest first", () => {
    assert.deepEqual(
      groupFindings(findings, "severity").map(({ name, findings: { length } }) => [name, length]),
      [
        ["error", 1],
        ["warning", 3],
      ],
    );
  });

  it("groups by rule as well", () => {
    assert.deepEqual(
      groupFindings(findings, "kind").map(({ name, worst }) => [name, worst]),
      [["NPU101", "error"]],
    );
  });
});

describe("the findings of a file that was changed", () => {
  const before = [
    finding("a.py", 1, { applicability: "safe" }),
    finding("a.py", 5, { message: "gone" }),
    finding("b.py", 3),
  ];
  const file = { file: "/p/a.py", path: "a.py" };
  const at = (line: number): Finding["range"] => finding("", line).range;

  it("move with their lines, and keep what is known of their fix", () => {
    const now = replaced(before, file, [{ code: "NPU101", message: "m", severity: "warning", range: at(7) }]);
    assert.deepEqual(
      now.map(({ path, range, applicability }) => [path, range.start.line, applicability]),
      [
        ["b.py", 3, "manual"],
        ["a.py", 7, "safe"],
      ],
    );
  });

  it("go when nothing is reported any more, and those of other files stay", () => {
    assert.deepEqual(replaced(before, file, []), [finding("b.py", 3)]);
  });

  it("that are new have the family of their rule, and no fix before the next analysis", () => {
    const reported = { code: "NPU101", message: "new", severity: "error", range: at(2) } as const;
    const [, added] = replaced(before, file, [reported]);
    assert.equal(added?.family, "device");
    assert.equal(added.applicability, "manual");
  });
});

describe("the causes of a group", () => {
  it("are told once, in the order of their first places, with all places", () => {
    const found = [
      finding("a.py", 1, { message: "one" }),
      finding("a.py", 2, { message: "two" }),
      finding("b.py", 3, { message: "one" }),
      finding("b.py", 9, { message: "one" }),
    ];
    const shown = causesOf(found).map((cause) =>
      "findings" in cause
        ? [cause.findings[0].message, cause.findings.map(({ path, range }) => `${path}:${range.start.line}`)]
        : cause.message,
    );
    assert.deepEqual(shown, [["one", ["a.py:1", "b.py:3", "b.py:9"]], "two"]);
  });

  it("are apart where rule, severity or message differ", () => {
    const found = [
      finding("a.py", 1),
      finding("a.py", 2, { code: "NPU102" }),
      finding("a.py", 3, { severity: "error" }),
      finding("a.py", 4, { message: "other" }),
    ];
    assert.deepEqual(causesOf(found), found);
  });

  it("have every finding of the group, once", () => {
    const found = Array.from({ length: 1282 }, (_, line) =>
      finding("a.py", line, { message: `${line % 3}` }),
    );
    const places = causesOf(found).flatMap((cause) => ("findings" in cause ? cause.findings : [cause]));
    assert.equal(causesOf(found).length, 3);
    assert.deepEqual(new Set(places), new Set(found));
    assert.equal(places.length, found.length);
  });
});

describe("the picture of a result", () => {
  it("counts every edit and every finding once", () => {
    const findings = [
      finding("a.py", 1, { kind: "unsupported" }),
      finding("a.py", 2, { applicability: "unsafe" }),
      finding("a.py", 3),
      finding("a.py", 4),
    ];
    const result = { findings, summary: { edits: 7, replaced: 3 } } as unknown as CompletedMigration;
    assert.deepEqual(
      tally(result).map(({ count }) => count),
      [4, 3, 1, 1, 2],
    );
  });
});

describe("a message of the result page", () => {
  it("is taken when it has its form, and passed over otherwise", () => {
    assert.deepEqual(fromResult({ type: "compare", index: 3 }), { type: "compare", index: 3 });
    for (const message of [
      null,
      {},
      { type: "compare" },
      { type: "compare", index: -1 },
      { type: "reveal", index: "1" },
    ]) {
      assert.equal(fromResult(message), undefined);
    }
  });

  it("cannot name a file outside the kept results", () => {
    assert.equal(resultState({ id: "../../x" }), undefined);
    assert.equal(resultState({ id: "17" })?.id, "17");
  });
});
