import { expect, test } from "./fixtures";

test.describe("in a Python file", () => {
  test("the extension is activated", async ({ workbench }) => {
    await expect(workbench.editor).toContainText("import torch");
    await workbench.run("GPU2Ascend: Show Log");
    await expect(
      workbench.page.locator(".part.panel .single-select, .part.panel .title-actions"),
    ).not.toHaveCount(0);
    await workbench.screenshot("workbench");
  });
});
