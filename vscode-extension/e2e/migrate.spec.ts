import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test("a project is migrated, and the result page leads to every file and every place", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();

  const page = workbench.webview;
  await expect(page.getByRole("heading", { name: "Migration Result" })).toBeVisible();
  await expect(page.getByText("For PyTorch 2.8.0 on Ascend A2")).toBeVisible();
  await workbench.screenshot("result");
  const output = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");
  expect(fs.readFileSync(path.join(output, "train.py"), "utf8")).toContain("import torch_npu");
  expect(workbench.read("train.py")).not.toContain("torch_npu");

  await page.getByRole("button", { name: /train\.py/ }).click();
  await expect(workbench.tab("train.py (original ↔ migrated)")).toBeVisible();
  await expect(workbench.page.locator(".monaco-diff-editor .editor.modified")).toContainText(
    "import torch_npu",
  );
  await workbench.screenshot("diff");

  await workbench.tab("Result: shapes_classifier_msft").click();
  await workbench.webview.locator("vscode-tree-item vscode-tree-item").first().click();
  await expect(workbench.page.locator(".tab.active")).toContainText(".py");
});

// After the window was loaded again the page was not seen to come back in the workbench of the tests.
test.fixme("the result page is kept over a reload", async ({ workbench }) => {
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();
  await expect(workbench.tab("Result: shapes_classifier_msft")).toBeVisible();
  await workbench.reload();
  await expect(workbench.webview.getByText("For PyTorch 2.8.0 on Ascend A2")).toBeVisible();
});

test.describe("a large project", () => {
  const body = "import torch\n" + "torch.cuda.synchronize()\nx = torch.ones(3).cuda()\n".repeat(150);
  const files = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`many/m${index}.py`, body]));
  test.use({ files });

  test("that is cancelled midway leaves nothing behind", async ({ workbench }) => {
    const dialog = await DialogPage.open(workbench);
    await dialog.choose("version", "2.8.0");
    await dialog.transplant.click();
    const toast = workbench.toasts.filter({ hasText: "Migrating shapes_classifier" });
    await expect(toast).toContainText("many/");
    await workbench.screenshot("progress");
    await toast.hover();
    await toast.getByRole("button", { name: "Cancel" }).click();
    await expect(workbench.toasts.filter({ hasText: "Migration cancelled" })).toBeVisible();
    const output = path.join(path.dirname(workbench.folder), "ascend");
    expect(fs.existsSync(output) ? fs.readdirSync(output) : []).toEqual([]);
    await expect(dialog.transplant).toBeEnabled();
  });
});

test("a migration in place is looked at before it is made", async ({ workbench }) => {
  await workbench.run("GPU2Ascend: Preview Migration in Place");
  const panel = workbench.page.locator(".bulk-edit-panel");
  await expect(panel.locator(".monaco-list-row").first()).toBeVisible();
  await workbench.screenshot("preview");
  await panel.getByRole("button", { name: "Apply" }).click();
  await expect(workbench.editor).toContainText("import torch_npu");
});

test("one file is migrated where it is", async ({ workbench }) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  await workbench.run("GPU2Ascend: Migrate This File");
  await expect(workbench.editor).toContainText("import torch_npu");
});
