/** What a test of the workbench gets: the packaged extension, a fresh profile and a copy of a project. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test as base } from "@playwright/test";

import { packLanguagePack } from "./workbench/chinese";
import {
  CodeServer,
  type CodeServerOptions,
  installExtensions,
  packagedExtension,
} from "./workbench/codeServer";
import { Workbench } from "./workbench/workbench";

export { expect } from "@playwright/test";

const SAMPLE = path.resolve(__dirname, "..", "..", "examples", "shapes_classifier");

interface PerTest {
  /** Files of the opened folder that are written before it is opened, over those of the sample project. */
  files: Readonly<Record<string, string>>;
  /** The files that are opened at the start. */
  opened: readonly string[];
  server: CodeServerOptions;
  workbench: Workbench;
}

interface PerWorker {
  extensions: string;
}

export const test = base.extend<PerTest, PerWorker>({
  files: [{}, { option: true }],
  opened: [["train.py"], { option: true }],
  server: [{}, { option: true }],

  extensions: [
    // Playwright wants the pattern, even of a fixture that needs no other.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-extensions-"));
      installExtensions(folder, [packagedExtension(), await packLanguagePack()]);
      await use(folder);
      fs.rmSync(folder, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],

  workbench: async ({ page, extensions, files, opened, server }, use) => {
    const parent = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-project-"));
    const folder = path.join(parent, "shapes_classifier");
    fs.cpSync(SAMPLE, folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    const codeServer = await CodeServer.start(extensions, server);
    const workbench = new Workbench(page, folder);
    await page.goto(
      codeServer.url(
        folder,
        opened.map((file) => path.join(folder, file)),
      ),
    );
    await workbench.waitUntilShown();
    await use(workbench);
    // The extension host ends with its page; ended after it, Python would be left behind.
    await page.context().close();
    await codeServer.stop();
    fs.rmSync(parent, { recursive: true, force: true });
  },
});
