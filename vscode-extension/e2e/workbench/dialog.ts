/** The dialog "PyTorch GPU2Ascend", as its user sees it. */

import { expect, type FrameLocator, type Locator } from "@playwright/test";

import type { Workbench } from "./workbench";

export class DialogPage {
  readonly frame: FrameLocator;

  constructor(workbench: Workbench) {
    this.frame = workbench.webview;
  }

  /** Opens the dialog by the palette and waits until it is filled in. */
  static async open(workbench: Workbench): Promise<DialogPage> {
    await workbench.run("PyTorch GPU2Ascend");
    const dialog = new DialogPage(workbench);
    await dialog.waitUntilShown();
    return dialog;
  }

  async waitUntilShown(): Promise<void> {
    await expect(this.frame.locator("form.dialog")).toBeVisible();
    await expect(this.frame.locator(".target")).not.toBeEmpty();
  }

  field(name: string): Locator {
    return this.frame.locator(`[data-field="${name}"]`);
  }

  input(name: string): Locator {
    return this.field(name).locator("vscode-textfield").getByRole("textbox");
  }

  error(name: string): Locator {
    return this.field(name).locator(".error");
  }

  /** Why a field has the value that it has. */
  note(name: string): Locator {
    return this.field(name).locator(".note");
  }

  /** A value that the code proposes for a field. */
  proposal(name: string, value: string): Locator {
    return this.field(name).locator(".proposals").getByRole("button", { name: value, exact: true });
  }

  get target(): Locator {
    return this.frame.locator(".target code");
  }

  get transplant(): Locator {
    return this.frame.getByRole("button", { name: "Transplant" });
  }

  box(name: string): Locator {
    return this.field(name).getByRole("checkbox");
  }

  get advanced(): Locator {
    return this.frame.getByRole("button", { name: "Advanced" });
  }

  /** Ticks or unticks a box. */
  async toggle(name: string): Promise<void> {
    await this.field(name).locator("vscode-checkbox").click();
  }

  async choose(name: string, choice: string): Promise<void> {
    const select = this.field(name).locator("vscode-single-select");
    const option = select.getByRole("option", { name: choice, exact: true });
    // An error that comes or goes above moves the list while it is open, and so may close it.
    await expect(async () => {
      if (!(await option.isVisible())) {
        await select.click({ timeout: 5_000 });
      }
      await option.click({ timeout: 5_000 });
      await expect(this.choice(name)).toContainText(choice, { timeout: 1_000 });
    }).toPass();
  }

  choice(name: string): Locator {
    return this.field(name).getByRole("combobox");
  }

  async openAdvanced(): Promise<void> {
    await this.advanced.click();
  }
}
