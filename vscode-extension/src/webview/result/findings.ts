/** What is left to a person, as a tree by file or by kind. */

import { placeIn } from "../../findings/placeIn";
import { firstStanding, isAdvice, standingOf } from "../../findings/standing";
import type { Grouping, ResultTexts } from "../../result/protocol";
import { grouped } from "../../result/tally";
import type { Finding } from "../../server/protocol";
import { element } from "../shared/dom";
import { button } from "./button";
import type { Connection } from "./page";
import type { Checklist } from "./steps";

/** A group of more than this many starts closed; so do the groups after the first few. */
const OPEN_GROUPS = 3;

export function findingsSection(
  { result: { findings }, hasChat }: Checklist,
  texts: ResultTexts,
  connection: Connection,
): HTMLElement {
  const advice = findings.filter(isAdvice).length;
  const parts = [
    `${texts.findings} (${(findings.length - advice).toLocaleString()})`,
    ...(advice > 0 ? [`${texts.advice} (${advice.toLocaleString()})`] : []),
  ];
  const heading = element("h2", { textContent: parts.join(", ") });
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
  const show = (grouping: Grouping, open: readonly string[] | null): void => {
    connection.keep({ grouping, open });
    holder.replaceChildren(tree(findings, { grouping, open }, texts, connection));
    for (const choice of choices.children) {
      choice.setAttribute("aria-pressed", String(choice.id === grouping));
    }
  };
  const choice = (grouping: Grouping, text: string): HTMLElement => {
    const made = element("button", { id: grouping, textContent: text, type: "button" });
    made.addEventListener("click", () => {
      show(grouping, null);
    });
    return made;
  };
  choices.append(choice("file", texts.byFile), choice("kind", texts.byKind));
  show(connection.state.grouping, connection.state.open);
  return element(
    "section",
    { id: "findings" },
    element("div", { className: "headline" }, heading, choices),
    handing(hasChat, texts, connection),
    holder,
  );
}

/** The buttons that make a prompt of what is left; that of the chat only where there is one. */
function handing(hasChat: boolean, texts: ResultTexts, { send }: Connection): HTMLElement {
  const copy = button(texts.copyPrompt, "copy", true, () => {
    send({ type: "copyPrompt" });
  });
  const chat = button(texts.handOver, "comment-discussion", true, () => {
    send({ type: "handOver" });
  });
  return element("div", { className: "buttons" }, ...(hasChat ? [chat, copy] : [copy]));
}

function tree(
  findings: readonly Finding[],
  { grouping, open }: { readonly grouping: Grouping; readonly open: readonly string[] | null },
  texts: ResultTexts,
  { send, keep }: Connection,
): HTMLElement {
  const made = element("vscode-tree", { expandMode: "singleClick", with: { "aria-label": texts.findings } });
  const places = new Map<Element, number>();
  // What one rule says of files on the way and beside it are two groups.
  const groups = grouped(findings, (finding) =>
    grouping === "file" ? finding.path : `${finding.code} ${standingOf(finding)}`,
  );
  let position = 0;
  for (const [name, members] of groups) {
    const isOpen = open?.includes(name) ?? position < OPEN_GROUPS;
    const branch = element("vscode-tree-item", { branch: true, open: isOpen, with: { "data-name": name } });
    position += 1;
    const standing = firstStanding(members.flatMap((index) => findings[index] ?? []));
    const about = { way: "", beside: ` · ${texts.besideTraining}`, advice: ` · ${texts.advice}` }[standing];
    const count = element("span", {
      textContent: `${members.length}${about}`,
      with: { slot: "description" },
    });
    branch.append(grouping === "kind" ? ruleOf(findings[members[0] ?? 0]) : name, count);
    for (const index of members) {
      const finding = findings[index];
      if (finding !== undefined) {
        const item = leaf(finding, grouping, texts);
        places.set(item, index);
        branch.append(item);
      }
    }
    made.append(branch);
  }
  whenOpened(made, (names) => {
    keep({ open: names });
  });
  made.addEventListener("vsc-tree-select", (event) => {
    const index = selectedItems(event)
      .map((item) => places.get(item))
      .find((place) => place !== undefined);
    if (index !== undefined) {
      send({ type: "reveal", index });
    }
  });
  return made;
}

/** The name of a finding's rule and its code. */
function ruleOf(finding: Finding | undefined): string {
  const { rule = "", code = "" } = finding ?? {};
  return rule === "" ? code : `${rule} (${code})`;
}

/** Reports which groups are open whenever one was opened or closed, for which the library has no event. */
function whenOpened(tree: HTMLElement, report: (names: readonly string[]) => void): void {
  new MutationObserver(() => {
    const open = [...tree.querySelectorAll("vscode-tree-item[branch][open]")];
    report(open.flatMap((item) => item.getAttribute("data-name") ?? []));
  }).observe(tree, { subtree: true, attributeFilter: ["open"] });
}

/** The library sends the items themselves, where its types promise an object that holds them. */
function selectedItems(event: Event): readonly Element[] {
  const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
  const items: unknown =
    typeof detail === "object" && detail !== null && "selectedItems" in detail
      ? detail.selectedItems
      : detail;
  return Array.isArray(items) ? items.filter((item) => item instanceof Element) : [];
}

function leaf(finding: Finding, grouping: Grouping, texts: ResultTexts): HTMLElement {
  const icon = element("vscode-icon", {
    name: iconOf(finding),
    className: finding.severity,
    with: { slot: "icon-leaf", role: "img", "aria-label": texts[finding.severity] },
  });
  const message = finding.message.replaceAll("`", "");
  return element(
    "vscode-tree-item",
    { title: `${finding.message} (${finding.code})` },
    icon,
    // A row is one line that ends in dots where it is too long; that needs one piece of text. The place comes
    // first: where the rest does not fit, rows still differ.
    element("span", { className: "message", textContent: `${placeOf(finding, grouping)}: ${message}` }),
  );
}

/** Where it is in its file; of a row that stands below no file, with the file. */
function placeOf(finding: Finding, grouping: Grouping): string {
  return grouping === "file" ? placeIn(finding) : `${finding.path}:${placeIn(finding)}`;
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
