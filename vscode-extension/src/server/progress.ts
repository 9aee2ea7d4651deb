/** A long request of the server, shown as a notification with a bar, the current file and Cancel. */

import * as vscode from "vscode";
import {
  ErrorCodes,
  ResponseError,
  WorkDoneProgress,
  WorkDoneProgressCancelNotification,
  type LanguageClient,
} from "vscode-languageclient/node";

import { label } from "../escaping";
import { serverWork } from "./work";

let tokens = 0;

/** Sends a request with a new token; what the server reports under it is what is shown. */
export async function requestWithProgress<Result>(
  client: LanguageClient,
  method: string,
  parameters: object,
  title: string,
): Promise<Result> {
  tokens += 1;
  const workDoneToken = `gpu2ascend-${process.pid}-${tokens}`;
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, cancellation) => {
      const percent = new Percent(progress);
      const reports = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind !== "end") {
          percent.report(value.percentage, value.message);
        }
      });
      const cancel = cancellation.onCancellationRequested(() => {
        progress.report({ message: vscode.l10n.t("cancelling…") });
        void client.sendNotification(WorkDoneProgressCancelNotification.type, { token: workDoneToken });
      });
      try {
        return await serverWork.during(() =>
          client.sendRequest<Result>(method, { ...parameters, workDoneToken }),
        );
      } catch (error) {
        throw isLost(error) ? new Error(vscode.l10n.t("The server ended before it was done.")) : error;
      } finally {
        reports.dispose();
        cancel.dispose();
      }
    },
  );
}

/** Whether there is no answer because the server, or the connection to it, has ended. */
function isLost(error: unknown): boolean {
  const { PendingResponseRejected, MessageWriteError } = ErrorCodes;
  const codes: readonly number[] = [PendingResponseRejected, MessageWriteError];
  return error instanceof ResponseError && codes.includes(error.code);
}

/** Turns percentages, as the server gives them, into steps, as the editor wants them. */
class Percent {
  private done = 0;

  constructor(private readonly progress: vscode.Progress<{ message?: string; increment?: number }>) {}

  report(percentage: number | undefined, message: string | undefined): void {
    const increment = Math.max(0, (percentage ?? this.done) - this.done);
    this.done += increment;
    const share = `${Math.round(this.done)}%`;
    this.progress.report(
      message === undefined ? { increment } : { increment, message: label(`${share} · ${message}`) },
    );
  }
}
