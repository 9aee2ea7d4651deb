import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";

const EXTENSION = path.resolve(__dirname, "..");

function read(file: string): Record<string, string> {
  return JSON.parse(fs.readFileSync(path.join(EXTENSION, file), "utf8")) as Record<string, string>;
}

function sources(folder: string): string[] {
  return fs
    .readdirSync(path.join(EXTENSION, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => fs.readFileSync(path.join(EXTENSION, folder, name), "utf8"));
}

/** The texts that the code asks for: the first argument of `t(...)`. */
function usedTexts(): Set<string> {
  const call = /\bt\(\s*"((?:[^"\\]|\\.)*)"/g;
  return new Set(
    sources("src").flatMap((text) =>
      [...text.matchAll(call)].map(([, key]) => JSON.parse(`"${key}"`) as string),
    ),
  );
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\d\}/g)].map(([found]) => found).sort();
}

describe("the Chinese texts", () => {
  const chinese = read("l10n/bundle.l10n.zh-cn.json");

  it("are complete, and none is left over", () => {
    assert.deepEqual(Object.keys(chinese).sort(), [...usedTexts()].sort());
  });

  it("are in Chinese, but for names, and so are the pictures", () => {
    const names = new Set(["displayName", "command.openDialog", "Python {0} ({1})", "PyTorch ?"]);
    for (const file of ["l10n/bundle.l10n.zh-cn.json", "package.nls.zh-cn.json"]) {
      for (const [key, text] of Object.entries(read(file))) {
        const isPicture = text.endsWith(".zh-CN.png") && fs.existsSync(path.join(EXTENSION, text));
        assert.ok(names.has(key) || isPicture || /[\u4e00-\u9fff]/.test(text), `${file}: ${key}`);
      }
    }
  });

  it("have the same places for values", () => {
    for (const [english, text] of Object.entries(chinese)) {
      assert.deepEqual(placeholders(text), placeholders(english), english);
    }
  });

  it("of the manifest are complete", () => {
    const manifest = fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8");
    const asked = new Set([...manifest.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    assert.deepEqual(Object.keys(read("package.nls.json")).sort(), [...asked].sort());
    assert.deepEqual(Object.keys(read("package.nls.zh-cn.json")).sort(), [...asked].sort());
  });
});
