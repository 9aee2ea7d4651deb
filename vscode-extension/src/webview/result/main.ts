/** The result page: drawn once from what the extension sends. */

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-icon/index.js";
import "@vscode-elements/elements/dist/vscode-tree/index.js";
import "@vscode-elements/elements/dist/vscode-tree-item/index.js";
import "./result.css";

import { type FromResult, type ResultState, toResult } from "../../result/protocol";
import { element } from "../shared/dom";
import { resultPage } from "./page";

const vscode = acquireVsCodeApi<ResultState>();
const root = document.querySelector("#root") ?? document.body;

function send(message: FromResult): void {
  vscode.postMessage(message);
}

window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toResult(data);
  switch (message?.type) {
    case "show":
      vscode.setState({ id: message.id });
      root.replaceChildren(...resultPage(message.result, message.texts, send));
      break;
    case "gone":
      root.replaceChildren(element("p", { textContent: message.texts.gone }));
      break;
    case undefined:
      break;
  }
});

send({ type: "ready" });
