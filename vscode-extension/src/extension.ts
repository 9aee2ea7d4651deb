/** Starts everything when a Python file is opened or one of our commands is run. */

import * as path from "node:path";
import * as vscode from "vscode";
import { DidChangeConfigurationNotification } from "vscode-languageclient/node";

import { Chat } from "./chat/chat";
import { offerMcpServer } from "./chat/mcp";
import { Prompts } from "./chat/prompts";
import { registerTools } from "./chat/tools";
import { Command } from "./commands";
import { configure } from "./configure/configure";
import { DebugInformation } from "./configure/debugInformation";
import { Drafts } from "./dialog/drafts";
import { Dialog, DIALOG_VIEW } from "./dialog/panel";
import { ExplanationPages } from "./explain";
import { ClosedNotebooks } from "./findings/closedNotebooks";
import { rowCommands } from "./findings/commands";
import { AnalysisStore } from "./findings/store";
import { FindingsView } from "./findings/view";
import { applyOffered, migrateFile, previewInPlace } from "./migrate/inPlace";
import { migrateProject } from "./migrate/migrate";
import { Bundle } from "./python/bundle";
import { watchSelection } from "./python/extensions";
import { LastFound } from "./python/memory";
import { selectInterpreter } from "./python/select";
import { Progress } from "./result/progress";
import { type Handing, openReport, RESULT_VIEW, ResultPages } from "./result/page";
import { ResultStore } from "./result/store";
import { configurationMiddleware } from "./server/configuration";
import { commandMiddleware } from "./server/middleware";
import { Reports } from "./server/reports";
import { ServerRequests, ServerUnavailable } from "./server/requests";
import { ServerSession } from "./server/session";
import { SECTION } from "./settings";
import { showLanguageStatus } from "./status/languageStatus";
import { tellTroubles } from "./status/notices";
import { showTrouble } from "./status/trouble";
import { TargetStatus } from "./status/target";
import { MigrateTasks, TASK_TYPE } from "./tasks/provider";
import { Terminals } from "./terminal/terminal";
import { runVerified, verifyProject } from "./verify/verify";
import { Verifications } from "./verify/verifications";
import { openPlace } from "./views/places";
import { followPythonFolders } from "./views/pythonFolders";

let session: ServerSession | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const activated = performance.now();
  const log = vscode.window.createOutputChannel("PyTorch GPU2Ascend", { log: true });
  const trace = vscode.window.createOutputChannel("PyTorch GPU2Ascend Trace");
  const bytecode = vscode.Uri.joinPath(context.globalStorageUri, "bytecode").fsPath;
  const bundle = new Bundle(path.join(context.extensionPath, "bundled"), bytecode);
  const last = new LastFound(context.workspaceState);
  const pages = new ExplanationPages();
  const reports = new Reports();
  const middleware = {
    ...commandMiddleware(pages),
    ...reports.middleware,
    workspace: configurationMiddleware,
  };
  session = new ServerSession({ bundle, last, log, trace, middleware });
  const requests = new ServerRequests(session);
  const chat = new Chat(vscode);
  const prompts = new Prompts(requests, chat);
  context.subscriptions.push(
    log,
    trace,
    pages,
    reports,
    session,
    tellTroubles(session, log),
    logReadiness(session, log, activated),
    showLanguageStatus(session),
    ...serverCommands(session, log, trace),
    ...restartReasons(session),
    session.onDidChangeState(({ kind }) => {
      if (kind !== "running") {
        reports.forget();
      }
    }),
    ...migrating(context, session, requests, pages, {
      hasChat: () => chat.isThere,
      ofProject: (project, destination) => prompts.ofProject(project, destination),
    }),
    ...looking(context, session, requests, pages, { reports, prompts }),
    ...serving(context, session),
    new ClosedNotebooks(session, requests),
    ...new Terminals(session, requests, context.globalStorageUri).register(),
    vscode.tasks.registerTaskProvider(TASK_TYPE, new MigrateTasks(session, requests, log)),
  );
  context.subscriptions.push(followPythonFolders());
  void session.start();
  void chat.follow().then((following) => context.subscriptions.push(following));
}

/** Notes how long it takes until the server answers, at first and whenever it is started again. */
function logReadiness(
  server: ServerSession,
  log: vscode.LogOutputChannel,
  activated: number,
): vscode.Disposable {
  let begun: { what: string; time: number } | undefined = { what: "activation", time: activated };
  return server.onDidChangeState(({ kind }) => {
    if (kind === "starting") {
      begun ??= { what: "another start", time: performance.now() };
    } else {
      if (kind === "running" && begun !== undefined) {
        log.info(`ready ${Math.round(performance.now() - begun.time)} ms after ${begun.what}`);
      }
      begun = undefined;
    }
  });
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

/** The dialog, the result page and the ways to migrate without them. */
function migrating(
  context: vscode.ExtensionContext,
  server: ServerSession,
  requests: ServerRequests,
  pages: ExplanationPages,
  handing: Handing,
): { dispose(): unknown }[] {
  const storage = context.storageUri ?? context.globalStorageUri;
  const store = new ResultStore(vscode.Uri.joinPath(storage, "results"));
  const verifications = new Verifications(context.workspaceState);
  const progress = new Progress(context.workspaceState);
  const results = new ResultPages(
    context.extensionUri,
    store,
    verifications,
    progress,
    (project) => applyOffered(requests, project),
    handing,
  );
  const memento = context.workspaceState;
  const verifying = { requests, verifications, memento, results: () => store.outputs(), openReport };
  const dialog = new Dialog(context, requests, new Drafts(context.workspaceState), {
    transplant: (options) => migrateProject(requests, options, (result) => results.open(result)),
    preview: async (folder, options) => {
      await previewInPlace(requests, vscode.Uri.file(folder), options);
    },
    explain: async (name) => pages.show(await requests.explain(name)),
  });
  return [
    server.onDidChangeState(({ kind }) => {
      if (kind === "running") {
        void dialog.serverIsBack();
      }
    }),
    vscode.window.registerWebviewPanelSerializer(DIALOG_VIEW, dialog),
    vscode.window.registerWebviewPanelSerializer(RESULT_VIEW, results),
    register(Command.openDialog, async (target?: vscode.Uri) => dialog.open(await clickedFolder(target))),
    verifications,
    ...registerTools(verifying, (...run) => runVerified(verifying, ...run)),
    register(Command.verifyProject, (project?: vscode.Uri) => verifyProject(verifying, project?.fsPath)),
    register(Command.previewInPlace, async (target?: vscode.Uri) => {
      await previewInPlace(requests, target);
    }),
    register(Command.migrateFile, (target?: vscode.Uri) => migrateFile(requests, target)),
  ];
}

/** What shows the state of the code: the status bar and the view of the findings. */
function looking(
  context: vscode.ExtensionContext,
  server: ServerSession,
  requests: ServerRequests,
  pages: ExplanationPages,
  { reports, prompts }: { readonly reports: Reports; readonly prompts: Prompts },
): { dispose(): unknown }[] {
  const target = new TargetStatus(server, requests);
  const debug = new DebugInformation(context, requests);
  const findings = new FindingsView(
    requests,
    new AnalysisStore(context.storageUri ?? context.globalStorageUri),
    reports,
  );
  return [
    target,
    findings,
    register(Command.selectTarget, () => target.select()),
    register(Command.configure, () => configure(requests)),
    debug,
    register(Command.showDebugInformation, () => debug.show()),
    register(Command.analyzeWorkspace, () => findings.analyze()),
    vscode.commands.registerCommand(Command.openPlace, openPlace),
    ...rowCommands(requests, pages, prompts),
    register(Command.clearFindings, () => {
      findings.clear();
    }),
    register(Command.groupFindings, () => findings.group()),
    register(Command.filterFindings, () => findings.askFilter()),
    register(Command.clearFilter, () => {
      findings.filterBy("");
    }),
  ];
}

/** The server for agents, where the editor takes one and the interpreter has what it needs. */
function serving(context: vscode.ExtensionContext, server: ServerSession): { dispose(): unknown }[] {
  const changed = new vscode.EventEmitter<undefined>();
  const tell = (): void => {
    changed.fire(undefined);
  };
  const manifest = context.extension.packageJSON as { readonly version: string };
  const offered = offerMcpServer(vscode, {
    commandLine: (args) => server.agentsCommandLine(args),
    roots: () =>
      vscode.workspace.isTrusted
        ? (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath)
        : [],
    version: manifest.version,
    onDidChange: changed.event,
  });
  return [
    changed,
    server.onDidChangeState(tell),
    vscode.workspace.onDidChangeWorkspaceFolders(tell),
    vscode.workspace.onDidGrantWorkspaceTrust(tell),
    ...(offered === undefined ? [] : [offered]),
  ];
}

function serverCommands(
  server: ServerSession,
  log: vscode.OutputChannel,
  trace: vscode.OutputChannel,
): vscode.Disposable[] {
  return [
    register(Command.restartServer, () => server.restart()),
    register(Command.selectInterpreter, selectInterpreter),
    register(Command.showLog, () => {
      log.show();
    }),
    register(Command.showTrace, () => {
      trace.show();
    }),
  ];
}

/** What may make another interpreter the right one. */
function restartReasons(server: ServerSession): vscode.Disposable[] {
  const again = (): void => void server.restartIfOther();
  const selection = watchSelection(vscode.extensions, again);
  return [
    vscode.workspace.onDidChangeConfiguration((event) => {
      const concerned = ["interpreter", "importStrategy"].some((key) =>
        event.affectsConfiguration(`${SECTION}.${key}`),
      );
      if (concerned) {
        again();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      again();
      // The server then asks for the settings, which say that the workspace is trusted.
      void server
        .whenSettled()
        .then((client) =>
          client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null }),
        );
    }),
    new vscode.Disposable(
      () =>
        void selection.then((watches) => {
          vscode.Disposable.from(...watches).dispose();
        }),
    ),
  ];
}

/** A command that says in plain words that it cannot do without the server. */
function register(command: string, run: (target?: vscode.Uri) => void | Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (target: unknown) => {
    try {
      await run(target instanceof vscode.Uri ? target : undefined);
    } catch (error) {
      if (!(error instanceof ServerUnavailable)) {
        throw error;
      }
      void showTrouble(error.trouble);
    }
  });
}

/** The folder that a click on an entry of the Explorer, or on a button of an editor, means. */
async function clickedFolder(target: vscode.Uri | undefined): Promise<string | undefined> {
  if (target === undefined) {
    return undefined;
  }
  const isFolder = await vscode.workspace.fs.stat(target).then(
    ({ type }) => (type & vscode.FileType.Directory) !== 0,
    () => false,
  );
  if (isFolder) {
    return target.fsPath;
  }
  return vscode.workspace.getWorkspaceFolder(target)?.uri.fsPath ?? path.dirname(target.fsPath);
}
