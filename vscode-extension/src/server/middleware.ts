/** What is done around the server's own commands, which lenses and light bulbs run. */

import type { ExecuteCommandMiddleware } from "vscode-languageclient/node";

import type { ExplanationPages } from "../explain";
import { mayWrite, tell } from "../migrate/inPlace";
import { type Explanation, type PreviewResult, ServerCommand } from "./protocol";

export function commandMiddleware(pages: ExplanationPages): ExecuteCommandMiddleware {
  return {
    executeCommand: async (command, args, next) => {
      switch (command) {
        case ServerCommand.explain: {
          const explanation = (await next(command, args)) as Explanation;
          await pages.show(explanation);
          return explanation;
        }
        case ServerCommand.migrateFile:
        case ServerCommand.previewMigration: {
          if (!mayWrite()) {
            return undefined;
          }
          const result = (await next(command, args)) as PreviewResult;
          tell(result);
          return result;
        }
        case ServerCommand.migrateProject:
          return mayWrite() ? ((await next(command, args)) as unknown) : undefined;
        default:
          return (await next(command, args)) as unknown;
      }
    },
  };
}
