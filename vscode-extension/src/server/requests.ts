/** Asking the server, in words of this extension. */

import type * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import type { ServerSession } from "./session";
import {
  type AnswerRequest,
  type Explanation,
  type FolderOptions,
  type PreviewResult,
  type RuleSummary,
  ServerCommand,
  type Validation,
} from "./protocol";
import { type Trouble, troubleOf } from "../status/trouble";
import { serverWork } from "./work";

/** The server cannot be asked: it is not running, and does not come to. */
export class ServerUnavailable extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.text);
  }
}

export class ServerRequests {
  constructor(private readonly session: ServerSession) {}

  /**
   * The client, once the server is up.
   *
   * @throws ServerUnavailable if it does not come up.
   */
  async client(): Promise<LanguageClient> {
    const client = await this.session.whenSettled();
    if (client === undefined) {
      throw new ServerUnavailable(troubleOf(this.session.state));
    }
    return client;
  }

  options(folder: string | undefined): Promise<FolderOptions> {
    return this.execute(ServerCommand.options, folder === undefined ? {} : { folder });
  }

  validate(options: unknown): Promise<Validation> {
    return this.execute(ServerCommand.validateOptions, { options });
  }

  /** The safe changes of a file. */
  migrateFile(uri: vscode.Uri): Promise<PreviewResult> {
    return this.work(ServerCommand.migrateFile, { uri: uri.toString(), apply: false });
  }

  async rules(): Promise<readonly RuleSummary[]> {
    const { rules } = await this.execute<{ rules: readonly RuleSummary[] }>(ServerCommand.rules, {});
    return rules;
  }

  /** What runs and what it checks by; nothing in it is looked at, it is shown as it is. */
  status(): Promise<Record<string, unknown>> {
    return this.execute(ServerCommand.status, {});
  }

  explain(name: string, answer?: AnswerRequest): Promise<Explanation> {
    return this.execute(ServerCommand.explain, { name, answer });
  }

  /** Has a command executed during which the server is needed. */
  private async work<T>(command: string, argument: object): Promise<T> {
    const client = await this.client();
    return await serverWork.during(() => send<T>(client, command, argument));
  }

  private async execute<T>(command: string, argument: object): Promise<T> {
    return await send<T>(await this.client(), command, argument);
  }
}

async function send<T>(client: LanguageClient, command: string, argument: object): Promise<T> {
  return (await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] })) as T;
}
