import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";

for (const [name, theme] of [
  ["dark", "Default Dark Modern"],
  ["high-contrast", "Default High Contrast"],
] as const) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ server: { settings: { "workbench.colorTheme": theme } } });

    test("the dialog and its errors can be read", async ({ workbench }) => {
      const dialog = await DialogPage.open(workbench);
      await dialog.input("inputPath").fill("/no/such/folder");
      await expect(dialog.error("inputPath")).toBeVisible();
      await workbench.screenshot(`dialog-${name}`);
    });
  });
}
