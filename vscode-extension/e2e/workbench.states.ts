/** Pictures of what the extension adds to the workbench, in each look: to be looked at, after every change of it. */

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";
import { type Look, LOOKS, picture, serverOf } from "./workbench/looks";
import type { Workbench } from "./workbench/workbench";

const WIDE = { width: 1280, height: 800 };
/** High enough for a whole page in a web view. */
const TALL = { width: 1280, height: 2400 };

const NOTEBOOK = JSON.stringify({
  cells: ["import torch", "steps = 3\ntorch.cuda.nvtx.range_push('steps')"].map((source, index) => ({
    ...{ cell_type: "code", id: `cell${index}`, execution_count: null, metadata: {}, outputs: [] },
    source,
  })),
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});

/** Takes pictures of a workbench; a text is asked for in the language of the look. */
class Camera {
  constructor(
    private readonly workbench: Workbench,
    private readonly look: Look,
  ) {}

  said(english: string, chinese: string): string {
    return this.look.language === "zh" ? chinese : english;
  }

  async take(state: string): Promise<void> {
    await picture(this.workbench.page, this.look, state);
  }

  /** The whole of a web view. */
  async takeAll(state: string): Promise<void> {
    await this.workbench.page.setViewportSize(TALL);
    await this.workbench.webview.locator("body").hover();
    await this.take(state);
    await this.workbench.page.setViewportSize(WIDE);
  }

  async command(english: string, chinese: string): Promise<void> {
    await this.workbench.run(`GPU2Ascend: ${this.said(english, chinese)}`);
  }
}

for (const look of LOOKS) {
  test.describe(look.name, () => {
    test.use({ server: serverOf(look), files: { "demo.ipynb": NOTEBOOK } });

    test("the dialog and the result page", async ({ workbench }) => {
      const camera = new Camera(workbench, look);
      const dialog = await DialogPage.open(workbench);
      await camera.takeAll("dialog-filled");
      await dialog.input("inputPath").fill("");
      await dialog.input("outputPath").fill("");
      await camera.take("dialog-empty");
      const transplant = workbench.webview.getByRole("button", {
        name: camera.said("Transplant", "开始迁移"),
      });
      await transplant.click();
      await expect(dialog.error("inputPath")).toBeVisible();
      await camera.takeAll("dialog-empty-refused");
      await dialog.input("inputPath").fill(workbench.folder);
      await dialog.input("outputPath").fill(workbench.folder);
      await expect(dialog.error("outputPath")).toBeVisible();
      await camera.take("dialog-errors");
      await dialog.input("outputPath").fill(workbench.path("../out"));
      await expect(dialog.error("outputPath")).toBeHidden();
      await dialog.choose("version", "1.5.0");
      for (const name of ["distributed", "ampTransplant", "replaceUnsupported"]) {
        await dialog.toggle(name);
      }
      await workbench.webview.getByRole("button", { name: camera.said("Advanced", "高级") }).click();
      await camera.takeAll("dialog-advanced");
      for (const name of ["distributed", "ampTransplant", "replaceUnsupported"]) {
        await dialog.toggle(name);
      }
      await dialog.choose("version", "2.8.0");
      await transplant.click();
      await expect(workbench.toasts.first()).toBeVisible();
      await camera.take("dialog-progress");
      await expect(workbench.webview.locator("#steps")).toBeVisible();
      await camera.take("result");
      await camera.takeAll("result-whole");
      await workbench.webview.locator("vscode-tree-item").first().click();
      await camera.take("result-finding");
    });

    test("the editor", async ({ workbench }) => {
      const { page } = workbench;
      const camera = new Camera(workbench, look);
      await expect(workbench.squiggles.first()).toBeVisible();
      await page.keyboard.press("F8");
      await camera.take("problem");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.keyboard.press("Control+i");
      await expect(page.locator(".monaco-hover").first()).toBeVisible();
      await expect(page.locator(".monaco-hover").first()).toContainText("NPU");
      await camera.take("hover");
      await page.keyboard.press("Escape");
      await workbench.openQuickFixes();
      await camera.take("light-bulb");
      await page.keyboard.press("Escape");
      await workbench.statusBar.getByRole("button", { name: /PyTorch .* A2/ }).click();
      await expect(workbench.quickInput).toBeVisible();
      await camera.take("pick-version");
      await workbench.pick("2.8.0");
      await camera.take("pick-hardware");
      await workbench.pick("A2");
      await expect(workbench.statusBar.getByText("PyTorch 2.8.0 · A2")).toBeVisible();
      await camera.command("Configure…", "配置…");
      await camera.take("configure");
      await workbench.pick(camera.said("Severity of a rule", "规则的严重级别"));
      await workbench.quickInput.fill("NPU110");
      await workbench.pick("NPU110");
      await workbench.pick("hint");
      await camera.command("Configure…", "配置…");
      await workbench.pick(camera.said("Severity of a rule", "规则的严重级别"));
      await expect(page.locator(".quick-input-list")).toContainText("NPU110");
      await camera.take("severities");
      await page.keyboard.press("Escape");
      await camera.command("Preview Migration in Place", "预览原地迁移");
      await expect(page.locator(".bulk-edit-panel .monaco-list-row").first()).toBeVisible();
      await page.locator(".bulk-edit-panel .monaco-list-row").nth(1).click();
      await camera.take("preview");
      await page.locator(".bulk-edit-panel").getByRole("button", { name: "Discard" }).click();
      await camera.command("Show Debug Information", "显示调试信息");
      await expect(page.locator(".tab.active")).not.toContainText("train.py");
      await expect(workbench.editor).toContainText("gpu2ascend");
      await camera.take("debug-information");
      await workbench.open("demo.ipynb");
      await expect(page.locator(".notebookOverlay .squiggly-error").first()).toBeVisible();
      await page.keyboard.press("Control+Shift+m");
      await camera.take("notebook");
      await workbench.run("Welcome: Open Walkthrough...");
      await workbench.pick(camera.said("Move a project to Ascend NPUs", "将 PyTorch 项目迁移到昇腾 NPU"));
      await expect(page.locator(".gettingStartedContainer .getting-started-step")).toHaveCount(5);
      await camera.take("walkthrough");
    });

    test("the view of findings", async ({ workbench }) => {
      const { page } = workbench;
      const camera = new Camera(workbench, look);
      const view = page.locator(".part.sidebar");
      const rows = view.locator(".monaco-list-row");
      const button = async (english: string, chinese: string): Promise<void> => {
        await view.hover();
        await view.getByRole("button", { name: camera.said(english, chinese) }).click();
      };
      await expect(workbench.squiggles.first()).toBeVisible();
      await page.getByRole("tab", { name: camera.said("Ascend", "昇腾"), exact: true }).click();
      await camera.take("findings-welcome");
      await rows.filter({ hasText: "gpu.py" }).click();
      await camera.take("findings-by-file");
      const groupBy = async (english: string, chinese: string): Promise<void> => {
        await button("Group By…", "分组方式…");
        await workbench.pick(camera.said(english, chinese));
      };
      await groupBy("Rule", "规则");
      const group = rows.filter({ hasText: "NPU401" });
      await group.hover();
      await camera.take("findings-by-kind");
      await group
        .getByRole("button", { name: camera.said("Fix All of This Rule…", "修复此规则的所有问题…") })
        .click();
      await expect(page.locator(".bulk-edit-panel .edit-checkbox").first()).toBeVisible();
      await camera.take("findings-fix-rule");
      await page
        .locator(".bulk-edit-panel")
        .getByRole("button", { name: camera.said("Discard", "放弃") })
        .click();
      await group.hover();
      await group.getByRole("button", { name: camera.said("Ignore…", "忽略…") }).click();
      await expect(workbench.quickInput).toBeVisible();
      await camera.take("findings-ignore");
      await page.keyboard.press("Escape");
      await group.hover();
      await group.getByRole("button", { name: camera.said("Explain the Rule", "解释规则") }).click();
      await expect(workbench.tab("NPU401")).toBeVisible();
      // The preview of the editor is drawn a moment after its tab.
      await page.waitForTimeout(2_000);
      await camera.take("explanation");
      await groupBy("Severity", "严重程度");
      await rows.first().click();
      await camera.take("findings-by-severity");
    });
  });
}
