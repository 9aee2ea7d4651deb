/**
 * The editor in Chinese. The real language pack comes from a marketplace; for a test of this extension's texts
 * one without any texts does.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { createVSIX } from "@vscode/vsce";

const ID = "gpu2ascend-test.language-pack-zh-hans";
const VERSION = "1.0.0";

/** Packs, into a folder, a language pack that can be installed like any extension. */
export async function packLanguagePack(folder: string): Promise<string> {
  const [publisher, name] = ID.split(".");
  const manifest = {
    ...{ publisher, name, version: VERSION, engines: { vscode: "^1.95.0" } },
    contributes: {
      localizations: [
        {
          languageId: "zh-cn",
          languageName: "Chinese Simplified",
          localizedLanguageName: "中文(简体)",
          translations: [{ id: "vscode", path: "./main.i18n.json" }],
        },
      ],
    },
  };
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, "README.md"), "For tests.");
  fs.writeFileSync(path.join(folder, "LICENSE"), "For tests.");
  fs.writeFileSync(path.join(folder, "main.i18n.json"), JSON.stringify({ version: VERSION, contents: {} }));
  const packagePath = path.join(folder, "pack.vsix");
  await createVSIX({ cwd: folder, packagePath, allowMissingRepository: true, dependencies: false });
  return packagePath;
}

/** Notes in a profile what an editor notes when a language pack is installed. */
export function useLanguagePack(userData: string, extensions: string): void {
  const main = path.join(extensions, `${ID}-${VERSION}`, "main.i18n.json");
  const pack = {
    hash: "0123456789abcdef",
    extensions: [{ extensionIdentifier: { id: ID }, version: VERSION }],
    translations: { vscode: main },
    label: "中文(简体)",
  };
  fs.writeFileSync(path.join(userData, "languagepacks.json"), JSON.stringify({ "zh-cn": pack }));
}
