import { expect, test } from "./fixtures";

const SCRIPT = `import torch


def clear(model):
    torch.cuda.empty_cache()
    torch.cuda.nvtx.range_push("clear")
    return model.cuda()
`;

test.use({ files: { "small.py": SCRIPT }, opened: ["small.py"] });

test("what works on CUDA only is underlined, explained, and changed by a quick fix", async ({
  workbench,
}) => {
  const { page } = workbench;
  await expect(workbench.squiggles.first()).toBeVisible();
  await expect(workbench.problems).toHaveText(/[1-9]/);

  await test.step("the hover says what is known of an API", async () => {
    await workbench.goTo(5, 16);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+i");
    const hover = page.locator(".monaco-hover:visible").first();
    await expect(hover).toContainText("torch_npu.npu.empty_cache");
    await workbench.screenshot("hover");
    await page.keyboard.press("Escape");
  });

  await test.step("a quick fix changes the file", async () => {
    await workbench.openQuickFixes();
    await workbench.screenshot("quick-fix");
    await workbench.chooseQuickFix(/torch_npu\.npu\.empty_cache/);
    await expect(workbench.editor).toContainText("torch_npu.npu.empty_cache()");
    await expect(workbench.editor).toContainText("import torch_npu");
    expect(workbench.read("small.py")).toBe(SCRIPT);
  });

  await test.step("and is saved as it is", async () => {
    await workbench.save();
    await expect.poll(() => workbench.read("small.py")).toContain("    torch_npu.npu.empty_cache()\n");
    expect(workbench.read("small.py")).toContain("return model.cuda()");
  });

  await test.step("what is left is explained on a page", async () => {
    await expect(workbench.squiggles.first()).toBeVisible();
    const line =
      workbench
        .read("small.py")
        .split("\n")
        .findIndex((text) => text.includes("nvtx")) + 1;
    await workbench.goTo(line, 16);
    await workbench.openQuickFixes();
    await workbench.chooseQuickFix(/^Explain NPU/);
    await expect(workbench.webview.getByRole("heading", { name: /NPU\d/ }).first()).toBeVisible();
    await workbench.screenshot("explanation");
  });
});

test.describe("with fixes on save", () => {
  test.use({
    server: { settings: { "editor.codeActionsOnSave": { "source.fixAll.gpu2ascend": "explicit" } } },
  });

  test("saving a file makes its safe fixes", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    await workbench.save();
    await expect.poll(() => workbench.read("small.py")).toContain("return model.npu()");
    expect(workbench.read("small.py")).toContain("import torch_npu\n");
  });
});
