import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

test.describe("in a workspace that is not trusted", () => {
  test.use({ server: { trusted: false } });

  test("problems are shown, and nothing can be written until it is", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    const offered = await workbench.list("GPU2Ascend", "GPU2Ascend: Show Log");
    for (const writing of ["Migrate This File", "Preview Migration in Place"]) {
      await expect(offered.filter({ hasText: writing })).toHaveCount(0);
    }
    await workbench.screenshot("untrusted");
    await workbench.run("Workspaces: Manage Workspace Trust");
    await workbench.page
      .locator(".workspace-trust-editor")
      .getByRole("button", { name: "Trust", exact: true })
      .click();
    const dialog = await DialogPage.open(workbench);
    await expect(dialog.transplant).toBeVisible();
  });
});

test.describe("in a workspace of two folders", () => {
  test.use({
    files: { "requirements.txt": "torch==2.8.0\n" },
    second: {
      "requirements.txt": "torch==2.6.0\n",
      "other.py": "import torch\n\ntorch.cuda.empty_cache()\n",
    },
    opened: ["../second/other.py"],
  });

  test("each folder has its own version, and all are analysed @beyond", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    await expect(workbench.statusBar.getByText("PyTorch 2.6.0 · A2")).toBeVisible();
    await workbench.open("train.py");
    await expect(workbench.statusBar.getByText("PyTorch 2.8.0 · A2")).toBeVisible();
    await workbench.run("GPU2Ascend: Analyze Workspace");
    const rows = workbench.page.locator(".part.sidebar .monaco-list-row");
    await expect(rows.filter({ hasText: "other.py" })).toBeVisible();
    await expect(rows.filter({ hasText: "train.py" })).toBeVisible();
  });
});
