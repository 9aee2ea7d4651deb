import * as path from "node:path";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test("the dialog starts with the project, and says at a field what is wrong with it", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await expect(dialog.input("inputPath")).toHaveValue(workbench.folder);
  const output = path.join(path.dirname(workbench.folder), "ascend");
  await expect(dialog.input("outputPath")).toHaveValue(output);
  await expect(dialog.target).toHaveText(path.join(output, "shapes_classifier_msft"));
  await workbench.screenshot("dialog");

  await dialog.input("inputPath").fill("/no/such/folder");
  await expect(dialog.error("inputPath")).toContainText("/no/such/folder");
  await dialog.input("inputPath").fill("");
  await expect(dialog.error("inputPath")).toBeVisible();
  await dialog.input("inputPath").fill(workbench.folder);
  await expect(dialog.error("inputPath")).toBeHidden();

  await dialog.input("outputPath").fill(path.dirname(workbench.folder));
  await expect(dialog.error("outputPath")).toBeVisible();
  await workbench.screenshot("dialog-error");
  await dialog.transplant.click();
  await expect(dialog.input("outputPath")).toBeFocused();
});

// Mended since they failed last, and not seen green in a workbench after that.
test.fixme("the dialog's fields appear with what they depend on, and are kept over a reload", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await expect(dialog.field("mainFile")).toBeHidden();
  await dialog.toggle("distributed");
  await expect(dialog.field("mainFile")).toBeVisible();
  await expect(dialog.input("targetModel")).toHaveValue("model");
  await expect(dialog.target).toContainText("shapes_classifier_msft_multi");
  await dialog.input("mainFile").fill(workbench.path("train.py"));
  await dialog.input("targetModel").fill("net");
  await workbench.screenshot("dialog-distributed");

  await dialog.openAdvanced();
  await dialog.toggle("unsafeFixes");
  await dialog.choose("apiStyle", "torch.npu");
  await dialog.choose("hardware", "A3");
  await dialog.input("ignore").fill("NPU9, NPU101");
  await expect(dialog.error("ignore")).toBeHidden();
  await workbench.screenshot("dialog-advanced");

  await workbench.reload();
  await dialog.waitUntilShown();
  await expect(dialog.input("targetModel")).toHaveValue("net");
  await expect(dialog.input("ignore")).toHaveValue("NPU9, NPU101");
  await expect(dialog.field("hardware").getByRole("combobox")).toContainText("A3");
});

test.fixme("the dialog can be used by the keys alone, and browses for folders", async ({ workbench }) => {
  const dialog = await DialogPage.open(workbench);
  const { page } = workbench;
  await expect(dialog.input("inputPath")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(dialog.field("inputPath").getByRole("button", { name: "Browse… Input path" })).toBeFocused();
  await page.keyboard.press("Enter");
  const browser = page.locator(".quick-input-widget input.input");
  await expect(browser).toHaveValue(new RegExp(path.basename(workbench.folder)));
  await browser.fill(`${workbench.path("shapes")}/`);
  await page.keyboard.press("Enter");
  await expect(dialog.input("inputPath")).toHaveValue(workbench.path("shapes"));
  await expect(dialog.target).toContainText("shapes_msft");
});
