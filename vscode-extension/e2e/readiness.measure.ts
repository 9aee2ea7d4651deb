/**
 * How long after its activation the extension is ready, by its own log: where a Python file is opened in a window
 * that runs, and where one is open when the window starts, beside everything else that starts then.
 *
 * Each window has a profile that nothing has used before, so that the interpreter is looked for, too.
 */

import { expect, test } from "./fixtures";

const WINDOWS = 4;

/** What a window does after it is shown, until nothing is left to be done. */
const REST_MS = 12_000;

for (let window = 1; window <= WINDOWS; window += 1) {
  test.describe(`window ${window} that runs`, () => {
    test.use({ opened: [] });

    test("opens a Python file", async ({ workbench }) => {
      await workbench.page.waitForTimeout(REST_MS);
      await workbench.open("train.py");
      await expect(workbench.squiggles.first()).toBeVisible();
    });
  });

  test(`window ${window} starts with a Python file`, async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
  });
}
