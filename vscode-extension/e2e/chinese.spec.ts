import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test.use({ server: { locale: "zh-cn" } });

test("in a Chinese editor everything is in Chinese", async ({ workbench }) => {
  const form = await DialogPage.open(workbench);
  const dialog = form.frame;
  await expect(dialog.getByRole("button", { name: "开始迁移" })).toBeVisible();
  await expect(dialog.locator(".target")).toContainText("将创建：");
  // The server's own texts: the names and the help of the options.
  await expect(dialog.locator('[data-field="outputPath"] .label')).toHaveText(/[\u4e00-\u9fff]/);
  await expect(dialog.locator('[data-field="outputPath"] .help')).toHaveText(/[\u4e00-\u9fff]/);
  await workbench.screenshot("dialog-chinese");

  await form.choose("version", "2.8.0");
  await dialog.getByRole("button", { name: "开始迁移" }).click();
  await expect(workbench.webview.getByRole("heading", { name: "迁移结果" })).toBeVisible();
  await expect(workbench.webview.locator("vscode-tree-item").first()).toBeVisible();
  await workbench.screenshot("result-chinese");
});
