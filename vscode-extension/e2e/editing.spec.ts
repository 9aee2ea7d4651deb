import { expect, test } from "./fixtures";

const SCRIPT = `import torch


def clear(model):
    torch.cuda.empty_cache()
    return model.cuda()
`;

test.use({ files: { "small.py": SCRIPT }, opened: ["small.py"] });

test.describe("in a Python file", () => {
  test("what works on CUDA only is underlined, and a quick fix changes the file", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    await expect(workbench.problems).toHaveText(/[1-9]/);

    await workbench.goTo(5, 16);
    await workbench.openQuickFixes();
    await workbench.screenshot("quick-fix");
    await workbench.chooseQuickFix(/torch_npu\.npu\.empty_cache/);
    await expect(workbench.editor).toContainText("torch_npu.npu.empty_cache()");
    await expect(workbench.editor).toContainText("import torch_npu");

    await workbench.save();
    await expect.poll(() => workbench.read("small.py")).toContain("    torch_npu.npu.empty_cache()\n");
  });

  test("hovering over an API says what is known of it", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    await workbench.goTo(5, 16);
    await workbench.page.keyboard.press("Control+k");
    await workbench.page.keyboard.press("Control+i");
    const hover = workbench.page.locator(".monaco-hover:visible");
    await expect(hover.first()).toContainText("torch_npu.npu.empty_cache");
    await workbench.screenshot("hover");
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
