import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";

import { type Answer, type OpenFile, settleUnsaved } from "../src/unsaved/settle";

const TOP = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "unsaved-")));
const PROJECT = path.join(TOP, "project");
fs.mkdirSync(path.join(PROJECT, "pkg"), { recursive: true });
fs.mkdirSync(path.join(TOP, "project_msft"));
fs.symlinkSync(PROJECT, path.join(TOP, "link"), "junction");
after(() => {
  fs.rmSync(TOP, { recursive: true });
});

/** Open files by their paths from the top; notes which are saved. */
class Editor {
  readonly saved: string[] = [];
  readonly asked: (readonly string[])[] = [];

  constructor(
    private readonly answer: Answer,
    private readonly refused: readonly string[] = [],
  ) {}

  file(name: string, isDirty = true): OpenFile {
    return {
      file: path.join(TOP, name),
      isDirty,
      save: () => {
        this.saved.push(name);
        return Promise.resolve(!this.refused.includes(name));
      },
    };
  }

  readonly ask = (files: readonly string[]): Promise<Answer> => {
    this.asked.push(files.map((file) => path.relative(TOP, file)));
    return Promise.resolve(this.answer);
  };
}

describe("unsaved files below a folder", () => {
  const OTHERS = ["other.py", "project_msft/train.py", "project.py", "project/../outside.py"];
  const INSIDE = ["project/train.py", "project/pkg/..odd.py", "project/gone/deep.py"];

  it("are asked about and saved, and no others", async () => {
    const editor = new Editor("save");
    const open = [...OTHERS, ...INSIDE].map((name) => editor.file(name));
    assert.deepEqual(await settleUnsaved(open, PROJECT, editor.ask), { status: "goOn" });
    assert.deepEqual(
      editor.asked,
      [INSIDE].map((names) => names.map((name) => path.normalize(name))),
    );
    assert.deepEqual(editor.saved, INSIDE);
  });

  it("stay unsaved if what is on disk is to be read", async () => {
    const editor = new Editor("leave");
    const open = INSIDE.map((name) => editor.file(name));
    assert.deepEqual(await settleUnsaved(open, PROJECT, editor.ask), { status: "goOn" });
    assert.deepEqual(editor.saved, []);
  });

  it("stay unsaved if the question is cancelled, and nothing is started", async () => {
    const editor = new Editor(undefined);
    const open = INSIDE.map((name) => editor.file(name));
    assert.deepEqual(await settleUnsaved(open, PROJECT, editor.ask), { status: "cancelled" });
    assert.deepEqual(editor.saved, []);
  });

  it("are not asked about if there are none", async () => {
    const editor = new Editor("save");
    const open = [...OTHERS.map((name) => editor.file(name)), editor.file("project/train.py", false)];
    assert.deepEqual(await settleUnsaved(open, PROJECT, editor.ask), { status: "goOn" });
    assert.deepEqual([editor.asked, editor.saved], [[], []]);
  });

  it("are named if they cannot be saved, and nothing is started", async () => {
    const editor = new Editor("save", ["project/train.py"]);
    const open = INSIDE.map((name) => editor.file(name));
    const files = [path.join(TOP, "project/train.py")];
    assert.deepEqual(await settleUnsaved(open, PROJECT, editor.ask), { status: "failed", files });
  });

  it("are found by where links lead", async () => {
    const editor = new Editor("save");
    const open = [editor.file("project/train.py"), editor.file("link/pkg/new.py")];
    await settleUnsaved(open, path.join(TOP, "link"), editor.ask);
    await settleUnsaved(open, PROJECT + path.sep, editor.ask);
    assert.deepEqual(editor.saved, [
      "project/train.py",
      "link/pkg/new.py",
      "project/train.py",
      "link/pkg/new.py",
    ]);
  });
});

describe("a command of the extension", () => {
  it("never saves whatever is unsaved in the window", () => {
    const sources = path.resolve(__dirname, "..", "src");
    const names = fs.readdirSync(sources, { recursive: true, encoding: "utf8" });
    const saving = names.filter(
      (name) => name.endsWith(".ts") && /\bsaveAll\b/.test(fs.readFileSync(path.join(sources, name), "utf8")),
    );
    assert.deepEqual(saving, []);
  });
});
