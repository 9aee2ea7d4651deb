/** The state of the last run of the migrated project on a simulated NPU, and the button for another one. */

import type { FromResult, ResultTexts } from "../../result/protocol";
import type { Verification } from "../../verify/record";
import { element } from "../shared/dom";

export function verificationSection(
  verification: Verification,
  texts: ResultTexts,
  send: (message: FromResult) => void,
): HTMLElement {
  const again = element("vscode-button", { textContent: texts.verify, icon: "beaker", secondary: true });
  again.disabled = verification.state === "running";
  again.addEventListener("click", () => {
    send({ type: "verify" });
  });
  return element(
    "section",
    { id: "verification", className: `verification ${verification.state}` },
    element("h2", { textContent: texts.verification }),
    element("div", { with: { role: "status" } }, ...lines(verification, texts)),
    again,
  );
}

function lines(verification: Verification, texts: ResultTexts): HTMLElement[] {
  switch (verification.state) {
    case "none":
      return [paragraph("none", texts.verificationNone)];
    case "running":
      return [verdict("running", "sync", texts.verificationRunning)];
    case "passed":
    case "failed":
    case "stale":
      return [...told(verification, texts)];
  }
}

function* told(
  { state, verdict: text, error, ran, lines: all }: Extract<Verification, { readonly ran: number }>,
  texts: ResultTexts,
): Generator<HTMLElement> {
  const icons = { passed: "pass-filled", failed: "error", stale: "history" } as const;
  const colours = { passed: "complete", failed: "broken", stale: "incomplete" } as const;
  yield verdict(colours[state], icons[state], text);
  if (error !== "") {
    yield element("p", { className: "first-error" }, element("code", { textContent: error }));
  }
  yield paragraph(
    "where",
    texts.verificationLines.replace("{0}", ran.toLocaleString()).replace("{1}", all.toLocaleString()),
  );
  if (state === "stale") {
    yield paragraph("notice", texts.verificationStale);
  }
}

function verdict(colour: string, icon: string, text: string): HTMLElement {
  const sign = element("vscode-icon", { name: icon, with: { "aria-hidden": "true" } });
  return element("p", { className: `verdict ${colour}` }, sign, text);
}

function paragraph(className: string, text: string): HTMLElement {
  return element("p", { className, textContent: text });
}
