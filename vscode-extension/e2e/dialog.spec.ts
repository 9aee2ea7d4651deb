import * as path from "node:path";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test.describe("the dialog", () => {
  test("starts with the project, where it goes to, and what would be made", async ({ workbench }) => {
    const dialog = await DialogPage.open(workbench);
    await expect(dialog.input("inputPath")).toHaveValue(workbench.folder);
    const output = path.join(path.dirname(workbench.folder), "ascend");
    await expect(dialog.input("outputPath")).toHaveValue(output);
    await expect(dialog.target).toHaveText(path.join(output, "shapes_classifier_msft"));
    await workbench.screenshot("dialog");
  });

  test("says at the field what is wrong with it, while it is typed", async ({ workbench }) => {
    const dialog = await DialogPage.open(workbench);
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

  test("shows the fields of a rule once it is on, and names the output after it", async ({ workbench }) => {
    const dialog = await DialogPage.open(workbench);
    await expect(dialog.field("mainFile")).toBeHidden();
    await dialog.toggle("distributed");
    await expect(dialog.field("mainFile")).toBeVisible();
    await expect(dialog.input("targetModel")).toHaveValue("model");
    await expect(dialog.target).toContainText("shapes_classifier_msft_multi");
    await workbench.screenshot("dialog-distributed");
  });
});
