/** A button of the result page. */

import { element } from "../shared/dom";

export function button(text: string, icon: string, secondary: boolean, act: () => void): HTMLElement {
  const made = element("vscode-button", { textContent: text, icon, secondary });
  made.addEventListener("click", act);
  return made;
}
