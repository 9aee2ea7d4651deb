/** The view "Findings": what the analysis of the workspace has found. */

import * as path from "node:path";
import * as vscode from "vscode";

import { Command } from "../commands";
import { requestWithProgress } from "../server/progress";
import {
  type AnalysisResult,
  type CompletedAnalysis,
  type Finding,
  ServerRequest,
  type SeverityName,
} from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { causesOf, type FindingCause, type FindingGroup, groupFindings, type Grouping } from "./model";
import { type Reported, replaced } from "./live";
import type { AnalysisStore } from "./store";
import { label } from "../escaping";
import { paragraphs, showError } from "../messages";

export const FINDINGS_VIEW = "gpu2ascend.findings";

/** What the menus of the view depend on. */
const CONTEXT = { analyzed: "gpu2ascend.analyzed", grouping: "gpu2ascend.grouping" } as const;

/** How many of the files that could not be examined are named. */
const FILES_TOLD = 5;

/** Milliseconds in which changes are put together: while the workspace is read they come file by file. */
const UPDATE_DELAY = 200;

/** A place of a cause that is told above it. */
interface FindingPlace {
  readonly kind: "place";
  readonly finding: Finding;
}

export type Node = FindingGroup | FindingCause | FindingPlace | Finding;

/** The finding that a row is about; of several places the first. */
export function findingOf(node: Node): Finding | undefined {
  if ("findings" in node) {
    return node.findings[0];
  }
  return "finding" in node ? node.finding : node;
}

export class FindingsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private analysis: CompletedAnalysis | undefined;
  private grouping: Grouping = "file";
  /** Files of which the editor has reported something: only of those it is known that there is no more. */
  private readonly reported = new Set<string>();
  private pending: NodeJS.Timeout | undefined;
  private readonly following: vscode.Disposable;

  constructor(
    private readonly requests: ServerRequests,
    private readonly store: AnalysisStore,
  ) {
    this.view = vscode.window.createTreeView(FINDINGS_VIEW, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.groupBy("file");
    // The window remembers what an extension host before this one has said.
    setContext(CONTEXT.analyzed, false);
    this.following = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      this.follow(uris);
    });
    void this.restore();
  }

  /** Shows what was found before the window was loaded again. */
  private async restore(): Promise<void> {
    const kept = await this.store.read();
    if (kept !== undefined && this.analysis === undefined) {
      this.show(kept);
    }
  }

  /** Takes over what the editor now reports of files, as the list of problems shows it. */
  private follow(uris: readonly vscode.Uri[]): void {
    const { analysis } = this;
    if (analysis === undefined) {
      return;
    }
    let { findings } = analysis;
    for (const uri of uris) {
      const reported = uri.scheme === "file" ? reportedOf(uri) : [];
      if (reported.length > 0) {
        this.reported.add(uri.fsPath);
      }
      const path = pathIn(uri);
      if (path !== undefined && this.reported.has(uri.fsPath)) {
        findings = replaced(findings, { file: uri.fsPath, path }, reported);
      }
    }
    if (findings !== analysis.findings) {
      this.analysis = { ...analysis, findings };
      this.pending ??= setTimeout(() => {
        this.pending = undefined;
        this.show(this.analysis);
      }, UPDATE_DELAY);
    }
  }

  /** Analyses every folder of the workspace. */
  async analyze(): Promise<void> {
    const client = await this.requests.client();
    const title = vscode.l10n.t("Analyzing the workspace");
    const result = await requestWithProgress<AnalysisResult>(client, ServerRequest.analyze, {}, title);
    switch (result.status) {
      case "cancelled":
        return;
      case "failed":
        void showError(vscode.l10n.t("The analysis failed: {0}", result.message));
        return;
      case "completed":
        this.show(result);
        await vscode.commands.executeCommand(`${FINDINGS_VIEW}.focus`);
    }
  }

  clear(): void {
    this.show(undefined);
  }

  groupBy(grouping: Grouping): void {
    this.grouping = grouping;
    setContext(CONTEXT.grouping, grouping);
    this.changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return groupFindings(this.analysis?.findings ?? [], this.grouping);
    }
    if (!("findings" in node)) {
      return [];
    }
    return node.kind === "group"
      ? causesOf(node.findings)
      : node.findings.map((finding): FindingPlace => ({ kind: "place", finding }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ("findings" in node) {
      return node.kind === "group" ? this.groupItem(node) : causeItem(node);
    }
    return "finding" in node ? placeItem(node.finding) : this.findingItem(node);
  }

  dispose(): void {
    clearTimeout(this.pending);
    this.following.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private show(analysis: CompletedAnalysis | undefined): void {
    this.analysis = analysis;
    void this.store.write(analysis);
    const count = analysis?.findings.length ?? 0;
    this.view.badge =
      count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t("{0} findings", count) };
    this.view.message = analysis === undefined ? "" : messageOf(analysis);
    setContext(CONTEXT.analyzed, analysis !== undefined);
    this.changed.fire(undefined);
  }

  private groupItem(group: FindingGroup): vscode.TreeItem {
    const item = new vscode.TreeItem(label(group.name), vscode.TreeItemCollapsibleState.Collapsed);
    item.description = String(group.findings.length);
    const [first] = group.findings;
    if (this.grouping === "file" && first !== undefined) {
      item.label = label(path.posix.basename(group.name));
      const folder = label(path.posix.dirname(shownPath(first)));
      item.description = folder === "." ? item.description : `${folder} · ${item.description}`;
      item.resourceUri = vscode.Uri.file(first.file);
      item.iconPath = vscode.ThemeIcon.File;
    } else if (this.grouping === "severity") {
      item.label = severityName(group.worst);
      item.iconPath = severityIcon(group.worst);
    } else {
      item.label = first?.rule === undefined || first.rule === "" ? label(group.name) : label(first.rule);
      item.iconPath = severityIcon(group.worst);
      item.description = [group.name, first?.family ?? "", group.findings.length].join(" · ");
    }
    return item;
  }

  private findingItem(finding: Finding): vscode.TreeItem {
    const line = finding.range.start.line + 1;
    const text = finding.message.replaceAll("`", "");
    // The line comes first: where the rest does not fit, rows still differ.
    const item = new vscode.TreeItem(label(this.grouping === "file" ? `${line}: ${text}` : text));
    item.description = this.grouping === "file" ? finding.code : label(`${shownPath(finding)}:${line}`);
    item.contextValue = finding.applicability === "safe" ? "fixable" : "finding";
    item.tooltip = paragraphs(finding.message, `${finding.code} · ${shownPath(finding)}:${line}`);
    item.iconPath = severityIcon(finding.severity);
    item.command = openingOf(finding);
    return item;
  }
}

/** A cause that holds at several places, with their number; the places are below it, and it leads to the first. */
function causeItem({ findings }: FindingCause): vscode.TreeItem {
  const [first] = findings;
  const { code, message, severity } = first;
  const text = label(message.replaceAll("`", ""));
  const item = new vscode.TreeItem(text, vscode.TreeItemCollapsibleState.Collapsed);
  item.contextValue = "cause";
  item.description = `${code} · ${findings.length}`;
  item.tooltip = paragraphs(message, code);
  item.iconPath = severityIcon(severity);
  item.command = openingOf(first);
  return item;
}

function placeItem(finding: Finding): vscode.TreeItem {
  const item = new vscode.TreeItem(label(`${shownPath(finding)}:${finding.range.start.line + 1}`));
  item.tooltip = paragraphs(finding.message, finding.code);
  item.contextValue = finding.applicability === "safe" ? "fixable" : "finding";
  item.command = openingOf(finding);
  return item;
}

function openingOf(finding: Finding): vscode.Command {
  return {
    command: Command.openPlace,
    title: vscode.l10n.t("Go to the Place"),
    arguments: [finding],
  };
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}

/** What the tree itself does not show: that it is empty, and what could not be looked at. */
function messageOf({ findings, folders, problems }: CompletedAnalysis): string {
  const { t } = vscode.l10n;
  const lines = folders.flatMap(({ path: folder, problem }) =>
    problem === null ? [] : [t("{0} could not be analyzed: {1}", path.basename(folder), problem)],
  );
  if (problems.length > 0) {
    const names = problems.slice(0, FILES_TOLD).map(({ file }) => path.basename(file));
    const all = problems.length > FILES_TOLD ? [...names, "…"] : names;
    lines.push(t("Files that could not be examined: {0} ({1})", problems.length, all.join(", ")));
  }
  if (findings.length === 0) {
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

/** The path of a file in its folder of the workspace. */
function pathIn(uri: vscode.Uri): string | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder === undefined
    ? undefined
    : path.relative(folder.uri.fsPath, uri.fsPath).replaceAll("\\", "/");
}

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

function reportedOf(uri: vscode.Uri): Reported[] {
  const own = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "gpu2ascend");
  return own.map(({ code, message, severity, range }) => ({
    code: String(typeof code === "object" ? code.value : (code ?? "")),
    message,
    severity: SEVERITIES[severity],
    range: { start: positionOf(range.start), end: positionOf(range.end) },
  }));
}

function positionOf({ line, character }: vscode.Position): Reported["range"]["start"] {
  return { line, character };
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
