/**
 * The last run of each project: its problems in the Problems view, and how the project stands.
 *
 * Problems of a file go when the file is edited, here or elsewhere; all of a project go with the next run, and
 * with the project. After that the run is stale: it is about other files.
 */

import * as path from "node:path";
import * as vscode from "vscode";

import type { CompletedVerification, VerifyProblem } from "../server/protocol";
import { rangeOf } from "../views/places";
import { keptRecords, recordOf, type Verification, verificationOf, type VerifyRecord } from "./record";

const KEY = "gpu2ascend.verifications";
const KEPT = 10;
const SOURCE = "verify";
/** The files that make a run stale when they change on the disk; what a training writes is not among them. */
const SOURCES = "**/*.{py,pyw,ipynb,sh,yaml,yml,toml,cfg,ini}";

export class Verifications implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection("gpu2ascend-verify");
  private readonly changed = new vscode.EventEmitter<string>();
  /** The project of which the state is another now. */
  readonly onDidChange = this.changed.event;
  private readonly records: Map<string, VerifyRecord>;
  private readonly stale = new Set<string>();
  private readonly running = new Set<string>();
  /** Files that were edited while their project ran. */
  private readonly edited = new Set<string>();
  private readonly watchers = new Map<string, vscode.Disposable>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly memento: vscode.Memento) {
    this.records = keptRecords(memento.get(KEY));
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme === "file" && contentChanges.length > 0) {
          this.fileChanged(document.uri.fsPath);
        }
      }),
      vscode.workspace.onDidDeleteFiles(() => void this.lookForGone()),
      vscode.workspace.onDidRenameFiles(() => void this.lookForGone()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          void this.lookForGone();
        }
      }),
    ];
    void this.restore();
  }

  dispose(): void {
    vscode.Disposable.from(
      this.collection,
      this.changed,
      ...this.watchers.values(),
      ...this.subscriptions,
    ).dispose();
  }

  stateOf(project: string): Verification {
    if (this.running.has(project)) {
      return { state: "running" };
    }
    const record = this.records.get(project);
    return record === undefined ? { state: "none" } : verificationOf(record, this.stale.has(project));
  }

  isRunning(project: string): boolean {
    return this.running.has(project);
  }

  /** A new run takes the place of the last one at once. */
  begin(project: string): void {
    this.clear(project);
    this.running.add(project);
    this.edited.clear();
    this.changed.fire(project);
  }

  /** The run is over; without a result it came to nothing. */
  async end(project: string, result: CompletedVerification | undefined): Promise<void> {
    this.running.delete(project);
    if (result !== undefined) {
      const record = recordOf(result, Date.now());
      this.records.delete(project);
      this.records.set(project, record);
      if ([...this.edited].some((file) => isInside(file, project))) {
        this.stale.add(project);
      }
      this.show(project, record.problems, (file) => !this.edited.has(file));
      this.watch(project, record.at);
    }
    await this.keep();
    this.changed.fire(project);
  }

  private show(
    project: string,
    problems: readonly VerifyProblem[],
    isCurrent: (file: string) => boolean,
  ): void {
    const files = new Map<string, vscode.Diagnostic[]>();
    for (const problem of problems.filter(({ file }) => isInside(file, project) && isCurrent(file))) {
      files.set(problem.file, [...(files.get(problem.file) ?? []), diagnosticOf(problem)]);
    }
    for (const [file, diagnostics] of files) {
      this.collection.set(vscode.Uri.file(file), diagnostics);
    }
  }

  /** Takes away what is shown and kept of a project. */
  private clear(project: string): void {
    this.collection.forEach((uri) => {
      if (isInside(uri.fsPath, project)) {
        this.collection.delete(uri);
      }
    });
    this.watchers.get(project)?.dispose();
    this.watchers.delete(project);
    this.records.delete(project);
    this.stale.delete(project);
  }

  private watch(project: string, since: number): void {
    const pattern = new vscode.RelativePattern(vscode.Uri.file(project), SOURCES);
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    // What is reported late may have been written by the run itself.
    const changed = async (uri: vscode.Uri): Promise<void> => {
      if ((await modified(uri.fsPath)) > since) {
        this.fileChanged(uri.fsPath);
      }
    };
    watcher.onDidChange(changed);
    watcher.onDidCreate(changed);
    watcher.onDidDelete((uri) => {
      this.fileChanged(uri.fsPath);
      void this.lookForGone();
    });
    this.watchers.get(project)?.dispose();
    this.watchers.set(project, vscode.Disposable.from(watcher, this.watchWhole(project)));
  }

  /** Of a folder that is deleted as a whole, the editor may report nothing but the folder itself. */
  private watchWhole(project: string): vscode.Disposable {
    const beside = new vscode.RelativePattern(vscode.Uri.file(path.dirname(project)), "*");
    const watcher = vscode.workspace.createFileSystemWatcher(beside, true, true, false);
    watcher.onDidDelete(() => void this.lookForGone());
    return watcher;
  }

  private fileChanged(file: string): void {
    this.edited.add(file);
    this.collection.delete(vscode.Uri.file(file));
    for (const project of this.records.keys()) {
      if (isInside(file, project) && !this.stale.has(project)) {
        this.stale.add(project);
        this.changed.fire(project);
      }
    }
  }

  private async lookForGone(): Promise<void> {
    for (const project of [...this.records.keys()]) {
      if ((await modified(project)) === 0) {
        this.clear(project);
        await this.keep();
        this.changed.fire(project);
      }
    }
  }

  /** What was kept when the window was closed, as far as the files are still the same. */
  private async restore(): Promise<void> {
    await this.lookForGone();
    for (const [project, record] of this.records) {
      const changed = new Set<string>();
      for (const name of record.files) {
        const file = path.join(project, ...name.split("/"));
        const time = await modified(file);
        if (time === 0 || time > record.at) {
          changed.add(file);
        }
      }
      if (this.records.get(project) === record) {
        if (changed.size > 0) {
          this.stale.add(project);
        }
        this.show(project, record.problems, (file) => !changed.has(file));
        this.watch(project, record.at);
        this.changed.fire(project);
      }
    }
  }

  private async keep(): Promise<void> {
    const kept = [...this.records].slice(-KEPT);
    await this.memento.update(KEY, Object.fromEntries(kept));
  }
}

function isInside(file: string, project: string): boolean {
  const relative = path.relative(project, file);
  return (
    relative !== "" &&
    relative !== ".." &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

/** When a file was changed, in milliseconds since the epoch; 0 for one that is not there. */
async function modified(file: string): Promise<number> {
  return await vscode.workspace.fs.stat(vscode.Uri.file(file)).then(
    ({ mtime }) => mtime,
    () => 0,
  );
}

function diagnosticOf({ range, message, severity, code, page, related }: VerifyProblem): vscode.Diagnostic {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const made = new vscode.Diagnostic(rangeOf(range), message, severity === "error" ? Error : Warning);
  made.source = SOURCE;
  if (code !== null) {
    made.code = page === null ? code : { value: code, target: vscode.Uri.parse(page) };
  }
  made.relatedInformation = related.map(
    (item) =>
      new vscode.DiagnosticRelatedInformation(
        new vscode.Location(vscode.Uri.file(item.file), rangeOf(item.range)),
        item.message,
      ),
  );
  return made;
}
