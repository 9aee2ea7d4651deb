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

/** A token that no other request has. */
export function newToken(): string {
  tokens += 1;
  return `gpu2ascend-${process.pid}-${tokens}`;
}

/** Another way to follow and to cancel a request, beside its notification. */
export interface Companion {
  readonly token: string;
  readonly stops: readonly vscode.Event<unknown>[];
}

/** Sends a request with a token; what the server reports under it is what is shown. */
export async function requestWithProgress<Result>(
  client: LanguageClient,
  method: string,
  parameters: object,
  title: string,
  companion?: Companion,
): Promise<Result> {
  const workDoneToken = companion?.token ?? newToken();
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, cancellation) => {
      const percent = new Percent(progress);
      const reports = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind !== "end") {
          percent.report(value.percentage, value.message);
        }
      });
      const stop = (): void => {
        progress.report({ message: vscode.l10n.t("cancelling…") });
        void client.sendNotification(WorkDoneProgressCancelNotification.type, { token: workDoneToken });
      };
      const cancel = vscode.Disposable.from(
        cancellation.onCancellationRequested(stop),
        ...(companion?.stops ?? []).map((event) => event(stop)),
      );
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
    const share = percentage === undefined ? "" : `${Math.round(this.done)}% · `;
    this.progress.report(
      message === undefined ? { increment } : { increment, message: label(`${share}${message}`) },
    );
  }
}
