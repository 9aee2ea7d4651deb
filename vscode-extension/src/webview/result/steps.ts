/** The checklist: what is to be done next, each with what does it. */

import type { FromResult, ResultTexts } from "../../result/protocol";
import { isDone, type Step, type StepId, stepsOf } from "../../result/steps";
import type { CompletedMigration } from "../../server/protocol";
import type { Verification } from "../../verify/record";
import { element } from "../shared/dom";

export interface Checklist {
  readonly result: CompletedMigration;
  readonly verification: Verification;
  readonly done: readonly string[];
  readonly hasChat: boolean;
}

const TEXTS: Readonly<Record<StepId, keyof ResultTexts>> = {
  errors: "stepErrors",
  apply: "stepApply",
  environment: "stepEnvironment",
  install: "stepInstall",
  launch: "stepLaunch",
  pythonPath: "stepPythonPath",
  verify: "stepVerify",
};

export function stepsSection(
  { result, verification, done }: Checklist,
  texts: ResultTexts,
  send: (message: FromResult) => void,
): HTMLElement {
  const steps = stepsOf(result);
  const finished = steps.filter(({ id }) => isDone(id, done, verification)).length;
  const progress = texts.stepsDone.replace("{0}", String(finished)).replace("{1}", String(steps.length));
  const rows = steps.map((step) => row(step, isDone(step.id, done, verification), texts, send));
  return element(
    "section",
    { id: "steps", hidden: steps.length === 0 },
    element("h2", { textContent: texts.steps }),
    element("p", { className: "where", textContent: progress, with: { role: "status" } }),
    element("ol", { className: "steps" }, ...rows),
  );
}

function row(
  step: Step,
  done: boolean,
  texts: ResultTexts,
  send: (message: FromResult) => void,
): HTMLElement {
  const label = labelOf(step, texts);
  const box = element("vscode-checkbox", { label, checked: done });
  box.addEventListener("change", () => {
    send({ type: "tick", id: step.id, done: box.checked });
  });
  const { command } = step;
  const line = command === null ? null : element("code", { textContent: command });
  return element(
    "li",
    { className: done ? "done" : "", with: { "data-step": step.id } },
    box,
    element("div", { className: "act" }, line, action(step, texts, send)),
  );
}

/** What is to be done, how often; and what of that is counted elsewhere on the page. */
function labelOf({ id, count, beside }: Step, texts: ResultTexts): string {
  const filled = (text: string, number: number): string => text.replace("{0}", number.toLocaleString());
  const parts = [
    ...(beside.unsupported > 0 ? [filled(texts.stepApplyUnsupported, beside.unsupported)] : []),
    ...(beside.advice > 0 ? [filled(texts.stepApplyAdvice, beside.advice)] : []),
  ];
  const label = filled(texts[TEXTS[id]], count);
  return parts.length === 0 ? label : `${label} (${parts.join(", ")})`;
}

function action(step: Step, texts: ResultTexts, send: (message: FromResult) => void): HTMLElement | null {
  const { id } = step;
  if (id === "errors" || id === "verify") {
    const place = id === "errors" ? "#findings" : "#verification";
    return button(texts.showPart, () => document.querySelector(place)?.scrollIntoView());
  }
  if (id === "apply") {
    const form = step.count === 1 ? texts.applyOneFix : texts.applyFixes;
    const text = form.replace("{0}", step.count.toLocaleString());
    return button(text, () => {
      send({ type: "applyFixes" });
    });
  }
  const copy = button(texts.copy, () => {
    send({ type: "copy", id });
  });
  copy.setAttribute("aria-label", `${texts.copy}: ${step.command ?? ""}`);
  return copy;
}

function button(text: string, act: () => void): HTMLElement {
  const made = element("vscode-button", { textContent: text, secondary: true });
  made.addEventListener("click", act);
  return made;
}
