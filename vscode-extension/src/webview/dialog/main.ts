/** The dialog's page: the form, kept in step with the extension. */

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-collapsible/index.js";
import "@vscode-elements/elements/dist/vscode-option/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import "./dialog.css";

import {
  dialogState,
  type DialogState,
  type DialogTexts,
  type FromDialog,
  toDialog,
} from "../../dialog/protocol";
import { element } from "../shared/dom";
import { DialogForm } from "./dialogForm";

const vscode = acquireVsCodeApi<DialogState>();
const root = document.querySelector("#root") ?? document.body;
let form: DialogForm | undefined;

function send(message: FromDialog): void {
  vscode.postMessage(message);
}

/** Keeps a part of the state, beside what is kept of the others. */
function keep(part: Partial<DialogState>): void {
  vscode.setState({ ...dialogState(vscode.getState()), ...part });
}

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toDialog(data);
  switch (message?.type) {
    case "show":
      form = new DialogForm(message, send, keep);
      keep({ folder: message.options.folder });
      form.openAdvanced(dialogState(vscode.getState()).advanced || form.hasAdvanced);
      root.replaceChildren(form.element);
      form.announce();
      if (message.focus) {
        // The fields draw themselves a moment later, and cannot have the focus before.
        requestAnimationFrame(() => form?.focus());
      }
      break;
    case "unavailable":
      form = undefined;
      root.replaceChildren(unavailable(message.reason, message.texts));
      break;
    case "validated":
      form?.showValidation(message.revision, message.validation);
      break;
    case "picked":
      form?.setPath(message.field, message.path);
      break;
    case "running":
      form?.setRunning(message.running);
      break;
    case "recheck":
      form?.announce();
      break;
    case undefined:
      break;
  }
});

function unavailable(reason: string, texts: DialogTexts): HTMLElement {
  const retry = element("vscode-button", { textContent: texts.retry });
  retry.addEventListener("click", () => {
    send({ type: "ready" });
  });
  return element(
    "div",
    { className: "unavailable" },
    element("h1", { textContent: texts.title }),
    element("p", { textContent: reason, with: { role: "alert" } }),
    retry,
  );
}

send({ type: "ready" });
