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

  async waitUntilShown(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
  }

  /** Runs a command of the palette by its full name. */
  async run(command: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(`>${command}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: command }).first();
    await expect(row).toBeVisible();
    await input.press("Enter");
  }

  /** Whether the palette knows a command. */
  async offers(command: string): Promise<boolean> {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input.input").fill(`>${command}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row").first();
    await expect(row).toBeVisible();
    const text = (await row.textContent()) ?? "";
    await this.page.keyboard.press("Escape");
    return text.includes(command);
  }

  /** Takes the entry of the quick pick that has this text. */
  async pick(text: string | RegExp): Promise<void> {
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  /** Goes to the next problem of the file and takes one of its quick fixes. */
  async quickFix(title: string | RegExp): Promise<void> {
    await this.page.keyboard.press("Control+.");
    const entry = this.page.locator(".action-widget .monaco-list-row").filter({ hasText: title }).first();
    await expect(entry).toBeVisible();
    await entry.click();
  }

  /** Puts the cursor on a line and column, counted from 1. */
  async goTo(line: number, column: number): Promise<void> {
    await this.page.keyboard.press("Control+g");
    const input = this.page.locator(".quick-input-widget input.input");
    await expect(input).toHaveValue(":");
    await input.fill(`:${line}:${column}`);
    await input.press("Enter");
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+s");
  }

  /** Keeps a picture of the window beside the test's results. */
  async screenshot(name: string): Promise<void> {
    fs.mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
  }
}
