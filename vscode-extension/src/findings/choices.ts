/** What the user chooses of the view: what its rows are put together by, and what is left out of it. */

import * as vscode from "vscode";

import { type Grouping, GROUPINGS } from "./model";

/** Asks for a grouping; undefined if the question was dismissed. */
export async function pickGrouping(current: Grouping): Promise<Grouping | undefined> {
  const { t } = vscode.l10n;
  const names: Record<Grouping, string> = {
    file: t("$(file) File"),
    folder: t("$(folder) Folder"),
    way: t("$(milestone) Whether a training reaches it"),
    kind: t("$(symbol-ruler) Rule"),
    severity: t("$(warning) Severity"),
  };
  const items = GROUPINGS.map((grouping) => ({
    label: names[grouping],
    description: grouping === current ? t("now") : "",
    grouping,
  }));
  return (await vscode.window.showQuickPick(items, { title: t("Group the findings by") }))?.grouping;
}

/** Asks for a filter and tells each that is typed; the one before counts again if the question is dismissed. */
export async function typedFilter(before: string, tell: (filter: string) => void): Promise<void> {
  const { t } = vscode.l10n;
  const input = vscode.window.createInputBox();
  input.title = t("Filter the findings");
  input.placeholder = t("Words of a path, rule or message; @error, @warning, @information, @hint");
  input.value = before;
  // Rows are looked at while the filter is typed.
  input.ignoreFocusOut = true;
  let kept = before;
  input.onDidChangeValue(tell);
  input.onDidAccept(() => {
    kept = input.value.trim();
    input.hide();
  });
  await new Promise<void>((resolve) => {
    input.onDidHide(() => {
      resolve();
    });
    input.show();
  });
  input.dispose();
  tell(kept);
}
