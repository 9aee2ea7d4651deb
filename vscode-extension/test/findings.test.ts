import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Findings, movedBy, type Reported } from "../src/findings/live";
import { causesOf, findingsOf, groupFindings, type Row, rowsOf, todoOf } from "../src/findings/model";
import { fromResult, resultState } from "../src/result/protocol";
import { tally } from "../src/result/tally";
import type { CompletedMigration } from "../src/server/protocol";
import { finding } from "./finding";

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

  it("has what is on the way of the training first, then what no training reaches, then advice", () => {
    const mixed = [
      finding("hint.py", 1, { severity: "hint" }),
      finding("serve.py", 1, { severity: "error", onTheWay: false }),
      finding("train.py", 1, { severity: "information", onTheWay: true }),
    ];
    assert.deepEqual(
      groupFindings(mixed, "file").map(({ name, standing }) => [name, standing]),
      [
        ["train.py", "way"],
        ["serve.py", "beside"],
        ["hint.py", "advice"],
      ],
    );
  });

  it("keeps what a rule says of files on the way and beside it apart", () => {
    const both = [finding("a.py", 1), finding("b.py", 1, { onTheWay: false })];
    assert.deepEqual(
      groupFindings(both, "kind").map(({ key, name }) => [key, name]),
      [
        ["NPU101", "NPU101"],
        ["NPU101 beside", "NPU101"],
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

/** What is reported at a line. */
function reported(line: number, more: Partial<Reported> = {}): Reported {
  const { code, message, severity, kind, range } = finding("", line);
  return { code, message, severity, kind, range, applicability: "manual", fix: null, ...more };
}

describe("the findings of a file that was changed", () => {
  it("are reached as those that the analysis found there", () => {
    const findings = new Findings([finding("a.py", 1, { onTheWay: false, reachedFrom: ["serve.py"] })]);
    const { code, message, severity, range, kind, applicability } = finding("a.py", 5);
    findings.replace(
      { file: "/p/a.py", path: "a.py", cell: null },
      [{ code, message, severity, range, kind, applicability, fix: null }],
      new Map(),
    );
    assert.deepEqual(
      findings.all.map(({ onTheWay, reachedFrom }) => [onTheWay, reachedFrom]),
      [[false, ["serve.py"]]],
    );
  });

  const before = [
    finding("a.py", 1, { api: "torch.x" }),
    finding("a.py", 5, { message: "gone" }),
    finding("b.py", 3),
  ];
  const file = { file: "/p/a.py", path: "a.py", cell: null };
  const rules = new Map([["NPU101", { name: "cuda-api", family: "device" }]]);
  const lines = (findings: Findings): unknown =>
    findings.all.map(({ path, cell, range }) => [path, cell, range.start.line]);

  it("are those that are reported, with what is known of their rule and their fix", () => {
    const findings = new Findings(before);
    assert.ok(findings.replace(file, [reported(7, { applicability: "safe", fix: "do" })], rules));
    const [moved] = findings.of("/p/a.py");
    assert.deepEqual(
      [moved?.range.start.line, moved?.applicability, moved?.fix, moved?.rule, moved?.family, moved?.api],
      [7, "safe", "do", "cuda-api", "device", "torch.x"],
    );
    assert.equal(findings.all.length, 2);
  });

  it("go when nothing is reported any more, and those of other files stay", () => {
    const findings = new Findings(before);
    assert.ok(findings.replace(file, [], rules));
    assert.deepEqual(findings.all, [finding("b.py", 3)]);
    assert.deepEqual(findings.names, ["/p/b.py"]);
  });

  it("are nothing new when the same is reported again, in whatever order", () => {
    const findings = new Findings(before);
    const same = [reported(5, { message: "gone" }), reported(1)];
    assert.equal(findings.replace(file, same, rules), false);
    assert.equal(findings.replace(file, [reported(1)], rules), true);
  });

  it("of a notebook are those of the cell that is reported", () => {
    const cells = [finding("n.ipynb", 1, { cell: 1 }), finding("n.ipynb", 1, { cell: 2 })];
    const findings = new Findings(cells);
    assert.ok(findings.replace({ file: "/p/n.ipynb", path: "n.ipynb", cell: 2 }, [reported(4)], rules));
    assert.deepEqual(lines(findings), [
      ["n.ipynb", 1, 1],
      ["n.ipynb", 2, 4],
    ]);
  });

  it("that only the project shows stay, move with the text, and go with what is written over them", () => {
    const findings = new Findings([finding("a.py", 4, { proven: true, code: "NPU001" }), finding("a.py", 9)]);
    findings.replace(file, [], rules);
    assert.deepEqual(lines(findings), [["a.py", null, 4]]);
    const at = (line: number, to = line) => ({
      range: { start: { line, character: 0 }, end: { line: to, character: 0 } },
      text: "x\ny\n",
    });
    assert.ok(findings.edit("/p/a.py", null, [at(1)]));
    assert.deepEqual(lines(findings), [["a.py", null, 6]]);
    assert.equal(findings.edit("/p/a.py", null, [at(7)]), false);
    assert.ok(findings.edit("/p/a.py", null, [at(6, 7)]));
    assert.deepEqual(lines(findings), []);
  });

  it("that only the project shows are told once where a report has them, too", () => {
    const findings = new Findings([finding("a.py", 4, { proven: true })]);
    findings.replace(file, [reported(4)], rules);
    assert.equal(findings.all.length, 1);
  });

  it("of thousands of files cost no look at the others", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => finding(`f${at % 500}.py`, at));
    const findings = new Findings(many);
    const others = findings.of("/p/f1.py");
    for (let at = 0; at < 500; at += 2) {
      findings.replace({ file: `/p/f${at}.py`, path: `f${at}.py`, cell: null }, [], rules);
    }
    assert.equal(findings.all.length, 2_500);
    assert.equal(findings.of("/p/f1.py"), others);
  });
});

describe("a place after changes of the text", () => {
  it("is where it was when they are below it, and another number of lines below when above", () => {
    const place = finding("", 5).range;
    const change = (from: number, to: number, text: string) => ({
      range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
      text,
    });
    assert.equal(movedBy(place, [change(6, 9, "")]), place);
    assert.equal(movedBy(place, [change(0, 2, "a\n")])?.start.line, 4);
    assert.equal(movedBy(place, [change(0, 0, "a\n"), change(8, 9, "")])?.end.line, 6);
    assert.equal(movedBy(place, [change(4, 6, "")]), undefined);
  });
});

describe("the rows of the tree", () => {
  const cuda = { message: "m", applicability: "safe", fix: "Replace `cuda` with `npu`" } as const;
  const findings = [
    finding("a.py", 1, cuda),
    finding("a.py", 9, cuda),
    finding("a.py", 9, cuda),
    finding("a.py", 3, { message: "`f` raises" }),
  ];
  const all = (parent?: Row): Row[] => rowsOf(parent, findings, "file").flatMap((row) => [row, ...all(row)]);

  it("have ids that differ, also where two are about the same", () => {
    const rows = all();
    assert.equal(rows.length, 1 + 1 + 3 + 1);
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  });

  it("keep their ids when lines move, so that what is open stays open", () => {
    const ids = all().map(({ id }) => id);
    const below = findings.map((item) => ({ ...item, range: finding("", item.range.start.line + 7).range }));
    const moved = (parent?: Row): Row[] =>
      rowsOf(parent, below, "file").flatMap((row) => [row, ...moved(row)]);
    assert.deepEqual(
      moved().map(({ id }) => id),
      ids,
    );
  });

  it("are about the findings below them", () => {
    assert.deepEqual(
      all().map((row) => findingsOf(row).length),
      [4, 3, 1, 1, 1, 1],
    );
  });

  it("say what to do: what the safe fix does, else what is to be known", () => {
    const [first, , , last] = findings;
    assert.ok(first !== undefined && last !== undefined);
    assert.equal(todoOf([first]), "Replace cuda with npu");
    assert.equal(todoOf([last]), "f raises");
    assert.equal(todoOf([{ ...first, applicability: "unsafe" }]), "m");
    assert.equal(todoOf([first, { ...first, fix: "Replace `cuda:0`" }]), "m");
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
      finding("a.py", 5, { kind: "advice", severity: "hint" }),
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
