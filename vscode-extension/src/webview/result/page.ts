/** The parts of the result page. */

import { openingReport, showingLog } from "../../result/actions";
import type { FromResult, ResultState, ResultTexts } from "../../result/protocol";
import { type Part, tally } from "../../result/tally";
import type { ChangedFile, CompletedMigration } from "../../server/protocol";
import { element, withCode } from "../shared/dom";
import { button } from "./button";
import { findingsSection } from "./findings";
import { type Checklist, stepsSection } from "./steps";
import { verificationSection } from "./verification";

export type Send = (message: FromResult) => void;

/** How the page stands with its extension: what it sends, and what is kept of how it is looked at. */
export interface Connection {
  readonly send: Send;
  readonly state: ResultState;
  readonly keep: (part: Partial<ResultState>) => void;
}

export function resultPage(checklist: Checklist, texts: ResultTexts, connection: Connection): Node[] {
  const { send } = connection;
  const { result, verification } = checklist;
  return [
    header(result, texts),
    buttons(result, texts, send),
    stepsSection(checklist, texts, send),
    cards(result, texts),
    picture(tally(result), texts),
    result.isSimulated === false ? null : verificationSection(verification, texts, send),
    findingsSection(checklist, texts, connection),
    filesSection(result, texts, send),
    reports(result, texts, send),
  ].filter((part) => part !== null);
}

function header(result: CompletedMigration, texts: ResultTexts): HTMLElement {
  const icon = result.isComplete ? "pass-filled" : "warning";
  return element(
    "header",
    {},
    element("h1", { textContent: texts.title }),
    element(
      "p",
      { className: `verdict ${result.isComplete ? "complete" : "incomplete"}` },
      element("vscode-icon", { name: icon, with: { "aria-hidden": "true" } }),
      result.verdict?.text ?? (result.isComplete ? texts.complete : texts.incomplete),
    ),
    ...(result.verdict?.details ?? []).map((text) =>
      element("p", { className: "notice" }, ...withCode(text)),
    ),
    element(
      "p",
      { className: "where" },
      element("code", { textContent: result.outputPath }),
      " · ",
      result.madeFor ?? texts.madeFor.replace("{0}", result.version).replace("{1}", result.hardware),
    ),
    ...result.notices.map((text) => element("p", { className: "notice" }, ...withCode(text))),
  );
}

function buttons(result: CompletedMigration, texts: ResultTexts, send: Send): HTMLElement {
  const report = openingReport(result);
  const list = [
    button(texts.openFolder, "folder-opened", false, () => {
      send({ type: "openFolder" });
    }),
  ];
  if (result.files.some(({ status }) => status === "changed")) {
    list.push(
      button(texts.compareAll, "diff-multiple", true, () => {
        send({ type: "compareAll" });
      }),
    );
  }
  if (report !== undefined) {
    list.push(
      button(texts.openReport, "graph", true, () => {
        send(report);
      }),
    );
  }
  list.push(
    button(texts.showLog, "output", true, () => {
      send(showingLog(result));
    }),
  );
  return element("div", { className: "buttons" }, ...list);
}

function cards({ summary }: CompletedMigration, texts: ResultTexts): HTMLElement {
  const card = (count: number, name: string): HTMLElement =>
    element(
      "div",
      { className: "card" },
      element("span", { className: "number", textContent: count.toLocaleString() }),
      element("span", { className: "name", textContent: name }),
    );
  return element(
    "section",
    { className: "cards" },
    card(summary.edits, texts.edits),
    card(summary.changedFiles, texts.changedFiles),
    card(summary.unsupported, texts.unsupported),
    card(summary.leftToYou, texts.left),
  );
}

/** One bar, its parts as wide as their counts; the legend says the same in words. */
function picture(parts: readonly Part[], texts: ResultTexts): HTMLElement | null {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) {
    return null;
  }
  const names: Record<Part["id"], string> = {
    migrated: texts.pictureMigrated,
    replaced: texts.pictureReplaced,
    offered: texts.pictureUnsafe,
    unsupported: texts.pictureUnsupported,
    manual: texts.pictureManual,
  };
  const shown = parts.filter(({ count }) => count > 0);
  const bar = element("div", { className: "bar", with: { role: "img", "aria-label": texts.picture } });
  for (const { id, count } of shown) {
    const piece = element("div", {
      className: `piece ${id}`,
      title: `${names[id]}: ${count.toLocaleString()}`,
    });
    piece.style.flexGrow = String(count);
    bar.append(piece);
  }
  const legend = shown.map(({ id, count }) => {
    const share = Math.round((100 * count) / total);
    const swatch = element("span", { className: `swatch ${id}` });
    return element(
      "li",
      {},
      swatch,
      `${names[id]} `,
      element("b", { textContent: count.toLocaleString() }),
      ` (${share} %)`,
    );
  });
  return element(
    "section",
    { className: "picture" },
    element("h2", { textContent: texts.picture }),
    bar,
    element("ul", { className: "legend" }, ...legend),
  );
}

function filesSection(result: CompletedMigration, texts: ResultTexts, send: Send): HTMLElement {
  const rows = result.files.map((file, index) =>
    fileRow(file, texts, () => {
      send({ type: "compare", index });
    }),
  );
  const none = element("p", { className: "none", textContent: texts.filesNone });
  return element(
    "section",
    {},
    element("h2", { textContent: `${texts.files} (${result.files.length.toLocaleString()})` }),
    rows.length === 0 ? none : element("ul", { className: "files" }, ...rows),
  );
}

function outcome({ problem, edits }: ChangedFile, texts: ResultTexts): string {
  return problem ?? (edits === 1 ? texts.oneEdit : `${edits.toLocaleString()} ${texts.edits}`);
}

function fileRow(file: ChangedFile, texts: ResultTexts, act: () => void): HTMLElement {
  const row = element(
    "button",
    { className: "row", title: texts.compare, type: "button" },
    element("vscode-icon", { name: file.problem === null ? "diff" : "warning" }),
    element("span", { className: "path", textContent: file.path }),
    element("span", { className: "detail", textContent: outcome(file, texts) }),
  );
  row.addEventListener("click", act);
  return element("li", {}, row);
}

function reports(result: CompletedMigration, texts: ResultTexts, send: Send): HTMLElement {
  const rows = result.reports.map(({ name }, index) => {
    const row = element(
      "button",
      { className: "row", type: "button" },
      element("vscode-icon", { name: "file" }),
      name,
    );
    row.addEventListener("click", () => {
      send({ type: "openReport", index });
    });
    return element("li", {}, row);
  });
  return element(
    "section",
    {},
    element("h2", { textContent: texts.reports }),
    element("ul", { className: "files" }, ...rows),
  );
}
