/** The view "Findings", as its user sees it. */

import { expect, type Locator, type Page } from "@playwright/test";

import type { Workbench } from "./workbench";

export class FindingsPage {
  readonly view: Locator;
  readonly rows: Locator;
  private readonly answers: Locator;
  private readonly page: Page;

  constructor(private readonly workbench: Workbench) {
    this.page = workbench.page;
    this.answers = workbench.page.locator(".quick-input-list .monaco-list-row");
    this.view = workbench.page.locator(".part.sidebar");
    this.rows = this.view.locator(".monaco-list-row");
  }

  /** Opens the view, which fills itself. */
  static async analyze(workbench: Workbench): Promise<FindingsPage> {
    const findings = new FindingsPage(workbench);
    const shown = findings.view.getByRole("button", { name: "Refresh" }).or(findings.rows.first());
    const title = findings.view.getByText("Ascend: Findings");
    await expect(async () => {
      // A second click would hide the view again.
      if (!(await title.isVisible())) {
        await workbench.page.getByRole("tab", { name: "Ascend", exact: true }).click({ timeout: 5_000 });
      }
      await expect(shown.first()).toBeVisible({ timeout: 5_000 });
    }).toPass();
    await workbench.screenshot("welcome");
    await expect(findings.group(/./).first()).toBeVisible();
    return findings;
  }

  row(text: string | RegExp): Locator {
    return this.rows.filter({ hasText: text });
  }

  /** The row of a group, a file or a rule. */
  group(name: string | RegExp): Locator {
    return this.view.locator('.monaco-list-row[aria-level="1"]').filter({ hasText: name });
  }

  /** The rows that are neither groups nor groups' parts of another group. */
  below(text: string | RegExp): Locator {
    return this.view.locator('.monaco-list-row:not([aria-level="1"])').filter({ hasText: text });
  }

  /** Opens a group, and waits until it is open. */
  async expand(name: string | RegExp): Promise<void> {
    const group = this.group(name).first();
    await expect(async () => {
      if ((await group.getAttribute("aria-expanded")) !== "true") {
        await group.click({ timeout: 5_000 });
      }
      await expect(group).toHaveAttribute("aria-expanded", "true", { timeout: 2_000 });
    }).toPass();
  }

  async collapse(name: string | RegExp): Promise<void> {
    const group = this.group(name).first();
    await expect(async () => {
      if ((await group.getAttribute("aria-expanded")) === "true") {
        await group.click({ timeout: 5_000 });
      }
      await expect(group).toHaveAttribute("aria-expanded", "false", { timeout: 2_000 });
    }).toPass();
  }

  /** How many findings a group has, as it says. */
  async count(name: string | RegExp): Promise<number> {
    const text = await this.group(name).first().locator(".label-description").innerText();
    return Number(/(\d+)(?: \+ \d+ advice)?$/.exec(text.trim())?.[1]);
  }

  /** Takes one of the buttons that a row has. */
  async act(row: Locator, button: string, patience: { timeout?: number } = {}): Promise<void> {
    await row.hover(patience);
    await row.getByRole("button", { name: button }).click(patience);
  }

  /**
   * Takes a button of a row that asks something. A row that is drawn anew at this moment, as after a key, after a
   * reload, or where its file is opened, takes no click.
   */
  async ask(row: Locator, button: string): Promise<void> {
    await expect(async () => {
      await this.act(row, button, { timeout: 5_000 });
      await expect(this.answers.first()).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 60_000 });
  }

  /** Takes a button of a row that goes by it; as {@link ask} does, until it has. */
  async actUntilGone(row: Locator, button: string): Promise<void> {
    await expect(async () => {
      if ((await row.count()) > 0) {
        await this.act(row, button, { timeout: 5_000 });
      }
      await expect(row).toHaveCount(0, { timeout: 10_000 });
    }).toPass({ timeout: 60_000 });
  }

  /** Takes an entry of a row's menu, after a look at all of them. */
  async choose(row: Locator, entry: string, look?: (entries: Locator) => Promise<void>): Promise<void> {
    await row.click({ button: "right" });
    await this.entry(entry, look);
  }

  private async entry(
    entry: string,
    look: (entries: Locator) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const entries = this.page.locator(".monaco-menu .action-item");
    await expect(entries.filter({ hasText: entry })).toBeVisible();
    await look(entries);
    // A menu takes no notice of clicks just after it has opened.
    await expect(async () => {
      await entries.filter({ hasText: entry }).click({ timeout: 5_000 });
      await expect(entries.first()).toBeHidden({ timeout: 1_000 });
    }).toPass();
  }

  async groupBy(what: string): Promise<void> {
    await this.enter("Group By…", what, this.answers, 1);
    await this.workbench.quickInput.press("Enter");
  }

  /** Types a filter, which stays open, until it lets as many groups through. */
  async filter(text: string, groups: number): Promise<void> {
    await this.enter("Filter…", text, this.group(/./), groups);
  }

  /** Answers what a button above the rows asks, again where the question closed because an editor took the focus. */
  private async enter(button: string, text: string, shown: Locator, count: number): Promise<void> {
    await expect(async () => {
      await this.title(button, { timeout: 5_000 });
      await this.workbench.enter(text);
      await expect(shown).toHaveCount(count, { timeout: 10_000 });
    }).toPass({ timeout: 60_000 });
  }

  /** Takes an entry of the menu above the rows. */
  async more(entry: string): Promise<void> {
    await this.view.hover();
    await this.view.getByLabel(/Views and More Actions/).click();
    await this.entry(entry);
  }

  /** Takes a button above the rows. */
  async title(button: string, patience: { timeout?: number } = {}): Promise<void> {
    await this.view.hover(patience);
    await this.view.getByRole("button", { name: button }).click(patience);
  }
}
