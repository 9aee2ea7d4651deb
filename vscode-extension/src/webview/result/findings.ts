/** What is left to a person, as a tree by file or by kind. */

import type { ResultTexts } from "../../result/protocol";
import { grouped } from "../../result/tally";
import type { CompletedMigration, Finding } from "../../server/protocol";
import { element, withCode } from "../shared/dom";
import type { Send } from "./page";

type Grouping = "file" | "kind";

/** A group of more than this many starts closed; so do the groups after the first few. */
const OPEN_GROUPS = 3;

export function findingsSection(result: CompletedMigration, texts: ResultTexts, send: Send): HTMLElement {
  const { findings } = result;
  const heading = element("h2", { textContent: `${texts.findings} (${findings.length.toLocaleString()})` });
  if (findings.length === 0) {
    return element(
      "section",
      {},
      heading,
      element("p", { className: "none", textContent: texts.findingsNone }),
    );
  }
  const holder = element("div", { className: "tree" });
  const choices = element("div", { className: "choices", with: { role: "group" } });
  const show = (grouping: Grouping): void => {
    holder.replaceChildren(tree(findings, grouping, send));
    for (const choice of choices.children) {
      choice.setAttribute("aria-pressed", String(choice.id === grouping));
    }
  };
  const choice = (grouping: Grouping, text: string): HTMLElement => {
    const made = element("button", { id: grouping, textContent: text, type: "button" });
    made.addEventListener("click", () => {
      show(grouping);
    });
    return made;
  };
  choices.append(choice("file", texts.byFile), choice("kind", texts.byKind));
  show("file");
  return element("section", {}, element("div", { className: "headline" }, heading, choices), holder);
}

function tree(findings: readonly Finding[], grouping: Grouping, send: Send): HTMLElement {
  const made = element("vscode-tree", { expandMode: "singleClick" });
  const groups = grouped(findings, (finding) => (grouping === "file" ? finding.path : finding.code));
  let position = 0;
  for (const [name, members] of groups) {
    const branch = element("vscode-tree-item", { branch: true, open: position < OPEN_GROUPS });
    position += 1;
    const count = element("span", {
      textContent: String(members.length),
      with: { slot: "description" },
    });
    branch.append(name, count, ...members.map((index) => leaf(findings, index, grouping, send)));
    made.append(branch);
  }
  return made;
}

function leaf(findings: readonly Finding[], index: number, grouping: Grouping, send: Send): HTMLElement {
  const finding = findings[index];
  if (finding === undefined) {
    throw new RangeError(`no finding ${index}`);
  }
  const icon = element("vscode-icon", {
    name: iconOf(finding),
    className: finding.severity,
    with: { slot: "icon-leaf" },
  });
  const line = finding.range.start.line + 1;
  const place = grouping === "file" ? `${finding.code} · ${line}` : `${finding.path}:${line}`;
  const item = element(
    "vscode-tree-item",
    { title: finding.message },
    icon,
    ...withCode(finding.message),
    element("span", { textContent: place, with: { slot: "description" } }),
  );
  const reveal = (): void => {
    send({ type: "reveal", index });
  };
  item.addEventListener("click", (event) => {
    event.stopPropagation();
    reveal();
  });
  item.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      reveal();
    }
  });
  return item;
}

function iconOf({ severity }: Finding): string {
  switch (severity) {
    case "error":
      return "error";
    case "warning":
      return "warning";
    case "information":
      return "info";
    case "hint":
      return "lightbulb";
  }
}
