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
  /** The files of a second folder; with it, a workspace of both is opened. */
  second: Readonly<Record<string, string>> | undefined;
  /** A copy of the sample project, and what is opened: it, or a workspace with it. */
  project: { readonly folder: string; readonly root: string };
  workbench: Workbench;
}

interface PerWorker {
  extensions: string;
}

/** Writes files into a folder, by their paths in it. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

export const test = base.extend<PerTest, PerWorker>({
  files: [{}, { option: true }],
  opened: [["train.py"], { option: true }],
  server: [{}, { option: true }],
  second: [undefined, { option: true }],

  extensions: [
    // Playwright wants the pattern, even of a fixture that needs no other.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const parent = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-extensions-"));
      try {
        const folder = path.join(parent, "extensions");
        const language = path.join(parent, "language");
        fs.mkdirSync(language);
        installExtensions(folder, [packagedExtension(), await packLanguagePack(language)]);
        await use(folder);
      } finally {
        fs.rmSync(parent, { recursive: true, force: true });
      }
    },
    { scope: "worker" },
  ],

  project: async ({ files, second }, use) => {
    const parent = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-project-"));
    try {
      const folder = path.join(parent, "shapes_classifier");
      fs.cpSync(SAMPLE, folder, { recursive: true });
      write(folder, files);
      let root = folder;
      if (second !== undefined) {
        write(path.join(parent, "second"), second);
        const folders = ["shapes_classifier", "second"].map((name) => ({ path: name }));
        write(parent, { "both.code-workspace": JSON.stringify({ folders }) });
        root = path.join(parent, "both.code-workspace");
      }
      await use({ folder, root });
    } finally {
      fs.rmSync(parent, { recursive: true, force: true });
    }
  },

  workbench: async ({ page, extensions, project: { folder, root }, opened, server }, use) => {
    const codeServer = await CodeServer.start(extensions, server);
    try {
      const workbench = new Workbench(page, folder, () => codeServer.readiness());
      const files = opened.map((file) => path.join(folder, file));
      await page.goto(codeServer.url(root, files));
      await workbench.waitUntilShown();
      await use(workbench);
      for (const line of codeServer.readiness()) {
        console.log(`      server ${line}`);
      }
    } finally {
      // The extension host ends with its page; ended after it, Python would be left behind.
      await page.context().close();
      await codeServer.stop();
    }
  },
});
