/** The view "Findings": what the analysis of the workspace has found, and what has become of it since. */

import * as path from "node:path";
import * as vscode from "vscode";

import { showError } from "../messages";
import { requestWithProgress } from "../server/progress";
import { type AnalysisResult, type CompletedAnalysis, type Finding, ServerRequest } from "../server/protocol";
import type { Report, Reports } from "../server/reports";
import type { ServerRequests } from "../server/requests";
import { readMode } from "../settings";
import { notebookOf, reportedOf, rulesOf } from "./followed";
import { pickGrouping, typedFilter } from "./choices";
import { filtered } from "./filter";
import { itemOf, messageOf } from "./items";
import { Lines } from "./lines";
import { Findings, type RuleOf } from "./live";
import { type Grouping, type Row, rowsOf } from "./model";
import { ShownOrder } from "./order";
import { ProvenProblems } from "./proven";
import { isAdvice } from "./standing";
import type { AnalysisStore } from "./store";

export const FINDINGS_VIEW = "gpu2ascend.findings";

/** What the menus of the view depend on. */
const CONTEXT = { analyzed: "gpu2ascend.analyzed", filtered: "gpu2ascend.filtered" } as const;

/** Milliseconds in which changes are put together: while the workspace is read they come file by file. */
const UPDATE_DELAY = 200;

/** Milliseconds after a change until what is shown is kept, so that typing does not write thousands of findings. */
const KEEP_DELAY = 1_500;

/** What an analysis said beside its findings. */
type Rest = Omit<CompletedAnalysis, "findings">;

export class FindingsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly proven = new ProvenProblems();
  private readonly subscriptions: vscode.Disposable[];
  private rest: Rest | undefined;
  private findings = new Findings();
  private rules: ReadonlyMap<string, RuleOf> = new Map();
  private grouping: Grouping = "file";
  private filter = "";
  private readonly order = new ShownOrder();
  private readonly lines = new Lines();
  /** Whether the view is to be filled as soon as it is seen. */
  private isToBeFilled = true;
  /** Whether something has changed that no report tells of. */
  private isOutdated = false;
  private updating: NodeJS.Timeout | undefined;
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly requests: ServerRequests,
    private readonly store: AnalysisStore,
    reports: Reports,
  ) {
    this.view = vscode.window.createTreeView(FINDINGS_VIEW, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    // The window remembers what an extension host before this one has said.
    setContext(CONTEXT.analyzed, false);
    setContext(CONTEXT.filtered, false);
    const watcher = vscode.workspace.createFileSystemWatcher("**/*", true, false, false);
    this.subscriptions = [
      reports.onDidReport((told) => {
        this.follow(told);
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.edited(event);
      }),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook, contentChanges }) => {
        this.update(contentChanges.length > 0 && this.findings.forgetProven(notebook.uri.fsPath));
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.update(this.findings.forget((file) => folderOf(vscode.Uri.file(file)) === undefined));
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        this.outdate(event.affectsConfiguration("gpu2ascend"), (file) => !isFollowed(vscode.Uri.file(file)));
      }),
      watcher,
      watcher.onDidChange((uri) => {
        this.changedOnDisk(uri);
      }),
      watcher.onDidDelete((uri) => {
        this.update(this.findings.forget((file) => isWithin(file, uri.fsPath)));
      }),
    ];
    const restored = this.restore();
    const fill = (): void => void restored.then(() => this.fill());
    this.subscriptions.push(this.view.onDidChangeVisibility(fill));
    fill();
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
        await this.takeAll(result);
        await vscode.commands.executeCommand(`${FINDINGS_VIEW}.focus`);
    }
  }

  clear(): void {
    this.isToBeFilled = false;
    this.show(undefined);
  }

  /** Asks what the rows are put together by. */
  async group(): Promise<void> {
    this.grouping = (await pickGrouping(this.grouping)) ?? this.grouping;
    this.order.forget();
    this.changed.fire(undefined);
  }

  /** Asks for a filter, which holds while it is typed. */
  async askFilter(): Promise<void> {
    await typedFilter(this.filter, (filter) => {
      this.filterBy(filter);
    });
  }

  filterBy(filter: string): void {
    this.filter = filter;
    setContext(CONTEXT.filtered, filter !== "");
    this.render();
  }

  getChildren(row?: Row): Row[] {
    return rowsOf(row, filtered(this.findings.all, this.filter), this.grouping, this.order);
  }

  getTreeItem(row: Row): Promise<vscode.TreeItem> {
    return itemOf(row, (finding) => this.lines.of(finding));
  }

  dispose(): void {
    clearTimeout(this.updating);
    clearTimeout(this.keeping);
    vscode.Disposable.from(...this.subscriptions, this.proven, this.view, this.changed).dispose();
  }

  /** Analyses the workspace once the view is seen, without a word where there is no server. */
  private async fill(): Promise<void> {
    const hasFolder = vscode.workspace.workspaceFolders !== undefined;
    if (!this.view.visible || !this.isToBeFilled || this.rest !== undefined || !hasFolder) {
      return;
    }
    this.isToBeFilled = false;
    await vscode.window.withProgress({ location: { viewId: FINDINGS_VIEW } }, async () => {
      const client = await this.requests.client().catch(() => undefined);
      const result = await client
        ?.sendRequest<AnalysisResult>(ServerRequest.analyze, {})
        .catch(() => undefined);
      if (result?.status === "completed" && this.isEmpty()) {
        await this.takeAll(result);
      } else {
        this.isToBeFilled = result === undefined;
      }
    });
  }

  /** Whether nothing is shown; it may have been filled meanwhile. */
  private isEmpty(): boolean {
    return this.rest === undefined;
  }

  private async takeAll(result: CompletedAnalysis): Promise<void> {
    this.rules = await rulesOf(this.requests);
    this.show(result);
  }

  /** Shows what was found before the window was loaded again. */
  private async restore(): Promise<void> {
    const kept = await this.store.read();
    if (kept === undefined || this.rest !== undefined) {
      return;
    }
    const isThere = await Promise.all(
      [...new Set(kept.analysis.findings.map(({ file }) => file))].map(statOf),
    );
    const times = new Map(isThere);
    const findings = kept.analysis.findings.filter(({ file }) => times.get(file) !== undefined);
    const isOlder = ({ file }: Finding): boolean => (times.get(file) ?? 0) > kept.time;
    this.isOutdated = findings.some(
      (finding) => isOlder(finding) && !isFollowed(vscode.Uri.file(finding.file)),
    );
    this.show({
      ...kept.analysis,
      findings: findings.filter((finding) => finding.proven !== true || !isOlder(finding)),
    });
    this.rules = await rulesOf(this.requests).catch(() => this.rules);
  }

  /** Takes over what the server reports of files, as the list of problems shows it. */
  private follow(reports: readonly Report[]): void {
    if (this.rest === undefined) {
      return;
    }
    const isOther = reports.map(({ uri, diagnostics }) => this.take(uri, diagnostics));
    this.update(isOther.some(Boolean));
  }

  /** Takes over what is reported of a file, or of a cell; whether anything is another now. */
  private take(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): boolean {
    const place = notebookOf(uri) ?? (uri.scheme === "file" ? { uri, cell: null } : undefined);
    const folder = place === undefined ? undefined : folderOf(place.uri);
    if (place === undefined || folder === undefined) {
      return false;
    }
    const reported = reportedOf(diagnostics);
    if (reported.length === 0 && !isFollowed(uri)) {
      return false; // it was closed, and is as it was
    }
    const file = place.uri.fsPath;
    const name = path.relative(folder.uri.fsPath, file).replaceAll("\\", "/");
    return this.findings.replace({ file, path: name, cell: place.cell }, reported, this.rules);
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { uri, cell } = notebookOf(document.uri) ?? { uri: document.uri, cell: null };
    this.update(this.rest !== undefined && this.findings.edit(uri.fsPath, cell, contentChanges));
  }

  private changedOnDisk(uri: vscode.Uri): void {
    const isOpen = vscode.workspace.textDocuments.some(
      (document) => document.uri.toString() === uri.toString(),
    );
    if (this.rest === undefined || isOpen || this.findings.of(uri.fsPath).length === 0) {
      return;
    }
    this.update(this.findings.forgetProven(uri.fsPath));
    this.outdate(!isFollowed(uri), (file) => file === uri.fsPath);
  }

  /** Says that what is shown of some files may no longer hold, if there is any of them. */
  private outdate(isSo: boolean, isConcerned: (file: string) => boolean): void {
    if (isSo && this.rest !== undefined && !this.isOutdated && this.findings.names.some(isConcerned)) {
      this.isOutdated = true;
      this.update(true);
    }
  }

  private show(analysis: CompletedAnalysis | undefined): void {
    this.rest = analysis;
    this.order.forget();
    this.findings = new Findings(analysis?.findings);
    this.isOutdated = analysis !== undefined && this.isOutdated;
    // Cells count as the editor has them; the analysis has read them from the disk.
    const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
    for (const { document } of analysis === undefined ? [] : cells) {
      if (document.languageId === "python") {
        this.take(document.uri, vscode.languages.getDiagnostics(document.uri));
      }
    }
    void this.store.write(analysis);
    setContext(CONTEXT.analyzed, analysis !== undefined);
    this.render();
  }

  /** Shows what has changed, with what else changes within a moment. */
  private update(isOther: boolean): void {
    if (isOther) {
      this.updating ??= setTimeout(() => {
        this.updating = undefined;
        this.render();
        this.keep();
      }, UPDATE_DELAY);
    }
  }

  private render(): void {
    const findings = this.findings.all;
    const count = findings.filter((finding) => !isAdvice(finding)).length;
    this.view.badge =
      count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t("{0} findings", count) };
    this.view.description = this.filter;
    this.view.message = this.rest === undefined ? "" : this.messageOf(this.rest, findings);
    this.lines.forget();
    this.proven.show(findings);
    this.changed.fire(undefined);
  }

  private messageOf(rest: Rest, findings: readonly Finding[]): string {
    const hidesAll = findings.length > 0 && filtered(findings, this.filter).length === 0;
    const none = hidesAll ? [vscode.l10n.t("No finding fits the filter.")] : [];
    return [messageOf({ ...rest, findings }, this.isOutdated), ...none]
      .filter((text) => text !== "")
      .join(" ");
  }

  private keep(): void {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      const { rest } = this;
      void this.store.write(rest === undefined ? undefined : { ...rest, findings: this.findings.all });
    }, KEEP_DELAY);
  }
}

/** Whether the server tells of each change of a file: of all, or of those that are open. */
function isFollowed(uri: vscode.Uri): boolean {
  const isOpen = vscode.workspace.textDocuments.some(
    (document) => document.uri.toString() === uri.toString(),
  );
  return isOpen || (uri.scheme === "file" && readMode(uri) === "workspace" && !uri.path.endsWith(".ipynb"));
}

async function statOf(file: string): Promise<[string, number | undefined]> {
  const stat = await vscode.workspace.fs.stat(vscode.Uri.file(file)).then(
    ({ mtime }) => mtime,
    () => undefined,
  );
  return [file, stat];
}

function folderOf(uri: vscode.Uri): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(uri);
}

function isWithin(file: string, gone: string): boolean {
  return file === gone || file.startsWith(gone + path.sep);
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
