import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

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

test.describe("with a notebook", () => {
  test.use({ files: { "demo.ipynb": NOTEBOOK } });

  test("the view of findings analyses the workspace and leads to each place", async ({ workbench }) => {
    const { page } = workbench;
    await page.getByRole("tab", { name: "Ascend", exact: true }).click();
    const view = page.locator(".part.sidebar");
    await expect(view).toContainText("See everything in this workspace");
    await workbench.screenshot("welcome");
    await view.getByRole("button", { name: "Analyze Workspace" }).first().click();

    const rows = view.locator(".monaco-list-row");
    await expect(rows.filter({ hasText: "train.py" })).toBeVisible();
    await rows.filter({ hasText: "gpu.py" }).click();
    await expect(rows.filter({ hasText: "NPU" }).first()).toBeVisible();
    await workbench.screenshot("findings");
    await rows.filter({ hasText: "NPU" }).first().click();
    await expect(page.locator(".tab.active")).toContainText("gpu.py");

    await test.step("a fix in its row, after which the view knows one finding less", async () => {
      const group = rows.filter({ hasText: "gpu.py" });
      const count = async (): Promise<number> => Number(/· (\d+)/.exec(await group.innerText())?.[1]);
      const before = await count();
      const row = rows.filter({ hasText: "get_device_name" }).first();
      await row.hover();
      await row.getByRole("button", { name: "Apply the Fix" }).click();
      await expect.poll(count).toBe(before - 1);
      await workbench.screenshot("findings-after-fix");
    });

    await test.step("after the window was loaded again", async () => {
      await workbench.reload();
      await expect(rows.filter({ hasText: "train.py" })).toBeVisible();
    });

    await test.step("in a cell of a notebook", async () => {
      await rows.filter({ hasText: "demo.ipynb" }).click();
      await rows.filter({ hasText: "nvtx" }).first().click();
      await expect(page.locator(".tab.active")).toContainText("Cell 2");
    });

    await test.step("by kind, and away again", async () => {
      await view.hover();
      await view.getByRole("button", { name: "Group by Kind" }).click();
      await expect(rows.first()).toContainText(/NPU\d+/);
      await workbench.screenshot("findings-by-kind");
      await view.getByRole("button", { name: "Group by Severity" }).click();
      await expect(rows.first()).toContainText("Error");
      await workbench.screenshot("findings-by-severity");
      await view.getByRole("button", { name: "Clear Findings" }).click();
      await expect(view).toContainText("See everything in this workspace");
    });
  });
});

test.describe("where the settings of the user choose a version", () => {
  test.use({
    server: { settings: { "gpu2ascend.version": "2.1.0" } },
    files: { "requirements.txt": "torch==2.8.0\n" },
  });

  test("the one found in the project can be chosen all the same", async ({ workbench }) => {
    await workbench.statusBar.getByRole("button", { name: "PyTorch 2.1.0 · A2" }).click();
    await workbench.pick("Found in the project");
    await workbench.pick("A2");
    await expect(workbench.statusBar.getByText("PyTorch 2.8.0 · A2")).toBeVisible();
  });
});

test("the status bar shows version and hardware, and a walkthrough leads to everything", async ({
  workbench,
}) => {
  const { page } = workbench;
  await test.step("a click on the status bar changes what problems are shown for", async () => {
    const item = workbench.statusBar.getByRole("button", { name: /PyTorch .* A2/ });
    await expect(item).toBeVisible();
    await item.click();
    await expect(page.locator(".quick-input-list")).toContainText("Found in the project");
    await workbench.screenshot("target");
    await workbench.pick("2.6.0");
    await workbench.pick("A3");
    await expect(workbench.statusBar.getByText("PyTorch 2.6.0 · A3")).toBeVisible();
    expect(JSON.parse(workbench.read(".vscode/settings.json"))).toEqual({
      "gpu2ascend.version": "2.6.0",
      "gpu2ascend.hardware": "A3",
    });
  });

  await test.step("the walkthrough has four steps, each with a picture", async () => {
    await workbench.run("Welcome: Open Walkthrough...");
    await workbench.pick("Move a PyTorch project to Ascend NPUs");
    const walkthrough = page.locator(".gettingStartedContainer");
    const steps = walkthrough.locator(".getting-started-step");
    await expect(steps).toHaveCount(4);
    for (const title of ["Choose PyTorch version", "Migrate the project", "Do what is left"]) {
      await steps.filter({ hasText: title }).click();
      await expect(steps.filter({ hasText: title })).toHaveClass(/expanded/);
      await expect.poll(() => walkthrough.locator("img").last().evaluate(naturalWidth)).toBeGreaterThan(100);
    }
    await workbench.screenshot("walkthrough");
  });
});

function naturalWidth(image: unknown): number {
  return (image as { readonly naturalWidth: number }).naturalWidth;
}

test("the dialog is opened from a folder's menu, and from the title of a file", async ({ workbench }) => {
  const { page } = workbench;
  const dialog = new DialogPage(workbench);
  // A menu that is opened before the extension is known stays without its entries.
  await expect(workbench.squiggles.first()).toBeVisible();

  await test.step("of a folder", async () => {
    const folder = page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "shapes" });
    await folder.click({ button: "right" });
    const entry = page.locator(".monaco-menu .action-item").filter({ hasText: "PyTorch GPU2Ascend" });
    await expect(entry).toBeVisible();
    await workbench.screenshot("context-menu");
    // A menu takes no notice of clicks just after it has opened.
    await expect(async () => {
      await entry.click({ timeout: 5_000 });
      await expect(entry).toBeHidden({ timeout: 1_000 });
    }).toPass();
    await dialog.waitUntilShown();
    await expect(dialog.input("inputPath")).toHaveValue(workbench.path("shapes"));
  });

  await test.step("of a file", async () => {
    await workbench.tab("train.py").click();
    await page
      .locator(".title-actions, .editor-actions")
      .getByRole("button", { name: "PyTorch GPU2Ascend" })
      .click();
    await dialog.waitUntilShown();
    await expect(dialog.input("inputPath")).toHaveValue(workbench.folder);
  });
});
