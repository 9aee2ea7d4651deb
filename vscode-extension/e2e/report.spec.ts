/** The report that a migration writes, in a browser: read by machine, in every colour and width, and on paper. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, expect, type Page, test } from "@playwright/test";

import { violations } from "./workbench/axe";
import { gpu2ascend, SAMPLE } from "./workbench/program";

/** What the program of this checkout writes about the sample project; the address of the page. */
function report(folder: string, language: string): string {
  gpu2ascend("migrate", "-i", SAMPLE, "-o", folder, "-v", "2.8.0", "--language", language);
  return pathToFileURL(path.join(folder, "shapes_classifier_msft", "report.html")).href;
}

async function opened(browser: Browser, address: string, options: object): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

for (const language of ["en", "zh"]) {
  test.describe(`the report in ${language}`, () => {
    let folder: string;
    let address: string;

    test.beforeAll(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), "gpu2ascend-e2e-report-"));
      address = report(folder, language);
    });

    test.afterAll(() => {
      fs.rmSync(folder, { recursive: true, force: true });
    });

    for (const colorScheme of ["light", "dark"] as const) {
      test(`has no violation that axe finds, ${colorScheme}`, async ({ browser }) => {
        // The policy of the page would keep axe out.
        const page = await opened(browser, address, { colorScheme, bypassCSP: true });
        for (const file of await page.locator("#diffs summary").all()) {
          await file.click();
        }
        expect(await violations(page)).toEqual([]);
      });
    }

    for (const width of [390, 1280]) {
      test(`needs no scrolling to the side, ${width} pixels wide`, async ({ browser }) => {
        const page = await opened(browser, address, { viewport: { width, height: 800 } });
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
      });
    }

    test("asks for nothing but itself, and its policy is kept", async ({ browser }) => {
      const page = await (await browser.newContext()).newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => complaints.push(message.text()));
      await page.goto(address);
      expect(asked).toEqual([address]);
      expect(complaints).toEqual([]);
    });

    test("has colours that the keyboard chooses, and light ones on paper", async ({ browser }) => {
      const page = await opened(browser, address, { colorScheme: "dark" });
      const text = (): Promise<string> => page.evaluate<string>("getComputedStyle(document.body).color");
      const dark = await text();
      await page.locator("#theme-system").focus();
      await page.keyboard.press("ArrowRight");
      const light = await text();
      expect(light).not.toBe(dark);
      await page.keyboard.press("ArrowRight");
      expect(await text()).toBe(dark);
      await page.emulateMedia({ media: "print" });
      expect(await text()).toBe(light);
    });
  });
}
