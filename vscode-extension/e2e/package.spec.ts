/** What a marketplace gets to show of the packaged extension. */

import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";

const EXTENSION = path.resolve(__dirname, "..");
const TARGET = /\]\(([^)\s#]+)[^)]*\)/g;

/** The text of a page of the extension as it was installed, whatever its name was turned into. */
function page(extensions: string, name: string): string {
  const found = fs
    .readdirSync(extensions, { recursive: true, encoding: "utf8" })
    .filter((file) => /^gpu2ascend\.gpu2ascend-[^/\\]+[/\\][^/\\]+$/.test(file))
    .filter((file) => path.basename(file).toLowerCase() === name);
  expect(found).toHaveLength(1);
  return fs.readFileSync(path.join(extensions, ...found), "utf8");
}

test("the pictures and links of the packaged pages lead to files of the repository, or of the package", ({
  extensions,
}) => {
  const project = fs.readFileSync(path.join(EXTENSION, "..", "pyproject.toml"), "utf8");
  const [, repository = ""] = /^repository = "(.*)"$/m.exec(project) ?? [];
  const readme = page(extensions, "readme.md");
  const targets = [...readme.matchAll(TARGET)].map(([, target = ""]) => target);
  expect(targets).toHaveLength(4);
  for (const target of targets) {
    const folder = `${repository}/${target.endsWith(".png") ? "raw" : "blob"}/main/vscode-extension/`;
    const file = repository === "" ? target : target.replace(folder, "");
    expect(fs.existsSync(path.join(EXTENSION, file)), target).toBe(true);
  }
  expect(targets.filter((target) => target.endsWith(".png"))).toHaveLength(3);
  expect(page(extensions, "changelog.md")).not.toMatch(/\]\((?!https:|#)/);
});
