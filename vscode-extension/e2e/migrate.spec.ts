import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { expectAccessible } from "./workbench/axe";
import { DialogPage } from "./workbench/dialog";
import { servers } from "./workbench/processes";

test.describe("a project", () => {
  test.use({ opened: [] });

  test("is migrated, and the result page leads to every file and every place", async ({ workbench }) => {
    test.slow();
    const dialog = await DialogPage.open(workbench);
    await dialog.choose("version", "2.8.0");
    await workbench.screenshot("dialog");
    await dialog.transplant.click();

    const page = workbench.webview;
    const madeFor = page.getByText("For PyTorch 2.8.0 on Ascend A2");
    const back = async (): Promise<void> => {
      await workbench.tab("Result: shapes_classifier_msft").click();
      await expect(madeFor).toBeVisible();
    };
    await expect(page.getByRole("heading", { name: "Migration Result" })).toBeVisible();
    await expect(madeFor).toBeVisible();
    await workbench.screenshot("result");
    const output = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");
    expect(fs.readFileSync(path.join(output, "train.py"), "utf8")).toContain("import torch_npu");
    expect(workbench.read("train.py")).not.toContain("torch_npu");
    for (const text of await page.locator(".files .detail").allInnerTexts()) {
      expect(text).toMatch(/^(1 edit|\d+ edits)$/);
    }

    await test.step("the next steps, of which some are done", async () => {
      const steps = page.locator("#steps");
      await expect(steps.getByRole("status")).toHaveText(/^0 of \d+ done$/);
      await expect(steps.locator('[data-step="environment"] code')).toContainText("source ");
      await page.locator('[data-step="environment"] vscode-checkbox').click();
      await expect(steps.getByRole("status")).toHaveText(/^1 of \d+ done$/);
      await workbench.screenshot("result-steps");
      await expectAccessible(page);
    });

    await test.step("a file beside its original", async () => {
      await page.getByRole("button", { name: /train\.py/ }).click();
      await expect(workbench.tab("train.py (original ↔ migrated)")).toBeVisible();
      await expect(workbench.page.locator(".monaco-diff-editor .editor.modified")).toContainText(
        "import torch_npu",
      );
      await workbench.screenshot("diff");
      await back();
    });

    await test.step("a finding at its place, and the way back to where one was", async () => {
      const byKind = page.getByRole("button", { name: "By kind" });
      await byKind.click();
      await expect(byKind).toHaveAttribute("aria-pressed", "true");
      const group = page.locator("vscode-tree > vscode-tree-item").first();
      await expect(group).toHaveAttribute("open");
      await group.getByRole("treeitem").first().click();
      await expect(workbench.page.locator(".tab.active")).toContainText(/\.(py|sh)/);
      await back();
      await expect(byKind).toHaveAttribute("aria-pressed", "true");
    });

    await test.step("the log, the reports, and the migrated folder", async () => {
      await page.getByRole("button", { name: "Show Log" }).click();
      await expect(workbench.tab("msFmkTranspltlog.txt")).toBeVisible();
      await back();
      await page.getByRole("button", { name: "unsupported_api.csv" }).click();
      await expect(workbench.tab("unsupported_api.csv")).toBeVisible();
      await back();
      await page.getByRole("button", { name: "Open Report" }).click();
      await expect(workbench.tab("report.html")).toBeVisible();
      await expect(page.getByRole("heading", { name: "migration to Ascend NPUs" })).toBeVisible();
      await back();
      const opened = workbench.page.waitForEvent("popup");
      await page.getByRole("button", { name: "Open Migrated Folder" }).click();
      const window = await opened;
      expect(new URL(window.url()).searchParams.get("folder")).toBe(output);
      await window.close();
    });

    await test.step("all of it still there after the window was loaded again, and the report", async () => {
      fs.writeFileSync(path.join(output, "report.html"), "<h1>All of it</h1>");
      await workbench.reload();
      await expect(page.locator('[data-step="environment"]').getByRole("checkbox")).toBeChecked();
      await back();
      await expect(page.locator("vscode-tree-item").first()).toBeVisible();
      await page.getByRole("button", { name: "Open Report" }).click();
      await expect(workbench.tab("report.html")).toBeVisible();
      await expect(page.getByRole("heading", { name: "All of it" })).toBeVisible();
    });
  });
});

test("the fixes that a result offers are shown before they are made, and the step is done", async ({
  workbench,
}) => {
  test.slow();
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();
  const offered = workbench.webview.locator('[data-step="apply"]');
  await expect(offered.getByRole("checkbox")).not.toBeChecked();
  await offered.getByRole("button", { name: /Apply the \d+ Offered Fix/ }).click();
  const panel = workbench.page.locator(".bulk-edit-panel");
  const box = panel.locator(".edit-checkbox").last();
  await expect(box).toBeVisible();
  await workbench.screenshot("result-offered");
  await expect(box).toBeChecked();
  await panel.getByRole("button", { name: "Apply" }).click();
  const told = workbench.toasts.filter({ hasText: /files? (was|were) changed/ });
  await expect(told).toBeVisible();
  await expect(offered.getByRole("checkbox")).toBeChecked();
});

test.describe("a large project", () => {
  const body = "import torch\n" + "torch.cuda.synchronize()\nx = torch.ones(3).cuda()\n".repeat(150);
  const files = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`many/m${index}.py`, body]));
  test.use({ files, opened: [] });

  test("that is cancelled midway leaves nothing behind", async ({ workbench, extensions }) => {
    const dialog = await DialogPage.open(workbench);
    await test.step("Transplant need not wait until the server has looked at the fields", async () => {
      await expect(dialog.target).toBeVisible();
      const [server] = servers(extensions, "run_server.py", "lsp");
      expect(server).toBeDefined();
      process.kill(server ?? 0, "SIGSTOP");
      try {
        await dialog.choose("version", "2.8.0");
        await expect(dialog.error("version")).toBeHidden();
        await dialog.transplant.click();
      } finally {
        process.kill(server ?? 0, "SIGCONT");
      }
    });
    const toast = workbench.toasts.filter({ hasText: "Migrating shapes_classifier" });
    await expect(toast).toContainText(/\d+% · .*many\//);
    await workbench.screenshot("progress");
    await toast.hover();
    await toast.getByRole("button", { name: "Cancel" }).click();
    await expect(workbench.toasts.filter({ hasText: "Migration cancelled" })).toBeVisible();
    const output = path.join(path.dirname(workbench.folder), "ascend");
    expect(fs.existsSync(output) ? fs.readdirSync(output) : []).toEqual([]);
    await expect(dialog.transplant).toBeEnabled();
  });
});

test.describe("where the files are", () => {
  const task = {
    ...{ type: "gpu2ascend", task: "migrate", label: "Migrate for A3", problemMatcher: ["$gpu2ascend"] },
    ...{ inputPath: "${workspaceFolder}", outputPath: "${workspaceFolder}/../from-task" },
    ...{ version: "2.8.0", hardware: "A3", exclude: ["scripts"] },
  };
  const files = {
    ".vscode/tasks.json": JSON.stringify({ version: "2.0.0", tasks: [task] }),
    "safe/only.py": "import torch\n\nones = torch.ones(2).cuda()\n",
  };
  test.use({ files });

  test("a file is migrated at once, a folder is looked at before, and a task migrates in the terminal @beyond", async ({
    workbench,
  }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    await test.step("a task of tasks.json", async () => {
      await workbench.run("Tasks: Run Task");
      await workbench.pick("Migrate for A3");
      const output = path.join(path.dirname(workbench.folder), "from-task", "shapes_classifier_msft");
      await expect.poll(() => fs.existsSync(path.join(output, "train.py"))).toBe(true);
      await expect(workbench.page.locator(".terminal.xterm")).toBeVisible();
      await workbench.screenshot("task");
    });
    await test.step("one file", async () => {
      await workbench.page.locator(".explorer-folders-view").getByText("train.py").dblclick();
      await workbench.run("GPU2Ascend: Migrate This File");
      await expect(workbench.editor).toContainText("import torch_npu");
    });
    const panel = workbench.page.locator(".bulk-edit-panel");
    await test.step("a folder with safe changes only, by the dialog", async () => {
      const dialog = await DialogPage.open(workbench);
      await dialog.input("inputPath").fill(workbench.path("safe"));
      await dialog.choose("version", "2.8.0");
      await dialog.frame.getByRole("button", { name: "Preview in Place" }).click();
      await expect(panel.locator(".monaco-list-row").first()).toBeVisible();
      await workbench.screenshot("preview-safe");
      expect(workbench.read("safe/only.py")).toBe(files["safe/only.py"]);
      await panel.getByRole("button", { name: "Discard" }).click();
      await expect(panel).toBeHidden();
    });
    await test.step("the folder", async () => {
      await workbench.run("GPU2Ascend: Preview Migration in Place");
      await expect(panel.locator(".monaco-list-row").first()).toBeVisible();
      await workbench.screenshot("preview");
      expect(workbench.read("shapes/engine.py")).not.toContain("torch_npu");
      await panel.getByRole("button", { name: "Apply" }).click();
      await expect(async () => {
        await workbench.run("File: Save All");
        expect(workbench.read("shapes/engine.py")).toContain("torch_npu");
      }).toPass();
    });
  });
});

test.describe("unsaved files", () => {
  test("are saved only if that is the answer, and nothing is migrated if there is none @beyond", async ({
    workbench,
  }) => {
    test.slow();
    const { page } = workbench;
    const before = workbench.read("train.py");
    await workbench.open("train.py");
    await workbench.goTo(1, 1);
    await workbench.type("# half a thought\n");
    await expect(workbench.editor).toContainText("# half a thought");
    await expect(workbench.tab("train.py")).toHaveClass(/dirty/);
    const dialog = await DialogPage.open(workbench);
    await dialog.choose("version", "2.8.0");
    const question = page.locator(".monaco-dialog-box");
    const output = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");

    await dialog.transplant.click();
    await expect(question).toContainText("Unsaved files in shapes_classifier: 1");
    await expect(question).toContainText("train.py");
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    expect(fs.existsSync(output)).toBe(false);

    await dialog.transplant.click();
    await question.getByRole("button", { name: "Migrate What Is on Disk" }).click();
    await expect(workbench.webview.getByRole("heading", { name: "Migration Result" })).toBeVisible();
    expect(workbench.read("train.py")).toBe(before);
    expect(fs.readFileSync(path.join(output, "train.py"), "utf8")).not.toContain("half a thought");
  });
});
