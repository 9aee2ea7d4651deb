import { expect, test } from "./fixtures";

test("the view of findings analyses the workspace and leads to each place", async ({ workbench }) => {
  const { page } = workbench;
  await page.getByRole("tab", { name: "Ascend", exact: true }).click();
  const view = page.locator(".part.sidebar");
  await expect(view).toContainText("See everything in this workspace");
  await workbench.screenshot("welcome");
  await view.getByRole("button", { name: "Analyze Workspace" }).first().click();

  const rows = view.locator(".monaco-list-row");
  await expect(rows.filter({ hasText: "train.py" })).toBeVisible();
  await rows.filter({ hasText: "train.py" }).click();
  await expect(rows.filter({ hasText: "NPU" }).first()).toBeVisible();
  await workbench.screenshot("findings");
  await rows.filter({ hasText: "NPU" }).first().click();
  await expect(page.locator(".tab.active")).toContainText("train.py");
});

test("the status bar shows version and hardware, and a click changes them", async ({ workbench }) => {
  const item = workbench.statusBar.getByRole("button", { name: /PyTorch .* A2/ });
  await expect(item).toBeVisible();
  await item.click();
  await expect(workbench.page.locator(".quick-input-list")).toContainText("Found in the project");
  await workbench.screenshot("target");
  await workbench.pick("2.6.0");
  await workbench.pick("A3");
  await expect(workbench.statusBar.getByText("PyTorch 2.6.0 · A3")).toBeVisible();
  expect(JSON.parse(workbench.read(".vscode/settings.json"))).toEqual({
    "gpu2ascend.version": "2.6.0",
    "gpu2ascend.hardware": "A3",
  });
});

test("the dialog is opened from a folder's menu, and from the title of a file", async ({ workbench }) => {
  const { page } = workbench;
  // A menu that is opened before the extension is known stays without its entries.
  await expect(workbench.squiggles.first()).toBeVisible();
  await page
    .locator(".explorer-folders-view .monaco-list-row")
    .filter({ hasText: "shapes" })
    .click({ button: "right" });
  const entry = page.locator(".monaco-menu .action-item").filter({ hasText: "PyTorch GPU2Ascend" });
  await expect(entry).toBeVisible();
  await workbench.screenshot("context-menu");
  await page.keyboard.press("Escape");
  await page
    .locator(".title-actions, .editor-actions")
    .getByRole("button", { name: "PyTorch GPU2Ascend" })
    .click();
  await expect(workbench.webview.locator("form.dialog")).toBeVisible();
});
