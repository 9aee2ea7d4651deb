/** The tools that a chat of the editor may use. Each asks the server what the views ask it, too. */

import * as path from "node:path";
import * as vscode from "vscode";

import { messageOf } from "../errors";
import { label } from "../escaping";
import { paragraphs } from "../messages";
import {
  type AnalysisResult,
  type HandoverResult,
  ServerRequest,
  type VerifyResult,
} from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { answerOf, explanationAnswer, Tool, ToolError } from "./answers";
import { type Input, inputOf } from "./input";
import { lookAt, placeIn } from "./scope";

export interface ToolContext {
  readonly requests: ServerRequests;
  /** The folders of the migrations whose results are kept. */
  readonly results: () => Promise<readonly string[]>;
}

/** Runs a project that its user has agreed to run. */
type Run = (
  project: string,
  command: readonly string[],
  token: vscode.CancellationToken,
) => Promise<VerifyResult>;

interface Kind {
  readonly doing: (input: Input) => string;
  readonly question: (input: Input) => { readonly title: string; readonly message: string };
  readonly run: (input: Input, token: vscode.CancellationToken) => Promise<object>;
}

export function registerTools(context: ToolContext, run: Run): vscode.Disposable[] {
  const kinds: readonly [string, Kind][] = [
    [Tool.check, check(context)],
    [Tool.explain, explain(context)],
    [Tool.whatIsLeft, whatIsLeft(context)],
    [Tool.verify, verify(context, run)],
  ];
  return kinds.map(([name, kind]) => vscode.lm.registerTool(name, toolOf(kind)));
}

function check({ requests }: ToolContext): Kind {
  const { t } = vscode.l10n;
  return {
    doing: ({ paths }) => t("Looking for what does not run on an NPU in {0}", named(paths)),
    question: ({ paths }) => ({
      title: t("Check {0}?", named(paths)),
      message: t("Reads the files and changes nothing."),
    }),
    run: async ({ paths = ["."], code, ...page }, token) => {
      const client = await requests.client();
      const asked = { ...lookAt(openFolders(), paths), answer: { ...page, code, root: root() } };
      return answerOf(await client.sendRequest<AnalysisResult>(ServerRequest.analyze, asked, token));
    },
  };
}

function explain({ requests }: ToolContext): Kind {
  const { t } = vscode.l10n;
  return {
    doing: ({ name }) => t("Looking {0} up", name ?? ""),
    question: ({ name }) => ({
      title: t("Explain {0}?", name ?? ""),
      message: t("Reads the tables of the extension; no file and no network."),
    }),
    run: async ({ name = "", ...page }) => explanationAnswer(await requests.explain(name, page)),
  };
}

function whatIsLeft({ requests, results }: ToolContext): Kind {
  const { t } = vscode.l10n;
  return {
    doing: ({ project }) => t("Collecting what is left in {0}", project ?? "."),
    question: ({ project }) => ({
      title: t("List what is left in {0}?", project ?? "."),
      message: t("Reads the files and changes nothing."),
    }),
    run: async ({ project = ".", order, ...page }, token) => {
      const folder = placeIn([...openFolders(), ...(await results())], project);
      const client = await requests.client();
      const asked = { folder, answer: { ...page, order, root: root() } };
      return answerOf(await client.sendRequest<HandoverResult>(ServerRequest.handover, asked, token));
    },
  };
}

function verify({ results }: ToolContext, start: Run): Kind {
  const { t } = vscode.l10n;
  return {
    doing: ({ project }) => t("Running {0} on a simulated NPU", path.basename(project ?? ".")),
    question: ({ project, arguments: words = [] }) => ({
      title: t("Run the code of {0} on this machine?", project ?? "."),
      message: t(
        "Runs `{0}` on a simulated NPU. This executes the code of the project, and the first time installs its packages.",
        words.join(" "),
      ),
    }),
    run: async ({ project = ".", arguments: words = [] }, token) => {
      const folder = placeIn([...openFolders(), ...(await results())], project);
      if (!vscode.workspace.isTrusted) {
        throw new ToolError("The workspace is not trusted: its code is not run.");
      }
      return answerOf(await start(folder, words, token));
    },
  };
}

/** A tool of the editor. What cannot be done is an answer, too, from which a model learns what to do. */
function toolOf({ doing, question, run }: Kind): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: ({ input }) => {
      const { title, message } = question(inputOf(input));
      return {
        invocationMessage: label(doing(inputOf(input))),
        confirmationMessages: { title, message: paragraphs(message) },
      };
    },
    invoke: async ({ input }, token) => {
      const answer = await run(inputOf(input), token).catch((error: unknown) => ({
        error: messageOf(error),
      }));
      const text = JSON.stringify(answer, null, 1);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

function named(paths: readonly string[] = ["."]): string {
  return paths.join(", ");
}

/** What the paths of an answer are relative to. */
function root(): string | undefined {
  return openFolders()[0];
}

function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
}
