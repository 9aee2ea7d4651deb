/** The view of findings: it is true while one works, and each row leads to its place and helps there. */

import * as fs from "node:fs";

import { expect, test } from "./fixtures";
import { FindingsPage } from "./workbench/findings";

/** The second of its cells has a finding. */
const NOTEBOOK = JSON.stringify({
  cells: ["import torch", "steps = 3\ntorch.cuda.nvtx.range_push('steps')"].map((source, index) => ({
    ...{ cell_type: "code", id: `cell${index}`, execution_count: null, metadata: {}, outputs: [] },
    source,
  })),
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});

/** Of the sample project, in one of its files. */
const RULE = "NPU520";

// Each goes through much, of which some waits for the whole workspace to be looked at.
test.slow();

test.describe("with a notebook", () => {
  test.use({ files: { "demo.ipynb": NOTEBOOK } });

  test("the view of findings analyses the workspace and leads to each place", async ({ workbench }) => {
    const { page } = workbench;
    const findings = await FindingsPage.analyze(workbench);
    const { view, rows } = findings;

    await expect(findings.group("train.py")).toBeVisible();
    await findings.expand("gpu.py");
    const place = findings.below("get_device_name").first();
    await expect(place).toContainText(/^26: Replace torch\.cuda\.get_device_name with/);
    await workbench.screenshot("findings");
    await place.click();
    await expect(page.locator(".tab.active")).toContainText("gpu.py");

    await test.step("a fix in its row, after which the view knows one finding less", async () => {
      const before = await findings.count("gpu.py");
      await findings.actUntilGone(place, "Apply the Fix");
      await expect.poll(() => findings.count("gpu.py")).toBe(before - 1);
      await workbench.screenshot("findings-after-fix");
    });

    await test.step("what is written is told at once, with its fix", async () => {
      await workbench.goTo(26, 1);
      await workbench.type("torch.cuda.ipc_collect()\n");
      const written = findings.below("torch.cuda.ipc_collect");
      await expect(written).toContainText("26: Replace torch.cuda.ipc_collect with");
      await findings.actUntilGone(written, "Apply the Fix");
      await expect(workbench.editor).toContainText("torch_npu.npu.ipc_collect");
    });

    await test.step("after the window was loaded again", async () => {
      await workbench.reload();
      await expect(findings.group("train.py")).toBeVisible();
    });

    await test.step("in a cell of a notebook, and what is changed there", async () => {
      await findings.expand("demo.ipynb");
      const cell = findings.below("nvtx.range_push");
      await expect(cell).toContainText("[2]:2: ");
      await expect(async () => {
        // A row that the view draws anew at this moment, as it does after a reload, takes no click.
        await cell.click({ timeout: 5_000 });
        await expect(page.locator(".tab.active")).toContainText("Cell 2", { timeout: 5_000 });
      }).toPass();
      await findings.ask(cell, "Ignore…");
      await workbench.pick("On this line");
      await expect(findings.group("demo.ipynb")).toHaveCount(0);
      await workbench.screenshot("findings-notebook");
    });

    await test.step("those that a filter lets through", async () => {
      const files = await findings.group(/./).count();
      await findings.filter("@error engine", 1);
      await workbench.screenshot("findings-filtered");
      await workbench.quickInput.press("Enter");
      await expect(findings.group("engine.py")).toBeVisible();
      await findings.title("Clear the Filter");
      await expect(findings.group(/./)).toHaveCount(files);
    });

    await test.step("by folder, with files below it, and by what a training reaches", async () => {
      await findings.groupBy("Folder");
      await findings.expand("utils");
      await expect(findings.below("gpu.py")).toBeVisible();
      await workbench.screenshot("findings-by-folder");
      await findings.groupBy("Whether a training");
      await expect(rows.first()).toContainText("On the way of the training");
      await workbench.screenshot("findings-by-way");
    });

    await test.step("by kind, and away again", async () => {
      await findings.groupBy("Rule");
      await expect(rows.first()).toContainText(/NPU\d+/);
      await workbench.screenshot("findings-by-kind");
      await findings.groupBy("Severity");
      await expect(rows.first()).toContainText("Error");
      await workbench.screenshot("findings-by-severity");
      await findings.more("Clear Findings");
      await expect(view).toContainText("See everything in this workspace");
    });
  });
});

test.describe("with a version", () => {
  test.use({ server: { settings: { "gpu2ascend.version": "2.8.0" } } });

  test("a row has its rule fixed or ignored: in the line, in the file, everywhere", async ({ workbench }) => {
    const { page } = workbench;
    const findings = await FindingsPage.analyze(workbench);

    await test.step("in the line", async () => {
      await findings.expand("data.py");
      const before = await findings.count("data.py");
      await findings.ask(findings.below("torch.cuda.Stream").first(), "Ignore…");
      await workbench.screenshot("findings-ignore");
      await workbench.pick("On this line");
      await expect.poll(() => findings.count("data.py")).toBe(before - 1);
      await workbench.open("data.py");
      await workbench.goTo(80, 1);
      await expect(workbench.editor).toContainText("# gpu2ascend: ignore[NPU101]");
    });

    await test.step("in the file", async () => {
      await findings.ask(findings.below(/10[12]: /).first(), "Ignore…");
      await workbench.pick("In this file");
      await workbench.goTo(1, 1);
      await expect(workbench.editor).toContainText("# gpu2ascend: ignore-file[");
    });

    await test.step("everywhere", async () => {
      await findings.groupBy("Rule");
      const group = findings.group(RULE);
      await findings.ask(group, "Ignore…");
      await workbench.pick("Everywhere");
      await expect(group).toHaveCount(0);
      expect(JSON.parse(workbench.read(".vscode/settings.json"))).toEqual({ "gpu2ascend.ignore": [RULE] });
    });

    await test.step("all of a rule, shown before it is done", async () => {
      const group = findings.group("NPU102");
      expect(await findings.count("NPU102")).toBeGreaterThan(1);
      await findings.act(group, "Fix All of This Rule…");
      const panel = page.locator(".bulk-edit-panel");
      await expect(panel.locator(".monaco-list-row").filter({ hasText: "train.py" })).toBeVisible();
      await workbench.screenshot("findings-fix-rule");
      await panel.getByRole("button", { name: "Apply" }).click();
      await expect(group).toHaveCount(0);
      await expect(workbench.toasts.filter({ hasText: "2 files were changed." })).toBeVisible();
      await workbench.run("Notifications: Clear All Notifications");
    });

    await test.step("all that is safe in a file", async () => {
      await findings.groupBy("Severity");
      await findings.groupBy("File");
      const before = await findings.count("checkpoint.py");
      await findings.act(findings.group("checkpoint.py"), "Apply All Safe Fixes of the File");
      await expect.poll(() => findings.count("checkpoint.py")).toBeLessThan(before);
      await expect(workbench.tab("checkpoint.py")).toHaveClass(/active/);
      await expect(workbench.editor).toContainText("torch_npu");
    });
  });
});

test.describe("a project that names no version", () => {
  test.use({ files: { "requirements.txt": "pyyaml\n" } });

  test("a rule is fixed for the version that its problems are shown for @beyond", async ({ workbench }) => {
    const findings = await FindingsPage.analyze(workbench);
    await findings.groupBy("Rule");
    await findings.act(findings.group("NPU102"), "Fix All of This Rule…");
    const panel = workbench.page.locator(".bulk-edit-panel");
    await expect(panel.locator(".monaco-list-row").filter({ hasText: "train.py" })).toBeVisible();
    await panel.getByRole("button", { name: "Apply" }).click();
    await expect(workbench.toasts.filter({ hasText: "2 files were changed." })).toBeVisible();
  });
});

test.describe("a workspace of two folders", () => {
  test.use({ second: { "train.py": "import torch\n\ntorch.cuda.synchronize()\n" } });

  test("has the files of both apart, each with the name of its folder @beyond", async ({ workbench }) => {
    const findings = await FindingsPage.analyze(workbench);
    await expect(findings.group("train.py")).toHaveCount(2);
    const second = findings.group(/second/);
    await expect(second).toContainText("train.py");
    await workbench.screenshot("findings-two-folders");
    await findings.act(second, "Apply All Safe Fixes of the File");
    await expect(second).toHaveCount(0);
    await expect(findings.group("train.py")).toHaveCount(1);

    await test.step("and follows what is changed elsewhere, and deleted", async () => {
      fs.writeFileSync(workbench.path("shapes/engine.py"), "import torch\n");
      await expect(findings.group("engine.py")).toHaveCount(0);
      fs.rmSync(workbench.path("shapes/data.py"));
      await expect(findings.group("data.py")).toHaveCount(0);
      await expect(findings.group("logger.py")).toBeVisible();
    });
  });
});

test.describe("where problems are reported of open files only", () => {
  test.use({
    server: { settings: { "gpu2ascend.diagnosticMode": "openFilesOnly" } },
    files: { "small.py": "import torch\n\ntorch.cuda.synchronize()\n" },
  });

  test("what is closed stays known, and the view says when it may have changed @beyond", async ({
    workbench,
  }) => {
    const { page } = workbench;
    const findings = await FindingsPage.analyze(workbench);
    await expect(findings.group("small.py")).toBeVisible();
    const before = await findings.count("train.py");
    await workbench.tab("train.py").hover();
    await workbench.run("View: Close Editor");
    await expect(page.locator(".tab")).toHaveCount(0);
    await workbench.open("small.py");
    expect(await findings.count("train.py")).toBe(before);
    await expect(findings.view).not.toContainText("Analyze again.");
    fs.appendFileSync(workbench.path("train.py"), "# changed elsewhere\n");
    await expect(findings.view).toContainText("Files or settings have changed since. Analyze again.");
  });
});

test.describe("a notebook that is closed", () => {
  test.use({ files: { "demo.ipynb": NOTEBOOK } });

  test("is among the problems until it is opened, which has them in its cells @beyond", async ({
    workbench,
  }) => {
    const panel = workbench.page.locator(".part.panel");
    await workbench.run("View: Focus Problems");
    const closed = panel.getByText("Cell 2, line 2: ");
    await expect(closed).toBeVisible();
    await workbench.screenshot("problems-notebook");
    await workbench.open("demo.ipynb");
    await expect(closed).toHaveCount(0);
    await expect(panel.getByText("nvtx.range_push").first()).toBeVisible();
  });
});

const LINES = 100;
const FILES = 50;

test.describe("with 5,000 findings", () => {
  // Each file starts a training, so that all its findings are on the way of training, in one group of the rule.
  const calls = Array.from({ length: LINES }, (_, at) => `torch.cuda.set_device(${at})\n`).join("");
  const body = `${calls}\nif __name__ == "__main__":\n    loss.backward()\n    optimizer.step()\n`;
  test.use({
    files: Object.fromEntries(
      Array.from({ length: FILES }, (_, at) => [`many/part${at}.py`, `import torch\n\n${body}`]),
    ),
    opened: ["many/part7.py"],
  });

  test("the view has them all, groups them, and follows an edit @beyond", async ({ workbench }) => {
    const { page } = workbench;
    const findings = await FindingsPage.analyze(workbench);
    await expect(findings.group("part0.py")).toContainText(String(LINES));
    await findings.groupBy("Rule");
    const rule = findings.group("NPU101");
    expect(await findings.count("NPU101")).toBeGreaterThanOrEqual(LINES * FILES);
    await findings.expand("NPU101");
    await findings
      .below(/^5\d\d\d × Replace torch\.cuda\.set_device/)
      .first()
      .locator(".monaco-tl-twistie")
      .click();
    await expect(findings.below(/part\d+\.py:\d+/).first()).toBeVisible();
    await workbench.screenshot("findings-5000");
    const before = await findings.count("NPU101");
    await workbench.open("part7.py");
    await workbench.goTo(3, 1);
    await page.keyboard.press("Control+Shift+K");
    await expect.poll(() => findings.count("NPU101")).toBe(before - 1);
    await expect(rule).toHaveAttribute("aria-expanded", "true");
  });
});
