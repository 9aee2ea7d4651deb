import type { FrameLocator } from "@playwright/test";

import { expect, test } from "./fixtures";
import { contrastOf, READABLE } from "./workbench/contrast";
import { DialogPage } from "./workbench/dialog";

/** The themes that come with the editor, by the class that each gives the workbench. */
const THEMES = [
  ["light", "Default Light Modern", "vs"],
  ["dark", "Default Dark Modern", "vs-dark"],
  ["high-contrast", "Default High Contrast", "hc-black"],
  ["high-contrast-light", "Default High Contrast Light", "hc-light"],
] as const;

test.use({ opened: [] });

test("the dialog, its errors and the result page can be read in every theme @beyond", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();
  const result = workbench.webview.getByRole("heading", { name: "Migration Result" });
  await expect(result).toBeVisible();

  for (const [name, theme, style] of THEMES) {
    await test.step(theme, async () => {
      workbench.configure({ "workbench.colorTheme": theme });
      await expect(workbench.page.locator(`.monaco-workbench.${style}`)).toBeVisible();
      await workbench.tab("PyTorch GPU2Ascend").click();
      // What was just made is in the way of making it again.
      await expect(dialog.error("outputPath")).toBeVisible();
      await expectReadable(workbench.webview, ["h1", ".label", ".help", ".error:visible", ".target", "code"]);
      await expectReadable(workbench.webview, ["vscode-collapsible .title"]);
      await workbench.screenshot(`dialog-${name}`);
      await workbench.tab("Result: shapes_classifier_msft").click();
      await expect(result).toBeVisible();
      await expectReadable(workbench.webview, ["h1", ".where", ".card .number", ".card .name", ".legend li"]);
      await workbench.screenshot(`result-${name}`);
    });
  }
});

async function expectReadable(frame: FrameLocator, selectors: readonly string[]): Promise<void> {
  for (const selector of selectors) {
    const element = frame.locator(selector).first();
    await expect
      .poll(() => contrastOf(element), { message: `contrast of ${selector}` })
      .toBeGreaterThanOrEqual(READABLE);
  }
}
