/** The result page: drawn once from what the extension sends. */

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-icon/index.js";
import "@vscode-elements/elements/dist/vscode-tree/index.js";
import "@vscode-elements/elements/dist/vscode-tree-item/index.js";
import "./result.css";

import {
  type FromResult,
  resultState,
  type ResultState,
  type ResultTexts,
  toResult,
} from "../../result/protocol";
import { element } from "../shared/dom";
import { resultPage } from "./page";
import { type Checklist, stepsSection } from "./steps";
import { verificationSection } from "./verification";

const vscode = acquireVsCodeApi<ResultState>();
const root = document.querySelector("#root") ?? document.body;

/** What the checklist is made of, once it is known. */
let checklist: Checklist | undefined;

function showSteps(part: Partial<Checklist>, texts: ResultTexts): void {
  if (checklist !== undefined) {
    checklist = { ...checklist, ...part };
    document.querySelector("#steps")?.replaceWith(stepsSection(checklist, texts, send));
  }
}

function send(message: FromResult): void {
  vscode.postMessage(message);
}

/** Keeps how the page is looked at: it is drawn anew whenever it was hidden. */
function keep(part: Partial<ResultState>): void {
  const state = resultState(vscode.getState());
  if (state !== undefined) {
    vscode.setState({ ...state, ...part });
  }
}

/** How this result was looked at before. */
function keptOf(id: string): ResultState {
  const kept = resultState(vscode.getState());
  return kept?.id === id ? kept : { id, grouping: "file", open: null, scrolled: 0 };
}

window.addEventListener("scrollend", () => {
  keep({ scrolled: window.scrollY });
});

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toResult(data);
  switch (message?.type) {
    case "show": {
      const state = keptOf(message.id);
      checklist = message;
      vscode.setState(state);
      root.replaceChildren(...resultPage(checklist, message.texts, { send, state, keep }));
      // The elements draw themselves a moment later; before, the page is not as long.
      requestAnimationFrame(() => {
        window.scrollTo({ top: state.scrolled });
      });
      break;
    }
    case "done":
      showSteps({ done: message.done }, message.texts);
      break;
    case "verification":
      showSteps({ verification: message.verification }, message.texts);
      document
        .querySelector("#verification")
        ?.replaceWith(verificationSection(message.verification, message.texts, send));
      break;
    case "gone":
      root.replaceChildren(element("p", { textContent: message.texts.gone }));
      break;
    case undefined:
      break;
  }
});

send({ type: "ready" });
