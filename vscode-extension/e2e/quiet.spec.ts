import { expect, test } from "./fixtures";

const SCRIPT = `import torch

# frees what the cache holds
torch.cuda.empty_cache()
torch.cuda.nvtx.range_push("clear")
`;

test.use({
  files: { "small.py": SCRIPT, "figures/loss.txt": "1.0\n" },
  opened: ["small.py"],
});

test("what is reported is what the user chooses, without JSON @beyond", async ({ workbench }) => {
  const { page } = workbench;
  const settings = (): Record<string, unknown> =>
    JSON.parse(workbench.read(".vscode/settings.json") || "{}") as Record<string, unknown>; // empty while it is written
  const count = async (): Promise<number> =>
    [...(await workbench.problems.innerText()).matchAll(/\d+/g)].reduce(
      (sum, [found]) => sum + Number(found),
      0,
    );
  const openFile = 2;
  await expect(workbench.squiggles.first()).toBeVisible();

  await test.step("the problems of open files only, and of all again", async () => {
    await expect.poll(count).toBeGreaterThan(openFile);
    await workbench.run("GPU2Ascend: Configure…");
    await workbench.pick("Report problems of open files only");
    await expect.poll(count).toBe(openFile);
    expect(settings()).toMatchObject({ "gpu2ascend.diagnosticMode": "openFilesOnly" });
    await workbench.screenshot("open-files-only");
    await workbench.run("GPU2Ascend: Configure…");
    await workbench.screenshot("configure");
    await workbench.pick("Report problems of the whole workspace");
    await expect.poll(count).toBeGreaterThan(openFile);
  });

  await test.step("a rule is ignored that is found by a word", async () => {
    await workbench.run("GPU2Ascend: Configure…");
    await workbench.pick("Rules to ignore");
    await workbench.enter("nvtx-range");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "NPU520" }).first().click();
    await workbench.screenshot("rules-to-ignore");
    await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
    await expect.poll(settings).toMatchObject({ "gpu2ascend.ignore": ["NPU520"] });
    await expect(page.locator(".squiggly-error")).toHaveCount(0);
  });

  await test.step("there is no light bulb on a comment", async () => {
    await workbench.goTo(3, 5);
    await page.keyboard.press("Control+.");
    await expect(page.getByText("No code actions available").first()).toBeVisible();
    await page.keyboard.press("Escape");
  });

  await test.step("switched off, it is silent; switched on, it is back", async () => {
    await workbench.run("GPU2Ascend: Configure…");
    await workbench.pick("Switch off here");
    await expect.poll(count).toBe(0);
    await expect(workbench.squiggles).toHaveCount(0);
    await expect(workbench.statusBar.getByText(/^PyTorch \d/)).toBeHidden();
    await workbench.screenshot("switched-off");
    await workbench.run("GPU2Ascend: Configure…");
    await workbench.pick("Switch on here");
    await expect(workbench.squiggles.first()).toBeVisible();
  });
});

test("a folder has a menu where it holds Python @beyond", async ({ workbench }) => {
  const { page } = workbench;
  const entry = (name: string) =>
    page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name });
  const offered = page.locator(".monaco-menu").getByText("PyTorch GPU2Ascend", { exact: false });
  await expect(workbench.squiggles.first()).toBeVisible();
  await page.keyboard.press("Control+Shift+e");
  for (const [name, wanted] of [
    ["shapes", true],
    ["figures", false],
  ] as const) {
    await entry(name).first().click({ button: "right" });
    await expect(page.locator(".monaco-menu").getByText("Copy Path").first()).toBeVisible();
    await workbench.screenshot(`menu-${name}`);
    await expect(offered).toHaveCount(wanted ? 1 : 0);
    await page.keyboard.press("Escape");
  }
});

test("what a bug report needs is a document @beyond", async ({ workbench }) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  await workbench.run("GPU2Ascend: Show Debug Information");
  await expect(workbench.editor).toContainText("Nothing was sent");
  await expect(workbench.editor).toContainText('"python": "3.');
  await workbench.screenshot("debug-information");
});
