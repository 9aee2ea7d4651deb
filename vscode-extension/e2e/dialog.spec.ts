import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { expectAccessible } from "./workbench/axe";
import { DialogPage } from "./workbench/dialog";

test.use({
  opened: [],
  files: {
    "good-rules.json": JSON.stringify({
      rules: { FuncNameModifyRule: [{ old_name: "to_gpu", new_name: "to_npu" }] },
    }),
    "bad-rules.json": JSON.stringify({ rules: { NoSuchRule: [] } }),
    "broken-rules.json": '{\n  "rules": {\n    oops\n}',
    // A separate project, as there are several in one repository.
    "legacy/requirements.txt": "torch==1.5.0\n",
    "legacy/run.py": "import torch\n",
  },
});

// Each goes through the whole form.
test.slow();

test("the dialog starts with the project, is used by the keys, and says at a field what is wrong", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  const { page } = workbench;
  const output = path.join(path.dirname(workbench.folder), "ascend");
  await expect(dialog.input("inputPath")).toHaveValue(workbench.folder);
  await expect(dialog.input("outputPath")).toHaveValue(output);
  await expect(dialog.target).toHaveText(path.join(output, "shapes_classifier_msft"));

  await test.step("a folder is chosen by the keys alone", async () => {
    await expect(dialog.choice("version")).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(dialog.input("inputPath")).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(dialog.field("inputPath").getByRole("button", { name: "Browse… Input Path" })).toBeFocused();
    await page.keyboard.press("Enter");
    const browser = workbench.quickInput;
    await expect(browser).toHaveValue(new RegExp(path.basename(workbench.folder)));
    await workbench.enter(`${workbench.path("shapes")}/`);
    await expect(page.locator(".quick-input-list")).toContainText("utils");
    // The key is not heard while a folder is being read.
    await expect(async () => {
      await browser.press("Enter", { timeout: 1_000 });
      await expect(browser).toBeHidden({ timeout: 2_000 });
    }).toPass();
    await expect(dialog.input("inputPath")).toHaveValue(workbench.path("shapes"));
    await expect(dialog.target).toHaveText(path.join(output, "shapes_msft"));
  });

  await test.step("a screen reader announces the help of a field, and what is wrong with it", async () => {
    await expect(dialog.input("outputPath")).toHaveAccessibleDescription(/migrated project is created/);
    await expect(dialog.choice("version")).toHaveAccessibleDescription(/PyTorch version of/);
    await expect(dialog.box("customRule.enabled")).toHaveAccessibleDescription(/your own rules/);
    await dialog.input("inputPath").fill("no/such");
    await expect(dialog.error("inputPath")).toHaveText("no/such is not an absolute path.");
    await expect(dialog.input("inputPath")).toHaveAccessibleDescription(/^no\/such is not .* only read\.$/);
    await expect(dialog.input("inputPath")).toHaveAttribute("aria-invalid", "true");
  });

  await test.step("paths", async () => {
    await dialog.input("inputPath").fill("/no/such/folder");
    await expect(dialog.error("inputPath")).toContainText("/no/such/folder");
    await dialog.input("inputPath").fill("");
    await expect(dialog.error("inputPath")).toBeVisible();
    await dialog.input("inputPath").fill(workbench.folder);
    await expect(dialog.error("inputPath")).toBeHidden();
    await dialog.input("outputPath").fill(path.dirname(workbench.folder));
    await expect(dialog.error("outputPath")).toContainText("lies inside the output directory");
    await dialog.input("outputPath").fill(workbench.path("out"));
    await expect(dialog.error("outputPath")).toContainText("lies inside the input");
    await workbench.screenshot("dialog-error");
    await expectAccessible(workbench.webview);
    await dialog.transplant.click();
    await expect(dialog.input("outputPath")).toBeFocused();
    await dialog.input("outputPath").fill(output);
    await expect(dialog.error("outputPath")).toBeHidden();
  });

  await test.step("the version, which is preselected with the reason", async () => {
    await expect(dialog.choice("version")).toHaveAttribute("aria-required", "true");
    await expect(dialog.note("version")).toContainText(
      "the newest supported version that satisfies torch>=2.1 (requirements.txt)",
    );
    await dialog.input("inputPath").fill(workbench.path("legacy"));
    await expect(dialog.choice("version")).toContainText("1.5.0");
    await expect(dialog.note("version")).toContainText("torch==1.5.0");
    await expect(dialog.error("version")).toBeHidden();
    await expect(dialog.field("ampTransplant")).toBeVisible();
    await dialog.input("inputPath").fill(workbench.folder);
    await expect(dialog.note("version")).toContainText("torch>=2.1");
    await expect(dialog.choice("version")).not.toContainText("1.5.0");
    await workbench.screenshot("dialog-version");
    await dialog.choose("version", "2.8.0");
    await expect(dialog.error("version")).toBeHidden();
    await expect(dialog.note("version")).toBeHidden();
  });

  await test.step("custom rules", async () => {
    await expect(dialog.field("customRule")).toBeHidden();
    await dialog.toggle("customRule.enabled");
    await dialog.transplant.click();
    await expect(dialog.error("customRule")).toContainText("Choose the rule file");
    await expect(dialog.input("customRule")).toBeFocused();
    await dialog.input("customRule").fill(workbench.path("broken-rules.json"));
    await expect(dialog.error("customRule")).toContainText("broken-rules.json:3:");
    await dialog.input("customRule").fill(workbench.path("none.json"));
    await expect(dialog.error("customRule")).toContainText("none.json");
    await dialog.input("customRule").fill(workbench.path("bad-rules.json"));
    await expect(dialog.error("customRule")).toContainText("NoSuchRule");
    await workbench.screenshot("dialog-custom-rule");
  });

  await test.step("an error that is over, because a file was mended, holds nothing back", async () => {
    await dialog.input("outputPath").fill(workbench.path("out"));
    await expect(dialog.error("outputPath")).toBeVisible();
    fs.copyFileSync(workbench.path("good-rules.json"), workbench.path("bad-rules.json"));
    await expect(dialog.error("customRule")).toBeVisible();
    await dialog.transplant.click();
    await expect(dialog.error("customRule")).toBeHidden();
    await expect(dialog.input("outputPath")).toBeFocused();
    await dialog.input("outputPath").fill(output);
    await expect(dialog.error("outputPath")).toBeHidden();
  });

  await test.step("mixed precision, for 1.5.0 only, and of the same model as on several devices", async () => {
    await expect(dialog.field("ampTransplant")).toBeHidden();
    await dialog.choose("version", "1.5.0");
    await expect(dialog.field("ampModel")).toBeHidden();
    await dialog.toggle("ampTransplant");
    await expect(dialog.input("ampModel")).toHaveValue("model");
    await dialog.toggle("distributed");
    await dialog.input("mainFile").fill("");
    await expect(dialog.error("mainFile")).toBeVisible();
    await dialog.proposal("mainFile", "train.py").click();
    await expect(dialog.input("mainFile")).toHaveValue("train.py");
    await dialog.input("targetModel").fill("the net");
    await expect(dialog.error("targetModel")).toContainText("the net");
    await expect(dialog.note("targetModel")).toContainText("Amp Transplant");
    await expect(dialog.note("ampModel")).toContainText("Distributed Rule");
    await dialog.input("targetModel").fill("net");
    await expect(dialog.error("targetModel")).toBeHidden();
    await expect(dialog.input("ampModel")).toHaveValue("net");
    await dialog.input("ampModel").fill("self.net");
    await expect(dialog.input("targetModel")).toHaveValue("self.net");
    await workbench.screenshot("dialog-amp");
    await dialog.choose("version", "2.8.0");
    await expect(dialog.field("ampTransplant")).toBeHidden();
    await expect(dialog.field("ampModel")).toBeHidden();
  });

  await test.step("how to write custom rules, in a guide beside the dialog", async () => {
    await dialog.field("customRule.enabled").getByRole("button", { name: "Open the Guide" }).click();
    await expect(workbench.webview.getByRole("cell", { name: "ArgsModifyRule" })).toBeVisible();
    await workbench.screenshot("guide");
  });
});

test("an earlier result is replaced, and what was changed in it deleted, only when that is allowed @beyond", async ({
  workbench,
}) => {
  const result = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();
  await expect(workbench.webview.getByRole("heading", { name: "Migration Result" })).toBeVisible();
  const notes = path.join(result, "notes.txt");
  fs.writeFileSync(notes, "mine");
  await DialogPage.open(workbench);
  const refusal = dialog.error("outputPath");

  await test.step("by a button that ticks what the refusal names", async () => {
    await dialog.transplant.click();
    await refusal.getByRole("button", { name: "Replace an earlier result" }).click();
    await expect(dialog.box("force")).toBeChecked();
    await expect(refusal).toContainText("notes.txt");
    await workbench.screenshot("dialog-replace");
    await dialog.transplant.click();
    expect(fs.readFileSync(notes, "utf8")).toBe("mine");
    await refusal.getByRole("button", { name: "Also delete later changes" }).click();
    await expect(dialog.box("discardChanges")).toBeChecked();
    await expect(refusal).toBeHidden();
  });

  await dialog.transplant.click();
  await expect(workbench.webview.getByRole("heading", { name: "Migration Result" })).toBeVisible();
  expect(fs.existsSync(notes)).toBe(false);
});

test("the dialog's fields appear with what they depend on, and are kept when hidden and over a reload @beyond", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.choose("hardware", "A3");
  for (const name of ["mainFile", "targetModel", "launcher", "nnodes"]) {
    await expect(dialog.field(name)).toBeHidden();
  }

  await test.step("several devices", async () => {
    await dialog.toggle("distributed");
    await expect(dialog.input("targetModel")).toHaveValue("model");
    await expect(dialog.target).toContainText("shapes_classifier_msft_multi");
    await dialog.input("mainFile").fill(workbench.path("none.py"));
    await expect(dialog.error("mainFile")).toContainText("none.py");
    await dialog.input("mainFile").fill("/elsewhere/train.py");
    await expect(dialog.error("mainFile")).toContainText("/elsewhere/train.py");
    await dialog.input("mainFile").fill(workbench.path("train.py"));
    await expect(dialog.error("mainFile")).toBeHidden();
    await dialog.input("targetModel").fill("net");
    await dialog.choose("launcher", "torchrun");
    await dialog.input("nnodes").fill("0");
    await expect(dialog.error("nnodes")).toBeVisible();
    await dialog.input("nnodes").fill("2");
    await expect(dialog.error("nnodes")).toBeHidden();
    await workbench.screenshot("dialog-distributed");
    await expectAccessible(workbench.webview);
  });

  await test.step("what is rarely needed", async () => {
    await dialog.toggle("replaceUnsupported");
    await expect(dialog.advanced).toHaveAttribute("aria-expanded", "false");
    await dialog.openAdvanced();
    await expect(dialog.advanced).toHaveAttribute("aria-expanded", "true");
    for (const name of ["unsafeFixes", "specifyDevice", "force"]) {
      await dialog.toggle(name);
    }
    await dialog.choose("apiStyle", "torch.npu");
    await dialog.input("select").fill("NOSUCH1");
    await expect(dialog.error("select")).toContainText("NOSUCH1");
    await dialog.input("select").fill("NPU");
    await expect(dialog.error("select")).toBeHidden();
    await dialog.input("ignore").fill("NPU9, NPU101");
    await dialog.input("severities").fill("NPU102=loud");
    await expect(dialog.error("severities")).toContainText("loud");
    await dialog.input("severities").fill("NPU102=hint");
    await expect(dialog.error("severities")).toBeHidden();
    await dialog.input("exclude").fill("scripts/**");
    await workbench.screenshot("dialog-advanced");
    await expectAccessible(workbench.webview);
  });

  const expectKept = async (): Promise<void> => {
    await dialog.waitUntilShown();
    await expect(dialog.input("targetModel")).toHaveValue("net");
    await expect(dialog.input("nnodes")).toHaveValue("2");
    await expect(dialog.input("ignore")).toHaveValue("NPU9, NPU101");
    await expect(dialog.input("severities")).toHaveValue("NPU102=hint");
    await expect(dialog.field("specifyDevice").getByRole("checkbox")).toBeChecked();
    await expect(dialog.choice("hardware")).toContainText("A3");
    await expect(dialog.choice("apiStyle")).toContainText("torch.npu");
    // What was chosen among the rare options is not hidden.
    await expect(dialog.advanced).toHaveAttribute("aria-expanded", "true");
  };
  await test.step("hidden by another editor, and shown again", async () => {
    await workbench.page.locator(".explorer-folders-view").getByText("train.py").dblclick();
    await expect(workbench.tab("train.py")).toHaveClass(/active/);
    await workbench.tab("PyTorch GPU2Ascend").click();
    await expectKept();
  });
  await test.step("the window loaded again", async () => {
    await workbench.reload();
    await expectKept();
  });
  await test.step("one tab, also if another editor was in front when the window was loaded again", async () => {
    await workbench.tab("train.py").click();
    await workbench.reload();
    await expect(workbench.tab("train.py")).toHaveClass(/active/);
    await workbench.run("PyTorch GPU2Ascend");
    await expectKept();
    await expect(workbench.tab("PyTorch GPU2Ascend")).toHaveCount(1);
  });
});
