import type { Locator } from "@playwright/test";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test.use({ server: { locale: "zh-cn" } });

const CHINESE = /[\u4e00-\u9fff]/;

/** All of these are there, and each has Chinese in it. */
async function expectChinese(texts: Locator): Promise<void> {
  await expect.poll(() => texts.allInnerTexts()).not.toEqual([]);
  for (const text of await texts.allInnerTexts()) {
    expect(text).toMatch(CHINESE);
  }
}

test("in a Chinese editor everything is in Chinese", async ({ workbench }) => {
  const { page } = workbench;
  const form = await DialogPage.open(workbench);
  const dialog = form.frame;

  await test.step("the dialog, with the server's names, help and errors", async () => {
    await expect(dialog.getByRole("button", { name: "开始迁移" })).toBeVisible();
    await expect(dialog.locator(".target")).toContainText("将创建：");
    await expectChinese(dialog.locator(".label, .help, .intro, vscode-button"));
    await workbench.screenshot("dialog-chinese");
    await form.input("inputPath").fill("/no/such/folder");
    await expect(form.error("inputPath")).toHaveText(CHINESE);
    await form.input("inputPath").fill(workbench.folder);
    await expect(form.error("inputPath")).toBeHidden();
  });

  await test.step("the result page", async () => {
    await form.choose("version", "2.8.0");
    await dialog.getByRole("button", { name: "开始迁移" }).click();
    const result = workbench.webview;
    await expect(result.getByRole("heading", { name: "迁移结果" })).toBeVisible();
    await expectChinese(result.locator("h1, h2, .verdict, .card .name, .legend li, .message, vscode-button"));
    for (const text of await result.locator(".files .detail").allInnerTexts()) {
      expect(text).toMatch(/^\d+ 处修改$/);
    }
    await workbench.screenshot("result-chinese");
  });

  await test.step("the view of findings and its commands", async () => {
    await page.getByRole("tab", { name: "昇腾", exact: true }).click();
    const view = page.locator(".part.sidebar");
    await expectChinese(view.locator(".welcome-view-content p, .welcome-view-content .monaco-button"));
    await workbench.run("GPU2Ascend: 分析工作区");
    const rows = view.locator(".monaco-list-row");
    await rows.filter({ hasText: "gpu.py" }).click();
    await expectChinese(rows.filter({ hasText: "NPU" }).locator(".label-name"));
    await expect(view.getByRole("button", { name: "分组方式…" })).toBeAttached();
    await workbench.screenshot("findings-chinese");
  });

  await test.step("messages", async () => {
    await workbench.tab("train.py").click();
    await workbench.run("GPU2Ascend: 迁移此文件");
    await expect(workbench.editor).toContainText("import torch_npu");
    await workbench.run("GPU2Ascend: 迁移此文件");
    await expect(workbench.toasts.filter({ hasText: "这里没有需要迁移的内容" })).toBeVisible();
  });

  await test.step("the walkthrough", async () => {
    await workbench.run("Welcome: Open Walkthrough...");
    await workbench.pick("将 PyTorch 项目迁移到昇腾 NPU");
    const steps = page.locator(".gettingStartedContainer .getting-started-step h3");
    await expect(steps).toHaveCount(5);
    await expectChinese(steps);
  });
});
