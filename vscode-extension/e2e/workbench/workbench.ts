/** The parts of the workbench that the tests use, as a user sees them. */

import * as fs from "node:fs";
import * as path from "node:path";
import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";

const EXTENSION = path.resolve(__dirname, "..", "..");
const SCREENSHOTS = path.join(EXTENSION, "test-results", "screenshots");

export class Workbench {
  constructor(
    readonly page: Page,
    /** The opened folder. */
    readonly folder: string,
    /** What the log says of each time that the server was ready. */
    readonly readiness: () => string[],
  ) {}

  /** The absolute path of a file of the opened folder. */
  path(file: string): string {
    return path.join(this.folder, file);
  }

  read(file: string): string {
    return fs.readFileSync(this.path(file), "utf8");
  }

  get editor(): Locator {
    return this.page.locator(".editor-group-container.active .monaco-editor").first();
  }

  get squiggles(): Locator {
    return this.page.locator(".squiggly-warning, .squiggly-error");
  }

  get toasts(): Locator {
    return this.page.locator(".notification-toast");
  }

  /** The counts of problems in the status bar. */
  get problems(): Locator {
    return this.page.locator("#status\\.problems");
  }

  get statusBar(): Locator {
    return this.page.locator(".part.statusbar");
  }

  /** The content of the web view in front. */
  get webview(): FrameLocator {
    return this.page
      .locator("iframe.webview.ready")
      .last()
      .contentFrame()
      .frameLocator("iframe#active-frame");
  }

  tab(title: string): Locator {
    return this.page.locator(".tab").filter({ hasText: title });
  }

  /**
   * Loads the window again, in good order, so that it comes back with the editors that were open. Those that
   * the address names, if any, come instead of them. Returns when the server is ready again.
   */
  async reload(): Promise<void> {
    const starts = this.readiness().length;
    const loaded = this.page.waitForEvent("load");
    await this.run("Developer: Reload Window");
    await loaded;
    await this.waitUntilShown();
    await expect.poll(() => this.readiness().length, { timeout: 120_000 }).toBeGreaterThan(starts);
  }

  /** Sets what is set for this workspace only; a running workbench takes notice. */
  configure(settings: Readonly<Record<string, unknown>>): void {
    fs.mkdirSync(this.path(".vscode"), { recursive: true });
    fs.writeFileSync(this.path(".vscode/settings.json"), JSON.stringify(settings));
  }

  async waitUntilShown(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
  }

  /** Runs a command of the palette by its full name. */
  async run(command: string): Promise<void> {
    await this.listed(command, async (rows) => {
      const row = rows.filter({ hasText: command }).first();
      await row.click({ timeout: 5_000 });
      await expect(row).toBeHidden();
    });
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget input.input");
  }

  /**
   * Writes into the input of the palette or of another quick pick, and nowhere else: what Playwright fills in
   * goes to whatever has the focus by then, which an editor takes when it opens.
   */
  async enter(text: string): Promise<void> {
    await expect(this.quickInput).toBeVisible({ timeout: 5_000 });
    await this.quickInput.evaluate(setValue as (input: unknown, value: string) => void, text);
  }

  /** The rows of the palette for a text, once a command is among them. */
  async list(text: string, command: string): Promise<Locator> {
    return await this.listed(command, undefined, text);
  }

  /**
   * Does something with the rows of the palette while a command is among them. An editor that takes the focus, as
   * it does when it opens, closes the palette, before or after its rows are there; and what the palette lists does
   * not change once it is open.
   */
  private async listed(
    command: string,
    act?: (rows: Locator) => Promise<void>,
    text = command,
  ): Promise<Locator> {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await expect(async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("F1");
      await this.enter(`>${text}`);
      await expect(rows.filter({ hasText: command }).first()).toBeVisible({ timeout: 10_000 });
      await act?.(rows);
    }).toPass({ timeout: 60_000 });
    return rows;
  }

  /** Opens a file by its name. */
  async open(name: string): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name }).first();
    await expect(async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+p");
      await this.enter(name);
      await row.click({ timeout: 10_000 });
    }).toPass({ timeout: 60_000 });
    await expect(this.tab(name)).toHaveClass(/active/);
  }

  /** Takes the entry of the quick pick that has this text. */
  async pick(text: string | RegExp): Promise<void> {
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  /** Opens the list of quick fixes where the cursor is. */
  async openQuickFixes(): Promise<void> {
    // The light bulb's list is empty until the server has answered for this place.
    await expect(async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+.");
      await expect(this.quickFixes.first()).toBeVisible({ timeout: 3_000 });
    }).toPass({ timeout: 30_000 });
  }

  get quickFixes(): Locator {
    return this.page.locator(".action-widget .monaco-list-row");
  }

  /** Takes an entry by the keys: the list swallows clicks just after it has opened. */
  async chooseQuickFix(title: string | RegExp): Promise<void> {
    const wanted = this.page.locator(".action-widget .monaco-list-row.focused").filter({ hasText: title });
    await expect(async () => {
      if (!(await wanted.isVisible())) {
        await this.page.keyboard.press("ArrowDown");
      }
      await expect(wanted).toBeVisible({ timeout: 200 });
    }).toPass({ timeout: 15_000 });
    await this.page.keyboard.press("Enter");
  }

  /** Puts the cursor on a line and column, counted from 1 and at most the line's last, and the focus into the editor. */
  async goTo(line: number, column: number): Promise<void> {
    const position = this.page.locator("#status\\.editor\\.selection");
    await expect(async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+g");
      await this.enter(`:${line}:${column}`);
      await this.quickInput.press("Enter");
      await expect(position).toContainText(new RegExp(`^\\D*${line}\\D`), { timeout: 5_000 });
    }).toPass({ timeout: 60_000 });
    await this.waitUntilEditing();
  }

  /** Types into the editor: what is typed while a quick pick still has the focus would be lost. */
  async type(text: string): Promise<void> {
    await this.waitUntilEditing();
    await this.page.keyboard.type(text);
  }

  private async waitUntilEditing(): Promise<void> {
    await expect(this.editor).toHaveClass(/\bfocused\b/);
  }

  /** The text in the clipboard. */
  async clipboard(): Promise<string> {
    await this.page.context().grantPermissions(["clipboard-read"]);
    return await this.page.evaluate<string>("navigator.clipboard.readText()");
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+s");
  }

  /** Keeps a picture of the window beside the test's results. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  }
}

/** Runs in the page. */
function setValue(input: { value: string; dispatchEvent(event: Event): boolean }, value: string): void {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
