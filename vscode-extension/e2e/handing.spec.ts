/** What is left as a prompt: of a row of the view, and of a result. The workbench of these tests has no chat. */

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";
import { FindingsPage } from "./workbench/findings";

test.slow();

test("a row becomes a prompt with its place, and nothing offers a chat that is not there", async ({
  workbench,
}) => {
  const findings = await FindingsPage.analyze(workbench);
  await findings.expand("train.py");
  const row = findings.below(/\w/).first();
  await findings.choose(row, "Copy as Prompt", async (entries) => {
    await expect(entries.filter({ hasText: "Copy as Prompt" })).toHaveCount(1);
    await expect(entries.filter({ hasText: "Chat" })).toHaveCount(0);
    await workbench.screenshot("findings-menu");
  });
  await expect(workbench.statusBar).toContainText("The prompt is in the clipboard");
  const prompt = await workbench.clipboard();
  expect(prompt).toContain(workbench.folder);
  expect(prompt).toMatch(/`train\.py:\d+`: `.*torch/);
  expect(prompt).toMatch(/`gpu2ascend check --select [A-Z]+\d+ -v [\d.]+ train\.py`/);
});

test("what a migration left becomes a prompt, and nothing offers a chat that is not there @beyond", async ({
  workbench,
}) => {
  const dialog = await DialogPage.open(workbench);
  await dialog.choose("version", "2.8.0");
  await dialog.transplant.click();
  const page = workbench.webview;
  const copy = page.getByRole("button", { name: "Copy as Prompt" });
  await copy.scrollIntoViewIfNeeded();
  await expect(page.getByRole("button", { name: "Hand Over to Chat" })).toHaveCount(0);
  await workbench.screenshot("result-prompt");
  await copy.click();
  await expect(workbench.statusBar).toContainText("The prompt is in the clipboard");
  expect(await workbench.clipboard()).toMatch(/shapes_classifier_msft.*PyTorch 2\.8\.0 on A2/);
});
