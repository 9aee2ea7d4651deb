/** Messages about the server's troubles, each with a way out. */

import * as vscode from "vscode";

import { explainRejection } from "../python/explain";
import type { ServerSession } from "../server/session";
import { showTrouble, troubleOf } from "./trouble";

/** Reports a trouble once, when it begins. */
export function tellTroubles(session: ServerSession, log: vscode.LogOutputChannel): vscode.Disposable {
  return session.onDidChangeState((state) => {
    if (state.kind === "noPython") {
      state.reasons.rejections.map(explainRejection).forEach((line) => {
        log.error(line);
      });
    }
    if (state.kind === "noPython" || state.kind === "crashed") {
      void showTrouble(troubleOf(state));
    }
  });
}
