/** What is done around the server's own commands, which lenses and light bulbs run, and its actions. */

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

import { Command } from "../commands";
import type { ExplanationPages } from "../explain";
import { mayWrite } from "../migrate/inPlace";
import { isRecord } from "../records";
import { type Explanation, ServerCommand } from "./protocol";

export function commandMiddleware(pages: ExplanationPages): Middleware {
  return {
    provideCodeActions: async (document, range, context, token, next) => {
      const actions = await next(document, range, context, token);
      return vscode.workspace.isTrusted ? actions : actions?.filter((action) => !isOfWholeFile(action));
    },
    executeCommand: async (command, args, next) => {
      switch (command) {
        case ServerCommand.explain: {
          // The page is shown here; the server need not.
          const named = (args as { name: string }[]).map(({ name }) => ({ name }));
          const explanation = (await next(command, named)) as Explanation;
          await pages.show(explanation);
          return explanation;
        }
        case ServerCommand.migrateFile:
          // Changes are shown and applied here, where it is known what became of them.
          return await vscode.commands.executeCommand(Command.migrateFile, targetOf(args));
        case ServerCommand.previewMigration:
          return await vscode.commands.executeCommand(Command.previewInPlace, targetOf(args));
        case ServerCommand.verifyProject:
          // What runs is asked for and shown here, whoever runs the server's command.
          return await vscode.commands.executeCommand(Command.verifyProject);
        case ServerCommand.migrateProject:
          return mayWrite() ? ((await next(command, args)) as unknown) : undefined;
        default:
          return (await next(command, args)) as unknown;
      }
    },
  };
}

/** Whether it is one that an editor runs by itself, when it saves. */
function isOfWholeFile(action: vscode.Command | vscode.CodeAction): boolean {
  return (
    action instanceof vscode.CodeAction &&
    action.kind !== undefined &&
    vscode.CodeActionKind.Source.contains(action.kind)
  );
}

/** The document that a lens of the server is for. */
function targetOf(args: readonly unknown[]): vscode.Uri | undefined {
  const [first] = args;
  const uri = isRecord(first) ? first.uri : undefined;
  return typeof uri === "string" ? vscode.Uri.parse(uri) : undefined;
}
