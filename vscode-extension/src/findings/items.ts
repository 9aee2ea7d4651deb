/** How the rows of the view look. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import { label } from "../escaping";
import { paragraphs } from "../messages";
import type { CompletedAnalysis, Finding, SeverityName } from "../server/protocol";
import {
  type CauseRow,
  type FindingGroup,
  findingsOf,
  type Grouping,
  type GroupRow,
  type Row,
  todoOf,
} from "./model";
import { placeIn } from "./placeIn";

/** How many of the files that could not be examined are named. */
const FILES_TOLD = 5;

export function itemOf(row: Row, grouping: Grouping): vscode.TreeItem {
  const item = bareItem(row, grouping);
  item.id = row.id;
  item.contextValue = contextOf(row, grouping);
  return item;
}

function bareItem(row: Row, grouping: Grouping): vscode.TreeItem {
  switch (row.kind) {
    case "group":
      return groupItem(row, grouping);
    case "cause":
      return causeItem(row);
    case "finding":
      return row.isPlace ? placeItem(row.finding) : findingItem(row.finding, grouping);
  }
}

/**
 * What the menus go by: the kind of row, then whether there are fixes that may be made at once (`safe`), or that
 * are to be asked about (`asked`).
 */
function contextOf(row: Row, grouping: Grouping): string {
  const findings = findingsOf(row);
  const has = (wanted: Finding["applicability"]): boolean =>
    findings.some(({ applicability }) => applicability === wanted);
  const fix = has("safe") ? "safe" : has("unsafe") ? "asked" : "none";
  return `${row.kind === "group" ? grouping : row.kind}.${fix}`;
}

function groupItem({ group }: GroupRow, grouping: Grouping): vscode.TreeItem {
  const item = new vscode.TreeItem(label(group.name), vscode.TreeItemCollapsibleState.Collapsed);
  const count = String(group.findings.length);
  const [first] = group.findings;
  item.description = count;
  if (grouping === "file" && first !== undefined) {
    item.label = label(path.posix.basename(group.name));
    const folder = label(path.posix.dirname(shownPath(first)));
    item.description = folder === "." ? count : `${folder} · ${count}`;
    item.resourceUri = vscode.Uri.file(first.file);
    item.iconPath = vscode.ThemeIcon.File;
  } else if (grouping === "severity") {
    item.label = severityName(group.worst);
    item.iconPath = severityIcon(group.worst);
  } else {
    item.label = label(first === undefined ? group.name : nameOf(first));
    item.iconPath = severityIcon(group.worst);
    item.description = `${group.name} · ${count}`;
    item.tooltip = [item.label, group.name, first?.family ?? ""].filter((part) => part !== "").join(" · ");
  }
  const about = standingName(group);
  if (about !== "") {
    item.description = `${item.description} · ${about}`;
  }
  item.accessibilityInformation = {
    label: [item.label, vscode.l10n.t("{0} findings", count), about].filter((part) => part !== "").join(", "),
  };
  return item;
}

/** Why a group is not among the first; empty for those on the way of the training. */
function standingName({ standing }: FindingGroup): string {
  const { t } = vscode.l10n;
  return { way: "", beside: t("no training reaches it"), advice: t("Advice") }[standing];
}

/** The name of a finding's rule; of one without, its code. */
function nameOf({ rule = "", code }: Finding): string {
  return rule === "" ? code : rule;
}

function findingItem(finding: Finding, grouping: Grouping): vscode.TreeItem {
  const line = finding.range.start.line + 1;
  const todo = todoOf([finding]);
  // The line comes first: where the rest does not fit, rows still differ.
  const item = new vscode.TreeItem(label(grouping === "file" ? `${placeIn(finding)}: ${todo}` : todo));
  item.description = label(
    grouping === "file" ? nameOf(finding) : `${shownPath(finding)}:${placeIn(finding)}`,
  );
  item.tooltip = tooltipOf(finding, `${shownPath(finding)}:${line}`);
  item.iconPath = severityIcon(finding.severity);
  item.command = openingOf(finding);
  return item;
}

/** A cause that holds at several places, with their number; the places are below it, and it leads to the first. */
function causeItem({ findings }: CauseRow): vscode.TreeItem {
  const [first] = findings;
  // The number comes first: behind the text it would not be seen.
  const text = label(`${findings.length} × ${todoOf(findings)}`);
  const item = new vscode.TreeItem(text, vscode.TreeItemCollapsibleState.Collapsed);
  item.description = label(nameOf(first));
  item.tooltip = tooltipOf(first);
  item.iconPath = severityIcon(first.severity);
  item.command = openingOf(first);
  return item;
}

function placeItem(finding: Finding): vscode.TreeItem {
  const item = new vscode.TreeItem(label(`${shownPath(finding)}:${placeIn(finding)}`));
  item.tooltip = tooltipOf(finding);
  item.command = openingOf(finding);
  return item;
}

function tooltipOf(finding: Finding, ...places: readonly string[]): vscode.MarkdownString {
  const rule = [finding.rule ?? "", finding.code, ...places].filter((part) => part !== "").join(" · ");
  const fix = finding.fix ?? "";
  return paragraphs(finding.message, ...(fix === "" ? [] : [fix]), rule);
}

function openingOf(finding: Finding): vscode.Command {
  return {
    command: Command.openPlace,
    title: vscode.l10n.t("Go to the Place"),
    arguments: [finding],
  };
}

/** What the tree itself does not show: that it is empty, and what could not be looked at. */
export function messageOf({ findings, folders, problems }: CompletedAnalysis, isOutdated: boolean): string {
  const { t } = vscode.l10n;
  const lines = folders.flatMap(({ path: folder, problem }) =>
    problem === null ? [] : [t("{0} could not be analyzed: {1}.", path.basename(folder), problem)],
  );
  if (isOutdated) {
    lines.push(t("Files or settings have changed since. Analyze again."));
  }
  if (problems.length > 0) {
    const names = problems.slice(0, FILES_TOLD).map(({ file }) => path.basename(file));
    const all = problems.length > FILES_TOLD ? [...names, "…"] : names;
    lines.push(t("Files that could not be examined: {0} ({1})", problems.length, all.join(", ")));
  }
  if (findings.length === 0 && folders.some(({ problem }) => problem === null)) {
    lines.push(t("Nothing was found."));
  }
  return label(lines.join(" "));
}

/** The path in the project; with the name of its folder where the workspace has several. */
function shownPath(finding: Finding): string {
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const folder = several ? vscode.workspace.getWorkspaceFolder(vscode.Uri.file(finding.file)) : undefined;
  return folder === undefined ? finding.path : `${folder.name}/${finding.path}`;
}

function severityName(severity: SeverityName): string {
  const { t } = vscode.l10n;
  const names = { error: t("Error"), warning: t("Warning"), information: t("Information"), hint: t("Hint") };
  return names[severity];
}

function severityIcon(severity: SeverityName): vscode.ThemeIcon {
  switch (severity) {
    case "error":
      return new vscode.ThemeIcon("error", new vscode.ThemeColor("problemsErrorIcon.foreground"));
    case "warning":
      return new vscode.ThemeIcon("warning", new vscode.ThemeColor("problemsWarningIcon.foreground"));
    case "information":
      return new vscode.ThemeIcon("info", new vscode.ThemeColor("problemsInfoIcon.foreground"));
    case "hint":
      return new vscode.ThemeIcon("lightbulb");
  }
}
