/** What stays in sight at the end of the form: what will be made, and the buttons. */

import type { DialogTexts } from "../../dialog/protocol";
import type { Validation } from "../../server/protocol";
import { element } from "../shared/dom";
import { sentence } from "./field";

export interface FooterActions {
  readonly transplant: () => void;
  readonly preview: () => void;
}

export class Footer {
  readonly element: HTMLElement;
  private readonly target = element("div", { className: "target", with: { "aria-live": "polite" } });
  private readonly notices = element("div", { className: "notices", with: { "aria-live": "polite" } });
  private readonly transplant;
  private readonly preview;

  constructor(
    private readonly texts: DialogTexts,
    actions: FooterActions,
  ) {
    this.transplant = element("vscode-button", { textContent: texts.transplant });
    this.preview = element("vscode-button", { textContent: texts.preview, secondary: true });
    this.transplant.addEventListener("click", actions.transplant);
    this.preview.addEventListener("click", actions.preview);
    this.element = element(
      "footer",
      {},
      this.notices,
      this.target,
      element("div", { className: "buttons" }, this.transplant, this.preview),
    );
  }

  setRunning(running: boolean): void {
    this.transplant.disabled = running;
    this.preview.disabled = running;
    this.transplant.textContent = running ? this.texts.running : this.texts.transplant;
  }

  show(validation: Validation, errors: readonly string[]): void {
    this.notices.replaceChildren(
      ...errors.map((text) => element("div", { className: "error", textContent: sentence(text) })),
      ...validation.notices.map((text) =>
        element("div", { className: "notice", textContent: sentence(text) }),
      ),
    );
    const { target } = validation;
    const made = target === null ? this.texts.noTarget : this.texts.target;
    this.target.replaceChildren(
      made,
      ...(target === null ? [] : [" ", element("code", { textContent: target })]),
    );
  }
}
