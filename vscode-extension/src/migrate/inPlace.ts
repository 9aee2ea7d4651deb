/** Migrating where the files are: in the refactor preview, or one file at once. */

import { constants, promises as fs } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

import { showError, showInformation, showWarning } from "../messages";
import { requestWithProgress } from "../server/progress";
import type { MigrationParameters } from "../server/options.generated";
import { type FinishedPreview, type PreviewResult, ServerRequest } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { type Obstacle, type Offer, offerOf, ticked } from "./offer";

/** How many files are named. */
const FILES_TOLD = 3;

/** The bits of a file's mode by which somebody may write it; on Windows they follow its attribute. */
const ANY_WRITE = 0o222;

/** Shows every change of a folder, or of the workspace, in the Refactor Preview; nothing is written before. */
export async function previewInPlace(
  requests: ServerRequests,
  target: vscode.Uri | undefined,
  options?: Partial<MigrationParameters>,
  isTicked = false,
): Promise<boolean> {
  if (!mayWrite()) {
    return false;
  }
  const begun = Date.now();
  const client = await requests.client();
  const result = await requestWithProgress<PreviewResult>(
    client,
    ServerRequest.preview,
    { uri: target?.toString(), options, apply: false },
    vscode.l10n.t("Looking for what to change"),
  );
  return await offer(requests, result, begun, isTicked ? "ticked" : "shown");
}

/** Shows the fixes that a migration offers but does not make, all ticked; whether they were applied. */
export async function applyOffered(requests: ServerRequests, project: string): Promise<boolean> {
  return await previewInPlace(requests, vscode.Uri.file(project), { unsafeFixes: true }, true);
}

/**
 * Shows every fix of a rule in the workspace, the safe ones ticked, for the version that its problems are shown for.
 * A notebook is changed only where it is open: those that are named are opened for it.
 */
export async function previewRule(
  requests: ServerRequests,
  code: string,
  notebooks: readonly vscode.Uri[],
): Promise<void> {
  for (const notebook of notebooks) {
    await vscode.workspace.openNotebookDocument(notebook);
  }
  if (!mayWrite()) {
    return;
  }
  await previewInPlace(requests, undefined, { select: [code] });
}

/** Makes the safe changes of one file, or of all cells of the notebook in front; Undo takes them back. */
export async function migrateFile(requests: ServerRequests, target: vscode.Uri | undefined): Promise<void> {
  const notebook = target === undefined ? vscode.window.activeNotebookEditor?.notebook.uri : undefined;
  const uri = target ?? notebook ?? vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    void showInformation(vscode.l10n.t("Open a Python file first."));
    return;
  }
  if (!mayWrite()) {
    return;
  }
  const begun = Date.now();
  const result = await requests.migrateFile(uri);
  const isMade = await offer(requests, result, begun, "made");
  if (!isMade) {
    return;
  }
  if (notebook === undefined && uri.scheme === "file") {
    await vscode.window.showTextDocument(uri);
  }
  void tellMade(uri, result.changes);
}

/** Says what was changed in the document in front, and takes it back if that is asked for. */
async function tellMade(uri: vscode.Uri, changes: number): Promise<void> {
  const { t } = vscode.l10n;
  const undo = t("Undo");
  const name = path.basename(uri.path);
  const text =
    changes === 1 ? t("1 change was made in {0}.", name) : t("{0} changes were made in {1}.", changes, name);
  if ((await showInformation(text, undo)) === undo) {
    await vscode.commands.executeCommand("vscode.open", uri);
    await vscode.commands.executeCommand("undo");
  }
}

/** Whether files may be changed; if not, the user is informed. */
export function mayWrite(): boolean {
  if (!vscode.workspace.isTrusted) {
    void showWarning(vscode.l10n.t("Changing files needs a trusted workspace."));
  }
  return vscode.workspace.isTrusted;
}

/** Whether changes are made at once, or shown before: the unsafe ones unticked, or all ticked. */
type Way = "made" | "shown" | "ticked";

/** Applies what was found, after a look at it if that is asked for, and says what became of it. */
async function offer(
  requests: ServerRequests,
  result: PreviewResult,
  begun: number,
  way: Way,
): Promise<boolean> {
  const isPreview = way !== "made";
  if (result.status === "failed") {
    void showError(result.message ?? vscode.l10n.t("The changes could not be found."));
    return false;
  }
  if (result.status === "cancelled") {
    void showInformation(vscode.l10n.t("Nothing was changed."));
    return false;
  }
  if (result.edit === null || result.changes === 0) {
    void showInformation(
      [vscode.l10n.t("There is nothing to migrate here."), ...notExamined(result)].join(" "),
    );
    return false;
  }
  const given = await withoutObstacles(result, begun);
  const found = way === "ticked" ? ticked(given) : given;
  const notes = notesOf(found);
  if (found.uris.length === 0) {
    void showWarning([vscode.l10n.t("Nothing was changed."), ...notes].join(" "));
    return false;
  }
  if (notes.length > 0) {
    void showWarning(notes.join(" "));
  }
  const applied = await apply(requests, found, isPreview);
  if (applied === undefined) {
    void showInformation(
      vscode.l10n.t("Nothing was changed. Tick what you want in the preview, then apply it."),
    );
    return false;
  }
  if (isPreview) {
    report(applied, notExamined(result));
  }
  return true;
}

/** What was changed. */
interface Applied {
  readonly files: readonly vscode.Uri[];
  /** Those that got an import afterwards. */
  readonly completed: readonly vscode.Uri[];
}

/** Applies an offer; undefined where nothing was changed. */
async function apply(
  requests: ServerRequests,
  found: Offer,
  isPreview: boolean,
): Promise<Applied | undefined> {
  const client = await requests.client();
  const changed = new Map<string, vscode.Uri>();
  const watch = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0) {
      changed.set(document.uri.toString(), document.uri);
    }
  });
  try {
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(found.edit);
    if (isPreview && !found.isAskedAbout) {
      askFirst(edit);
    }
    if (!(await vscode.workspace.applyEdit(edit, { isRefactoring: true }))) {
      return undefined;
    }
    const named = new Map(found.uris.map((uri) => [vscode.Uri.parse(uri).toString(), uri]));
    const uris = [...changed.keys()].flatMap((uri) => named.get(uri) ?? []);
    const completed = await finish(requests, uris);
    const files = [...changed].flatMap(([name, uri]) => (named.has(name) ? [uri] : []));
    return { files, completed };
  } finally {
    watch.dispose();
  }
}

/**
 * Has the editor show an edit of which nothing is to be confirmed, with everything in it ticked: it opens its preview
 * for what is, and passes over a file that is to be made only if it is not there.
 */
function askFirst(edit: vscode.WorkspaceEdit): void {
  const own = vscode.Uri.joinPath(extensionUri(), "package.json");
  const words = vscode.l10n.t("Preview");
  edit.createFile(own, { ignoreIfExists: true }, { needsConfirmation: true, label: words });
}

function extensionUri(): vscode.Uri {
  const extension = vscode.extensions.getExtension("gpu2ascend.gpu2ascend");
  if (extension === undefined) {
    throw new Error("the extension does not know itself");
  }
  return extension.extensionUri;
}

/** Adds the imports that a selection needs and leaves out; the files that got some. */
async function finish(requests: ServerRequests, uris: readonly string[]): Promise<readonly vscode.Uri[]> {
  const client = await requests.client();
  const { edit } = await client.sendRequest<FinishedPreview>(ServerRequest.finishPreview, { uris });
  if (edit === null) {
    return [];
  }
  const made = await client.protocol2CodeConverter.asWorkspaceEdit(edit);
  return (await vscode.workspace.applyEdit(made)) ? made.entries().map(([uri]) => uri) : [];
}

async function withoutObstacles(result: PreviewResult, begun: number): Promise<Offer> {
  const edit = result.edit ?? {};
  const obstacles = new Map<string, Obstacle>();
  for (const change of edit.documentChanges ?? []) {
    if ("edits" in change) {
      const { uri, version } = change.textDocument;
      const obstacle = await obstacleOf(vscode.Uri.parse(uri), version, begun);
      if (obstacle !== undefined) {
        obstacles.set(uri, obstacle);
      }
    }
  }
  const shared = vscode.l10n.t("Imports and files that other changes need");
  return offerOf(edit, (uri) => obstacles.get(uri), shared);
}

/** What is in the way of edits that were made for a version of a document, or for a file as it was. */
async function obstacleOf(
  uri: vscode.Uri,
  version: number | null,
  begun: number,
): Promise<Obstacle | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open !== undefined && version !== null && open.version !== version) {
    return "changed";
  }
  if (uri.scheme !== "file") {
    return undefined;
  }
  try {
    const { mode, mtimeMs } = await fs.stat(uri.fsPath);
    if ((mode & ANY_WRITE) === 0 || !(await mayBeWritten(uri.fsPath))) {
      return "readOnly";
    }
    return open === undefined && mtimeMs > begun ? "changed" : undefined;
  } catch {
    return undefined; // it is made
  }
}

/** Whether the system lets this user write a file. It lets the administrator write every one. */
async function mayBeWritten(file: string): Promise<boolean> {
  return await fs.access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** What is said of files that were left out. */
function notesOf({ left }: Offer): string[] {
  const { t } = vscode.l10n;
  const names = (uris: readonly string[]): string => namesOf(uris.map((uri) => vscode.Uri.parse(uri).path));
  const notes = [];
  if (left.readOnly.length > 0) {
    notes.push(t("Read-only, left out: {0}.", names(left.readOnly)));
  }
  if (left.changed.length > 0) {
    notes.push(t("Changed in the meantime, left out: {0}. Preview again for them.", names(left.changed)));
  }
  return notes;
}

/** What is said of files in which nobody looked for changes. */
function notExamined({ problems, leftOut }: PreviewResult): string[] {
  const { t } = vscode.l10n;
  const notes = [];
  if (problems.length > 0) {
    const names = namesOf(problems.map(({ file }) => file));
    notes.push(t("Files that could not be examined: {0} ({1})", problems.length, names));
  }
  if (leftOut.length > 0) {
    notes.push(t("Notebooks that are not open were left out: {0}.", namesOf(leftOut)));
  }
  return notes;
}

/** Some file names. */
function namesOf(places: readonly string[]): string {
  const names = places.slice(0, FILES_TOLD).map((place) => path.basename(place));
  return [...names, ...(places.length > FILES_TOLD ? ["…"] : [])].join(", ");
}

/** Says what was changed, and saves it if the user wants that. */
function report({ files, completed }: Applied, notes: readonly string[]): void {
  const { t } = vscode.l10n;
  const lines = [files.length === 1 ? t("1 file was changed.") : t("{0} files were changed.", files.length)];
  if (completed.length > 0) {
    lines.push(
      t(
        "Imports that the chosen changes need were added: {0}.",
        namesOf(completed.map(({ path: at }) => at)),
      ),
    );
  }
  const documents = vscode.workspace.textDocuments.filter(
    ({ uri, isDirty }) =>
      isDirty && [...files, ...completed].some((file) => file.toString() === uri.toString()),
  );
  const save = t("Save");
  const text = [...lines, ...notes].join(" ");
  void showInformation(text, ...(documents.length > 0 ? [save] : [])).then(async (answer) => {
    if (answer === save) {
      await Promise.all(documents.map((document) => document.save()));
    }
  });
}
