/** A migrated project runs on the simulated NPU, by the page of its migration and by the palette. */

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

const ROOT = path.resolve(__dirname, "..", "..");
const VENV = path.join(ROOT, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
const PYTHON = process.env.PYTHON ?? (fs.existsSync(VENV) ? VENV : "python3");

const SCRIPT = `\
import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    data = torch.randn(8, 4)
    loss = model(data).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
`;

/** A run imports torch, and a failed one a second time, for the original: how long that takes says nothing. */
const RUN = { timeout: 150_000 };

/** Whether the Python of the tests has a torch on which the device can be made. */
function hasTorch(): boolean {
  const question = "import torch; assert tuple(map(int, torch.__version__.split('.')[:2])) >= (2, 10)";
  try {
    execFileSync(PYTHON, ["-c", question], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

for (const [language, theme] of [
  ["en", "Default Light Modern"],
  ["zh-cn", "Default Dark Modern"],
] as const) {
  const isChinese = language === "zh-cn";
  const said = (english: string, chinese: string): string => (isChinese ? chinese : english);

  test.describe(`in ${language}`, () => {
    test.skip(!hasTorch() && process.env.GPU2ASCEND_REQUIRE_ALL === undefined, "torch is not installed");
    test.use({
      files: { "tiny.py": SCRIPT },
      opened: [],
      server: {
        settings: { "gpu2ascend.verify.interpreter": PYTHON, "workbench.colorTheme": theme },
        ...(isChinese ? { locale: language } : {}),
      },
    });

    const share = isChinese ? " @beyond" : "";
    test(`a migrated project is verified, mended and verified again${share}`, async ({ workbench }) => {
      test.slow();
      const { page } = workbench;
      const output = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");
      const script = path.join(output, "tiny.py");
      const result = workbench.webview;
      const state = result.locator("#verification");
      const verify = result.getByRole("button", {
        name: said("Verify Migrated Project", "验证迁移后的项目"),
      });
      const problems = page.locator(".markers-panel .monaco-list-row");
      const openResult = async (): Promise<void> => {
        await page
          .locator(".tab")
          .filter({ hasText: /^(Result|结果)/ })
          .click();
        await expect(state).toBeVisible();
      };
      const give = async (command: string): Promise<void> => {
        await expect(workbench.quickInput).toHaveValue(/\.py$/);
        await workbench.enter(command);
        await workbench.quickInput.press("Enter");
      };

      await test.step("the result page says that it did not run, and has the button", async () => {
        const dialog = await DialogPage.open(workbench);
        await dialog.choose("version", "2.8.0");
        await dialog.frame.getByRole("button", { name: said("Transplant", "开始迁移") }).click();
        await expect(state).toContainText(said("Not verified yet", "尚未验证"));
      });

      await test.step("what runs is shown in a terminal, and the first error in the Problems view", async () => {
        await verify.click();
        await expect(workbench.quickInput).toHaveValue("train.py");
        await give("tiny.py");
        const terminal = page.locator(".terminal.xterm");
        await expect(terminal).toBeVisible();
        await expect(state).toContainText(/RuntimeError/, RUN);
        await expect(state).toContainText("tiny.py:");
        await workbench.screenshot(`verify-failed-${language}`);
        await workbench.run("View: Toggle Problems");
        await expect(problems.filter({ hasText: "RuntimeError" })).toContainText("verify");
        await workbench.screenshot(`verify-problems-${language}`);
      });

      await test.step("the report page says the same", async () => {
        const report = fs.readFileSync(path.join(output, "report.html"), "utf8");
        expect(report).toContain("RuntimeError");
        await result.getByRole("button", { name: said("Open Report", "打开报告") }).click();
        await expect(workbench.tab("report.html")).toBeVisible();
        const part = result.locator("#verification");
        await part.scrollIntoViewIfNeeded();
        await expect(part).toContainText(said("The first error", "第一个错误"));
        await workbench.screenshot(`verify-report-${language}`);
      });

      if (isChinese) {
        return;
      }
      await test.step("the problem leads to its line, and goes when the file is edited", async () => {
        await problems.filter({ hasText: "RuntimeError" }).dblclick();
        await expect(workbench.tab("tiny.py")).toBeVisible();
        await workbench.screenshot(`verify-line-${language}`);
        const line = fs
          .readFileSync(script, "utf8")
          .split("\n")
          .findIndex((text) => text.includes("randn"));
        await workbench.goTo(line + 1, 100);
        await workbench.type(".to(device)");
        await expect(problems.filter({ hasText: "RuntimeError" })).toHaveCount(0);
        await workbench.save();
        await openResult();
        await expect(state).toContainText(said("Files were changed since this run", "有文件被修改"));
        await workbench.screenshot(`verify-stale-${language}`);
      });

      await test.step("a run is cancelled in its notification", async () => {
        fs.writeFileSync(path.join(output, "endless.py"), "import time\ntime.sleep(600)\n");
        await verify.click();
        await give("endless.py");
        const toast = workbench.toasts.filter({ hasText: said("on a simulated NPU", "正在模拟 NPU 上运行") });
        await expect(toast).toContainText("endless.py");
        await workbench.screenshot(`verify-running-${language}`);
        await toast.hover();
        await toast.getByRole("button", { name: "Cancel" }).click();
        const cancelled = said("Verification cancelled", "验证已取消");
        await expect(workbench.toasts.filter({ hasText: cancelled })).toBeVisible();
      });

      await test.step("by the palette it runs again, and passes", async () => {
        await workbench.run("GPU2Ascend: Verify Migrated Project");
        await give("tiny.py");
        await expect(state).toContainText("PASSED", RUN);
        await workbench.screenshot(`verify-passed-${language}`);
      });

      await test.step("the problems go with the project", async () => {
        fs.writeFileSync(path.join(output, "broken.py"), "raise ValueError('no data')\n");
        await verify.click();
        await give("broken.py");
        await expect(state).toContainText("ValueError", RUN);
        await workbench.run("View: Toggle Problems");
        await expect(problems.filter({ hasText: "ValueError: no data" })).toBeVisible();
        fs.rmSync(output, { recursive: true });
        await expect(problems.filter({ hasText: "ValueError" })).toHaveCount(0);
        await expect(state).toContainText("Not verified yet");
      });
    });
  });
}

test.describe("in a workspace that is not trusted", () => {
  test.use({ server: { trusted: false } });

  test("it is not offered", async ({ workbench }) => {
    const rows = await workbench.list("GPU2Ascend:", "GPU2Ascend: Show Log");
    await expect(rows.filter({ hasText: "Verify Migrated Project" })).toHaveCount(0);
  });
});
