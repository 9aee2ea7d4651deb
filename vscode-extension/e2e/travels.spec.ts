/** What was chosen in the dialog counts in the migrated project, wherever its findings are looked at. */

import * as path from "node:path";
import type { Locator } from "@playwright/test";

import { expect, test } from "./fixtures";
import { DialogPage } from "./workbench/dialog";
import { gpu2ascend } from "./workbench/program";

/** A finding as page and program name it: the file and the line. */
type Place = string;

interface Reported {
  readonly filename: string;
  readonly location: { readonly row: number };
  readonly severity: string;
}

/** What `check` finds in a project, by the options that it knows of it. */
function checked(project: string): Reported[] {
  return JSON.parse(gpu2ascend("check", project, "--output-format", "json")) as Reported[];
}

function placesOf(project: string, found: readonly Reported[]): Place[] {
  return found.map(({ filename, location }) => `${path.relative(project, filename)}:${location.row}`).sort();
}

/** How many places there are in each file. */
function counts(places: readonly Place[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const place of places) {
    const file = path.basename(place.replace(/:\d+$/, ""));
    result[file] = (result[file] ?? 0) + 1;
  }
  return result;
}

test.describe("a project with settings of its own", () => {
  test.use({
    opened: [],
    files: {
      ".vscode/settings.json": JSON.stringify({
        "gpu2ascend.version": "2.13.0",
        "gpu2ascend.hardware": "A3",
        "gpu2ascend.ignore": ["NPU520"],
      }),
    },
  });

  test("has, once it is migrated, the same findings on the page, in the view, in the editor and by check", async ({
    workbench,
  }) => {
    test.slow();
    const { page } = workbench;
    const output = path.join(path.dirname(workbench.folder), "ascend", "shapes_classifier_msft");
    const dialog = await DialogPage.open(workbench);
    await dialog.choose("version", "2.7.1");
    await dialog.choose("hardware", "A2");
    // Where something rare is set, its part of the form is open.
    await expect(dialog.input("ignore")).toHaveValue("NPU520");
    await dialog.input("ignore").fill("");
    await dialog.transplant.click();
    await expect(workbench.webview.getByText("For PyTorch 2.7.1 on Ascend A2")).toBeVisible();
    const reported = checked(output);
    const expected = placesOf(output, reported);
    expect(expected.length).toBeGreaterThan(5);

    await test.step("on the page", async () => {
      await workbench.webview.getByRole("button", { name: "By kind" }).click();
      const rows = workbench.webview.locator("vscode-tree-item vscode-tree-item .message");
      await expect.poll(async () => (await rows.allTextContents()).map(placeOf).sort()).toEqual(expected);
      await workbench.screenshot("result-by-kind");
    });

    await page.goto(`${new URL(page.url()).origin}/?folder=${encodeURIComponent(output)}`);
    await workbench.waitUntilShown();

    await test.step("in the status bar, for which a file is opened", async () => {
      await workbench.open("train.py");
      await expect(workbench.statusBar.getByText("PyTorch 2.7.1 · A2")).toBeVisible();
    });

    await test.step("in the view", async () => {
      await workbench.run("GPU2Ascend: Analyze Workspace");
      const groups = page.locator('.part.sidebar .monaco-list-row[aria-level="1"]');
      await expect.poll(() => groupsOf(groups)).toEqual(counts(expected));
      await workbench.screenshot("opened-result");
    });

    await test.step("in the editor, which lists no hints among the problems", async () => {
      const listed = reported.filter(({ severity }) => severity !== "hint");
      await expect(workbench.problems).toHaveAttribute("aria-label", sumsOf(listed));
    });
  });
});

/** The place at the head of a row of the page. */
function placeOf(text: string): Place {
  return /^(.*?:\d+): /.exec(text)?.[1] ?? text;
}

/** The counts of problems as the status bar says them. */
function sumsOf(reported: readonly Reported[]): string {
  const count = (wanted: string): number => reported.filter(({ severity }) => severity === wanted).length;
  const sums = { Errors: count("error"), Warnings: count("warning"), Infos: count("information") };
  const said = Object.entries(sums).flatMap(([name, sum]) => (sum === 0 ? [] : `${name}: ${sum}`));
  return said.join(", ");
}

/** What is asked of an element of the page. */
interface Labelled {
  getAttribute(name: string): string | null;
}

/** The files of the view, and how many findings each has, as they are read aloud. */
async function groupsOf(rows: Locator): Promise<Record<string, number>> {
  // At one moment: a row that is looked for later may be drawn anew, or be gone.
  const names = await rows.evaluateAll((all: Labelled[]) => all.map((row) => row.getAttribute("aria-label")));
  const found = names.map((name) => /^(.+), (\d+) findings(?:, (\d+) advice)?/.exec(name ?? ""));
  return Object.fromEntries(
    found.map((match) => [match?.[1] ?? "", Number(match?.[2]) + Number(match?.[3] ?? 0)]),
  );
}
