/** The task `gpu2ascend: migrate`: a migration in the terminal, by the values in tasks.json. */

import * as vscode from "vscode";

import { defaultOutput } from "../migrate/output";
import { type ServerRequests, ServerUnavailable } from "../server/requests";
import type { ServerSession } from "../server/session";
import { taskArguments } from "./commandLine";

export const TASK_TYPE = "gpu2ascend";

export class MigrateTasks implements vscode.TaskProvider {
  constructor(
    private readonly session: ServerSession,
    private readonly requests: ServerRequests,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /**
   * For each folder a migration to the place beside it; tasks.json says what else is wanted.
   *
   * None without a server, and no error, which would keep the editor from listing the tasks of anybody.
   */
  async provideTasks(): Promise<vscode.Task[]> {
    try {
      return await this.ofFolders();
    } catch (error) {
      if (!(error instanceof ServerUnavailable)) {
        this.log.warn(`no tasks: ${String(error)}`);
      }
      return [];
    }
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const { scope } = task;
    const folder = typeof scope === "object" ? scope : vscode.workspace.workspaceFolders?.[0];
    return task.definition.task === "migrate" ? await this.task(task.definition, folder) : undefined;
  }

  private async ofFolders(): Promise<vscode.Task[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const tasks = folders.map((folder) => {
      const { fsPath } = folder.uri;
      const definition = {
        type: TASK_TYPE,
        task: "migrate",
        inputPath: fsPath,
        outputPath: defaultOutput(fsPath),
      };
      return this.task(definition, folder);
    });
    return (await Promise.all(tasks)).filter((task) => task !== undefined);
  }

  private async task(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
  ): Promise<vscode.Task | undefined> {
    const { schema } = await this.requests.options(folder?.uri.fsPath);
    const start = this.session.commandLine(taskArguments(definition, schema.properties));
    if (start === undefined) {
      return undefined;
    }
    const execution = new vscode.ProcessExecution(start.command, [...start.args]);
    const scope = folder ?? vscode.TaskScope.Workspace;
    const task = new vscode.Task(definition, scope, "migrate", TASK_TYPE, execution, ["$gpu2ascend"]);
    task.detail = vscode.l10n.t("Migrate the project to Ascend NPUs");
    return task;
  }
}
