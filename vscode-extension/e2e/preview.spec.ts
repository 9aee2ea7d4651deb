/** The Refactor Preview: what is ticked is what is applied, and whatever comes of it is said. */

import * as fs from "node:fs";

import { expect, test } from "./fixtures";
import type { Workbench } from "./workbench/workbench";

const SMALL = "import torch\n\nones = torch.ones(2).cuda()\ntorch.cuda.empty_cache()\n";
const PLAIN = "print('nothing to do')\n";

class Preview {
  constructor(private readonly workbench: Workbench) {}

  get panel() {
    return this.workbench.page.locator(".bulk-edit-panel");
  }

  get rows() {
    return this.panel.locator(".monaco-list-row");
  }

  /** The row of an edit, by its text. */
  row(text: string | RegExp) {
    return this.rows.filter({ hasText: text });
  }

  checkbox(text: string | RegExp) {
    return this.row(text).locator(".edit-checkbox");
  }

  async open(): Promise<void> {
    await this.workbench.run("GPU2Ascend: Preview Migration in Place");
    await expect(this.rows.first()).toBeVisible();
  }

  /** Groups the changes by file, or by what they are for. */
  async group(by: "File" | "Type"): Promise<void> {
    const label = `.part.panel .action-label[aria-label*="Group Changes By ${by}"]`;
    await this.workbench.page.locator(label).first().click();
  }

  async apply(): Promise<void> {
    await this.panel.getByRole("button", { name: "Apply" }).click();
    await expect(this.panel).toBeHidden();
  }
}

test.describe("a file with safe changes", () => {
  test.use({
    files: { "small.py": SMALL, "locked.py": SMALL, "requirements.txt": "" },
    opened: ["small.py"],
  });

  test("has a ticked row for each finding, and what is ticked is applied", async ({ workbench }) => {
    const { page } = workbench;
    fs.chmodSync(workbench.path("locked.py"), 0o444);
    // Only these two have something to do.
    for (const name of ["train.py", "shapes", "scripts", "run.sh"]) {
      fs.rmSync(workbench.path(name), { recursive: true, force: true });
    }
    await expect(workbench.squiggles.first()).toBeVisible();
    const preview = new Preview(workbench);

    await test.step("what cannot be written is named", async () => {
      await preview.open();
      await expect(workbench.toasts.filter({ hasText: "Read-only, left out: locked.py." })).toBeVisible();
      await expect(preview.row("locked.py")).toHaveCount(0);
    });

    await test.step("everything is ticked, by file and by finding", async () => {
      for (const text of ["import torch_npu", "npu", "empty_cache"]) {
        await expect(preview.checkbox(text).last()).toBeChecked();
      }
      await workbench.screenshot("preview-rows");
      await preview.group("Type");
      await expect(preview.row(/NPU\d+, line 3: /)).toBeVisible();
      await expect(preview.row(/NPU\d+, line 4: /)).toBeVisible();
      await workbench.screenshot("preview-by-finding");
      await preview.group("File");
    });

    await test.step("discarded, it says that nothing was changed", async () => {
      await preview.panel.getByRole("button", { name: "Discard" }).click();
      await expect(workbench.toasts.filter({ hasText: "Nothing was changed." }).first()).toBeVisible();
      await workbench.run("Notifications: Clear All Notifications");
    });

    await test.step("without its import and one finding, the code is whole all the same", async () => {
      await preview.open();
      await preview.checkbox("import torch_npu").click();
      await preview
        .checkbox(/\.cuda|\.npu\(\)/)
        .first()
        .click();
      await preview.apply();
      await expect(workbench.toasts.filter({ hasText: "1 file was changed." })).toBeVisible();
      await expect(workbench.toasts).toContainText([
        "Imports that the chosen changes need were added: small.py.",
      ]);
      await workbench.screenshot("preview-applied");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await expect
        .poll(() => workbench.read("small.py"))
        .toBe("import torch\nimport torch_npu\n\nones = torch.ones(2).cuda()\ntorch_npu.npu.empty_cache()\n");
    });
  });
});

test.describe("a project without anything to change", () => {
  test.use({ files: { "plain/only.py": PLAIN }, opened: ["plain/only.py"] });

  test("says so @beyond", async ({ workbench }) => {
    for (const name of ["train.py", "shapes", "scripts", "run.sh", "requirements.txt"]) {
      fs.rmSync(workbench.path(name), { recursive: true, force: true });
    }
    await workbench.run("GPU2Ascend: Preview Migration in Place");
    await expect(workbench.toasts.filter({ hasText: "There is nothing to migrate here." })).toBeVisible();
  });
});
