/** What the buttons of the result page do that depends on the reports of a result. */

import type { CompletedMigration } from "../server/protocol";
import type { FromResult } from "./protocol";

/** What opens the report that is a page for people; undefined where the result names none. */
export function openingReport({ reports }: Pick<CompletedMigration, "reports">): FromResult | undefined {
  const index = reports.findIndex(({ kind }) => kind === "page");
  return index >= 0 ? { type: "openReport", index } : undefined;
}

/** What shows the log: the migration's own, else that of the extension. */
export function showingLog({ reports }: Pick<CompletedMigration, "reports">): FromResult {
  const index = reports.findIndex(({ kind }) => kind === "log");
  return index >= 0 ? { type: "openReport", index } : { type: "showLog" };
}
