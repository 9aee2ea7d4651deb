/**
 * The pictures of the README and the walkthrough, in both languages, light and dark: E2E_UPDATE_MEDIA=1 writes them.
 *
 * The window is small, for a walkthrough shows a picture about 440 pixels wide.
 */

import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";
import { type Look, LOOKS, picture, serverOf } from "./workbench/looks";
import { withPalette } from "./workbench/palette";
import type { Workbench } from "./workbench/workbench";

const ROOT = path.resolve(__dirname, "..", "..");
const PUBLISHED = path.resolve(__dirname, "..", "media", "screenshots");
const PYTHON = process.env.PYTHON ?? path.join(ROOT, ".venv", "bin", "python");
const SMALL = { width: 720, height: 500 };
/** Where the code of the sample begins to be interesting, with room for a list below. */
const LINE = 30;

const SCRIPT = `\
import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.randn(8, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`;

const IN_ENGLISH = LOOKS.filter(({ name }) => name === "light" || name === "dark");
const IN_CHINESE = IN_ENGLISH.map((look): Look => ({
  ...look,
  name: `chinese-${look.name}`,
  language: "zh",
}));

for (const look of [...IN_ENGLISH, ...IN_CHINESE]) {
  const isChinese = look.language === "zh";
  const said = (english: string, chinese: string): string => (isChinese ? chinese : english);
  const { settings, ...server } = serverOf(look);

  async function take(workbench: Workbench, name: string): Promise<void> {
    const { page } = workbench;
    await page.mouse.move(0, 0);
    await picture(page, look, `media-${name}`);
    if (process.env.E2E_UPDATE_MEDIA !== undefined) {
      const file = `${name}-${look.media.colorScheme}${isChinese ? ".zh-CN" : ""}.png`;
      fs.writeFileSync(path.join(PUBLISHED, file), withPalette(await page.screenshot()));
    }
  }

  test.describe(`${look.name}: pictures of the walkthrough`, () => {
    test.use({
      files: { "tiny.py": SCRIPT },
      server: {
        ...server,
        settings: {
          ...settings,
          "gpu2ascend.verify.interpreter": PYTHON,
          "workbench.activityBar.location": "hidden",
          "editor.minimap.enabled": false,
          "breadcrumbs.enabled": false,
        },
      },
    });

    test("from the first squiggle to the run", async ({ workbench }) => {
      const { page } = workbench;
      await expect(workbench.squiggles.first()).toBeVisible();
      await page.setViewportSize(SMALL);
      await workbench.run("View: Close Primary Side Bar");
      await workbench.goTo(LINE, 1);
      await page.keyboard.press("F8");
      await page.keyboard.press("Escape");
      await workbench.openQuickFixes();
      await take(workbench, "quick-fix");
      await page.keyboard.press("Escape");
      await workbench.statusBar.getByRole("button", { name: /PyTorch .* A2/ }).click();
      await expect(workbench.quickInput).toBeVisible();
      await take(workbench, "target");
      await page.keyboard.press("Escape");

      const dialog = await DialogPage.open(workbench);
      await dialog.choose("version", "2.8.0");
      await take(workbench, "dialog");
      await workbench.webview.getByRole("button", { name: said("Transplant", "开始迁移") }).click();
      const state = workbench.webview.locator("#verification");
      await expect(state).toContainText(said("Not verified yet", "尚未验证"));
      await workbench.run("Notifications: Clear All Notifications");
      await take(workbench, "result");

      await workbench.webview
        .getByRole("button", { name: said("Verify Migrated Project", "验证迁移后的项目") })
        .click();
      await expect(workbench.quickInput).toHaveValue(/\.py$/);
      await workbench.enter("tiny.py");
      await workbench.quickInput.press("Enter");
      await expect(page.locator(".terminal.xterm")).toBeVisible();
      await expect(state).toHaveClass(/passed/, { timeout: 180_000 });
      await workbench.run("Notifications: Clear All Notifications");
      await state.scrollIntoViewIfNeeded();
      await take(workbench, "verify");
    });
  });
}
