/** Pictures of the pages that are written beside projects, in each look: to be looked at, after every change of them. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "@playwright/test";

import { LOOKS, picture } from "./workbench/looks";
import { gpu2ascend, SAMPLE } from "./workbench/program";

/** The width of a telephone. */
const NARROW = 390;

/** What E2E_UPDATE_MEDIA=1 takes anew for the README. */
const PUBLISHED: Readonly<Record<string, string>> = {
  "light,report,1280": "report.png",
  "chinese,report,1280": "report.zh-CN.png",
};
const IMAGES = path.resolve(__dirname, "..", "..", "docs", "images");

for (const look of LOOKS) {
  test(`${look.name}: the report of a migration, and a survey`, async ({ browser }) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-states-"));
    try {
      const language = ["--language", look.language];
      gpu2ascend("migrate", "-i", SAMPLE, "-o", folder, "-v", "2.8.0", ...language);
      const survey = path.join(folder, "survey.html");
      gpu2ascend("survey", path.dirname(SAMPLE), "-v", "2.8.0", "--html", survey, ...language);
      const pages = { report: path.join(folder, "shapes_classifier_msft", "report.html"), survey };
      for (const width of [1280, NARROW]) {
        const context = await browser.newContext({ viewport: { width, height: 900 }, ...look.media });
        const page = await context.newPage();
        for (const [name, file] of Object.entries(pages)) {
          await page.goto(pathToFileURL(file).href);
          await picture(page, look, width === NARROW ? `${name}-narrow` : name, true);
          const image = PUBLISHED[[look.name, name, width].join()];
          if (process.env.E2E_UPDATE_MEDIA !== undefined && image !== undefined) {
            await page.screenshot({ path: path.join(IMAGES, image) });
          }
        }
        await context.close();
      }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
}
