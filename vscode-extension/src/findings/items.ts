/** How the rows of the view look. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import { label } from "../escaping";
import { paragraphs } from "../messages";
import type { CompletedAnalysis, Finding, SeverityName } from "../server/protocol";
import { type CauseRow, type FindingRow, findingsOf, type GroupRow, type Row, todoOf } from "./model";
import { placeIn } from "./placeIn";
import { isAdvice, type Standing } from "./standing";

/** How many of the files that could not be examined are named. */
const FILES_TOLD = 5;

/** @param code Gives the line of a finding. */
export async function itemOf(
  row: Row,
  code: (finding: Finding) => Promise<string>,
): Promise<vscode.TreeItem> {
  const item = await bareItem(row, code);
  item.id = row.id;
  item.contextValue = contextOf(row);
  return item;
}

async function bareItem(row: Row, code: (finding: Finding) => Promise<string>): Promise<vscode.TreeItem> {
  switch (row.kind) {
    case "group":
      return groupItem(row);
    case "cause":
      return causeItem(row);
    case "finding": {
      const line = await code(row.finding);
      return row.isPlace ? placeItem(row, line) : findingItem(row, line);
    }
  }
}

/**
 * What the menus go by: the kind of row, then whether there are fixes that may be made at once (`safe`), or that
 * are to be asked about (`asked`).
 */
function contextOf(row: Row): string {
  const findings = findingsOf(row);
  const has = (wanted: Finding["applicability"]): boolean =>
    findings.some(({ applicability }) => applicability === wanted);
  const fix = has("safe") ? "safe" : has("unsafe") ? "asked" : "none";
  return `${row.kind === "group" ? row.grouping : row.kind}.${fix}`;
}

/** The scheme of the addresses by which rows have the icons of files, and not the counts that the editor adds. */
const ICON_SCHEME = "gpu2ascend-icon";

function groupItem({ group, grouping, isInFolder }: GroupRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label(group.name), vscode.TreeItemCollapsibleState.Collapsed);
  const count = countOf(group.findings);
  const [first] = group.findings;
  item.description = count;
  switch (grouping) {
    case "file": {
      item.label = label(path.posix.basename(group.name));
      const folder = label(path.posix.dirname(first === undefined ? "" : shownPath(first)));
      item.description = folder === "." || isInFolder ? count : `${folder} · ${count}`;
      item.resourceUri = vscode.Uri.file(first?.file ?? "").with({ scheme: ICON_SCHEME });
      item.iconPath = vscode.ThemeIcon.File;
      break;
    }
    case "folder":
      item.label = label(first === undefined ? group.name : folderName(first));
      item.resourceUri = vscode.Uri.file(path.dirname(first?.file ?? "")).with({ scheme: ICON_SCHEME });
      item.iconPath = vscode.ThemeIcon.Folder;
      break;
    case "way":
      item.label = standingName(group.standing, vscode.l10n.t("On the way of the training"));
      item.iconPath = severityIcon(group.worst);
      break;
    case "severity":
      item.label = severityName(group.worst);
      item.iconPath = severityIcon(group.worst);
      break;
    case "kind":
      item.label = label(first === undefined ? group.name : nameOf(first));
      item.iconPath = severityIcon(group.worst);
      item.description = `${group.name} · ${count}`;
      item.tooltip = [item.label, group.name, first?.family ?? ""].filter((part) => part !== "").join(" · ");
  }
  const about = grouping === "way" ? "" : standingName(group.standing);
  if (about !== "" && group.standing !== "advice") {
    item.description = `${item.description} · ${about}`;
  }
  item.accessibilityInformation = {
    label: [item.label, readOut(group.findings), about].filter((part) => part !== "").join(", "),
  };
  return item;
}

/** How many findings there are to work on; advice, without which all runs as well, is counted apart. */
function countOf(findings: readonly Finding[]): string {
  const { t } = vscode.l10n;
  const advice = findings.filter(isAdvice).length;
  const count = String(findings.length - advice);
  if (advice === 0) {
    return count;
  }
  return findings.length === advice ? t("{0} advice", advice) : t("{0} + {1} advice", count, advice);
}

/** The same as a screen reader says it. */
function readOut(findings: readonly Finding[]): string {
  const { t } = vscode.l10n;
  const advice = findings.filter(isAdvice).length;
  const count = t("{0} findings", findings.length - advice);
  return advice === 0 ? count : `${count}, ${t("{0} advice", advice)}`;
}

/** Why a group is not among the first. */
function standingName(standing: Standing, way = ""): string {
  const { t } = vscode.l10n;
  return { way, beside: t("no training reaches it"), advice: t("Advice") }[standing];
}

/** The name of a finding's rule; of one without, its code. */
function nameOf({ rule = "", code }: Finding): string {
  return rule === "" ? code : rule;
}

function findingItem({ finding, isInFile }: FindingRow, code: string): vscode.TreeItem {
  const todo = todoOf([finding]);
  const place = isInFile ? placeIn(finding) : `${shownPath(finding)}:${placeIn(finding)}`;
  // The line comes first: where the rest does not fit, rows still differ.
  const item = new vscode.TreeItem(label(isInFile ? `${place}: ${todo}` : todo));
  item.description = label(isInFile ? code : `${place}  ${code}`);
  item.tooltip = tooltipOf(finding, `${shownPath(finding)}:${placeIn(finding)}`);
  item.iconPath = severityIcon(finding.severity);
  item.command = openingOf(finding);
  return item;
}

/** A cause that holds at several places, with their number; the places are below it. */
function causeItem({ findings }: CauseRow): vscode.TreeItem {
  const [first] = findings;
  // The number comes first: behind the text it would not be seen.
  const text = label(`${findings.length} × ${todoOf(findings)}`);
  const item = new vscode.TreeItem(text, vscode.TreeItemCollapsibleState.Collapsed);
  item.description = label(nameOf(first));
  item.tooltip = tooltipOf(first);
  item.iconPath = severityIcon(first.severity);
  return item;
}

/** The place with its code, as a list of references has it. */
function placeItem({ finding, isInFile }: FindingRow, code: string): vscode.TreeItem {
  const place = isInFile ? placeIn(finding) : `${shownPath(finding)}:${placeIn(finding)}`;
  const item = new vscode.TreeItem(label(`${place}  ${code}`));
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

/** The folder of a file; that of the files at the top has the name of the workspace's. */
function folderName(finding: Finding): string {
  const name = path.posix.dirname(shownPath(finding));
  const top = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(finding.file));
  return name === "." ? (top?.name ?? name) : name;
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
