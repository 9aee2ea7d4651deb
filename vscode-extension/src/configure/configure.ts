/** Settings that are chosen from lists, so that nobody has to write JSON. */

import * as vscode from "vscode";

import { Command } from "../commands";
import type { RuleSummary } from "../server/protocol";
import type { ServerRequests } from "../server/requests";
import { label } from "../escaping";
import { clearSetting, SECTION } from "../settings";
import { setFirst, type Severities, withSeverity } from "./severities";

/** From the gravest to none. */
const SEVERITIES = ["error", "warning", "information", "hint"] as const;

type RuleItem = vscode.QuickPickItem & { readonly code: string };

interface Subject extends vscode.QuickPickItem {
  readonly run: (() => unknown) | undefined;
}

/** Asks what is to be set, and then for its value. */
export async function configure(requests: ServerRequests): Promise<void> {
  const { t } = vscode.l10n;
  const folder = await chosenFolder();
  if (folder === undefined && (vscode.workspace.workspaceFolders ?? []).length > 0) {
    return;
  }
  const section = vscode.workspace.getConfiguration(SECTION, folder);
  const isEnabled = section.get<boolean>("enable", true);
  const isOfWorkspace = section.get("diagnosticMode") !== "openFilesOnly";
  const subjects: Subject[] = [
    {
      label: t("$(circuit-board) PyTorch version and hardware"),
      run: () => vscode.commands.executeCommand(Command.selectTarget),
    },
    { label: t("$(eye-closed) Rules to ignore"), run: () => chooseIgnored(requests, folder) },
    { label: t("$(warning) Severity of a rule"), run: () => chooseSeverity(requests, folder) },
    { label: t("$(file-code) File of custom rules"), run: () => chooseRuleFile(folder) },
    {
      label: isOfWorkspace
        ? t("$(files) Report problems of open files only")
        : t("$(files) Report problems of the whole workspace"),
      run: () => update(folder, "diagnosticMode", isOfWorkspace ? "openFilesOnly" : "workspace"),
    },
    {
      label: isEnabled ? t("$(circle-slash) Switch off here") : t("$(check) Switch on here"),
      run: () => update(folder, "enable", !isEnabled),
    },
    {
      label: t("$(gear) All settings"),
      run: () =>
        vscode.commands.executeCommand("workbench.action.openSettings", `@ext:gpu2ascend.gpu2ascend`),
    },
  ];
  const picked = await vscode.window.showQuickPick(subjects, { title: t("PyTorch GPU2Ascend: Configure") });
  await picked?.run?.();
}

/** The folder that is set, where there is a choice; undefined where there is none, or it was dismissed. */
async function chosenFolder(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  return folder?.uri;
}

async function chooseIgnored(requests: ServerRequests, folder: vscode.Uri | undefined): Promise<void> {
  const { t } = vscode.l10n;
  const section = vscode.workspace.getConfiguration(SECTION, folder);
  const before = section.get<readonly string[]>("ignore", []);
  const rules = await requests.rules();
  const known = new Set(rules.map(({ code }) => code));
  const items = rules.map((rule) => ({ ...itemOf(rule), picked: before.includes(rule.code) }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("Rules to ignore"),
    placeHolder: t("Type a code, a name or a word of what a rule is about"),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined) {
    // Prefixes and names of rules, which are no items of the list, stay.
    const others = before.filter((entry) => !known.has(entry));
    await update(folder, "ignore", [...others, ...picked.map(({ code }) => code)]);
  }
}

/** Switches a rule off in a folder, or for the user where there is none. */
export async function ignoreRule(folder: vscode.Uri | undefined, code: string): Promise<void> {
  const before = vscode.workspace.getConfiguration(SECTION, folder).get<readonly string[]>("ignore", []);
  if (!before.includes(code)) {
    await update(folder, "ignore", [...before, code]);
  }
}

async function chooseSeverity(requests: ServerRequests, folder: vscode.Uri | undefined): Promise<void> {
  const { t } = vscode.l10n;
  const before = vscode.workspace.getConfiguration(SECTION, folder).get<Severities>("severities", {});
  const rule = await vscode.window.showQuickPick(severityItems(await requests.rules(), before), {
    title: t("Set the Severity of a Rule (1/2)"),
    placeHolder: t("Type a code, a name or a word of what a rule is about"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (rule === undefined) {
    return;
  }
  const now = before[rule.code];
  const choices = [...SEVERITIES, undefined].map((severity) => ({
    label: severity ?? t("as the rule has it"),
    severity,
    ...(severity === now ? { description: t("$(check) set") } : {}),
  }));
  const picked = await vscode.window.showQuickPick(choices, {
    title: t("Severity of {0} (2/2)", rule.code),
    placeHolder: rule.detail ?? "",
  });
  if (picked !== undefined) {
    await update(folder, "severities", withSeverity(before, rule.code, picked.severity));
  }
}

/** The rules to choose from, below a heading those that have a severity already, with it. */
function severityItems(rules: readonly RuleSummary[], before: Severities): RuleItem[] {
  const { t } = vscode.l10n;
  const { set, others } = setFirst(rules, before);
  const heading = (text: string) => ({ label: text, kind: vscode.QuickPickItemKind.Separator, code: "" });
  const chosen = set.map((rule) => {
    const item = itemOf(rule);
    return { ...item, description: `${item.description ?? ""}  $(edit) ${before[rule.code] ?? ""}` };
  });
  return set.length === 0
    ? others.map(itemOf)
    : [heading(t("Set")), ...chosen, heading(t("Others")), ...others.map(itemOf)];
}

async function chooseRuleFile(folder: vscode.Uri | undefined): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: false,
    filters: { JSON: ["json"] },
    openLabel: vscode.l10n.t("Use These Rules"),
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  if (chosen?.[0] !== undefined) {
    await update(folder, "customRule", vscode.workspace.asRelativePath(chosen[0], false));
  }
}

function itemOf({ code, name, summary }: RuleSummary): RuleItem {
  return { label: code, description: label(name), detail: label(summary), code };
}

/** Writes a setting of a folder; what is the default again is removed. */
async function update(folder: vscode.Uri | undefined, name: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration(SECTION, folder);
  if (JSON.stringify(section.inspect(name)?.defaultValue) === JSON.stringify(value)) {
    await clearSetting(name, folder);
    return;
  }
  const { Global, WorkspaceFolder } = vscode.ConfigurationTarget;
  await section.update(name, value, folder === undefined ? Global : WorkspaceFolder);
}
