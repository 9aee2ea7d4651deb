import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test.describe("where the settings of the user choose a version", () => {
  test.use({
    server: { settings: { "gpu2ascend.version": "2.1.0" } },
    files: { "requirements.txt": "torch==2.8.0\n" },
  });

  test("the one found in the project can be chosen all the same @beyond", async ({ workbench }) => {
    await workbench.statusBar.getByRole("button", { name: "PyTorch 2.1.0 · A2" }).click();
    await workbench.pick("Found in the project");
    await workbench.pick("A2");
    await expect(workbench.statusBar.getByText("PyTorch 2.8.0 · A2")).toBeVisible();
  });
});

test.describe("where a project names no single version", () => {
  test.use({ files: { "requirements.txt": "torch>=1.8,<2.3\n" } });

  test("the newest that satisfies it counts, and the reason is said @beyond", async ({ workbench }) => {
    const item = workbench.statusBar.getByRole("button", { name: "PyTorch 2.2.0 · A2" });
    await expect(item).toHaveAccessibleName(
      /the newest supported version that satisfies .*torch>=1\.8,<2\.3/,
    );
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

  await test.step("the walkthrough has five steps, each with a picture", async () => {
    await workbench.run("Welcome: Open Walkthrough...");
    await workbench.pick("Move a project to Ascend NPUs");
    const walkthrough = page.locator(".gettingStartedContainer");
    const steps = walkthrough.locator(".getting-started-step");
    await expect(steps).toHaveCount(5);
    const titles = ["Choose version", "Migrate the project", "Do what is left", "Run it without an NPU"];
    for (const title of titles) {
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

test("the dialog is opened from a folder's menu, and from the title of a file @beyond", async ({
  workbench,
}) => {
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
