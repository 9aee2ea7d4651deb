/**
 * What the server is asked and what it answers. docs/lsp.md of the server is the reference; the parameters of
 * a migration are generated from its schema (options.generated.ts).
 */

import type { Range, WorkspaceEdit } from "vscode-languageclient";

import type { MigrationParameters } from "./options.generated";

/** Commands of the server (`workspace/executeCommand`). */
export const ServerCommand = {
  options: "gpu2ascend.options",
  validateOptions: "gpu2ascend.validateOptions",
  previewMigration: "gpu2ascend.previewMigration",
  migrateFile: "gpu2ascend.migrateFile",
  migrateProject: "gpu2ascend.migrateProject",
  analyzeProject: "gpu2ascend.analyzeProject",
  verifyProject: "gpu2ascend.verifyProject",
  handover: "gpu2ascend.handover",
  explain: "gpu2ascend.explain",
  rules: "gpu2ascend.rules",
  status: "gpu2ascend.status",
} as const;

/** A rule, to choose from. */
export interface RuleSummary {
  readonly code: string;
  readonly name: string;
  readonly family: string;
  /** One sentence. */
  readonly summary: string;
}

/** Requests of the server's own, whose progress belongs to the client. */
export const ServerRequest = {
  migrate: "gpu2ascend/migrate",
  analyze: "gpu2ascend/analyze",
  preview: "gpu2ascend/preview",
  finishPreview: "gpu2ascend/finishPreview",
  verify: "gpu2ascend/verify",
  handover: "gpu2ascend/handover",
} as const;

/** What the server sends by itself. */
export const ServerNotification = {
  verifyOutput: "gpu2ascend/verifyOutput",
} as const;

/** One option, as a form shows it. */
export interface OptionSchema {
  readonly title: string;
  readonly description: string;
  readonly type: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly default?: unknown;
  readonly group: string;
  readonly dependsOn?: Readonly<Record<string, unknown>>;
  /** Options with the values that leave this one without an effect: it is of another target. */
  readonly noEffectWith?: Readonly<Record<string, readonly unknown[]>>;
  readonly control?: "path-file" | "path-directory";
  /** False where a migration has in its reports anyway what the option adds to the findings of a check. */
  readonly ofMigration?: boolean;
  /** The topic of a guide that says more, for `explain`. */
  readonly guide?: string;
  readonly flags?: readonly string[];
}

export interface OptionGroup {
  readonly id: string;
  readonly title: string;
}

/** A PyTorch version with the reason for it: where it was found in a project, or why it is proposed. */
export interface Detected {
  readonly version: string;
  readonly message: string;
  /** Whether it counts, as nobody chose a version. */
  readonly isTaken?: boolean;
}

/** All options, whatever the project. */
export interface OptionCatalogue {
  readonly versions: readonly string[];
  readonly groups: readonly OptionGroup[];
  readonly schema: {
    readonly properties: Readonly<Record<string, OptionSchema>>;
    readonly required: readonly string[];
  };
}

/** The answer of `gpu2ascend.options`: the options, and what is known of a folder. */
export interface FolderOptions extends OptionCatalogue {
  readonly folder: string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly detected: Detected | null;
  /** What a form preselects: the version found, else the one that fits the project best. */
  readonly proposedVersion: Detected | null;
  readonly outputName: string | null;
  readonly problem: string | null;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
  /** The field that allows what was refused. */
  readonly allowedBy: string | null;
}

/** The answer of `gpu2ascend.validateOptions`. */
export interface Validation {
  readonly errors: readonly FieldError[];
  readonly notices: readonly string[];
  readonly target: string | null;
  /** The version found in the project that is to be migrated. */
  readonly detected: Detected | null;
  readonly proposedVersion: Detected | null;
  /** Values that the code proposes, by field, the likeliest first. */
  readonly proposals: Readonly<Record<string, readonly string[]>>;
}

export type SeverityName = "error" | "warning" | "information" | "hint";

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly severity: SeverityName;
  /** `unsupported`, `unknown`, `cuda_op`, `advice`, or another, or empty. */
  readonly kind: string;
  readonly family: string;
  /** The name of the rule; absent in what an earlier release has kept. */
  readonly rule?: string;
  readonly api: string | null;
  readonly applicability: "safe" | "unsafe" | "manual";
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly file: string;
  /** In a notebook, in the cell. */
  readonly range: Range;
  /** Of a notebook, the cell, counted from 1; else null. */
  readonly cell: number | null;
  /** Whether its file is on the way of the training; what an earlier release has kept does not say. */
  readonly onTheWay?: boolean;
  /** The entries that reach its file, best first. */
  readonly reachedFrom?: readonly string[];
  /** Of an analysis: what the fix does, or null. */
  readonly fix?: string | null;
  /** Of an analysis: whether only the rest of the project shows it, so that the editor does not report it. */
  readonly proven?: boolean;
}

export interface ChangedFile {
  readonly path: string;
  readonly original: string;
  readonly migrated: string;
  readonly status: string;
  readonly edits: number;
  readonly problem: string | null;
}

export interface MigrationSummary {
  readonly files: number;
  readonly pythonFiles: number;
  readonly changedFiles: number;
  readonly edits: number;
  /** Those of the edits that put an equivalent in the place of an unsupported API. */
  readonly replaced: number;
  readonly unsupported: number;
  readonly unknown: number;
  readonly cudaOps: number;
  readonly errors: number;
  readonly warnings: number;
  readonly information: number;
  readonly hints: number;
  readonly leftToYou: number;
  /** Those of the errors that no training reaches; what an earlier release has kept does not say. */
  readonly errorsBeside?: number;
}

/** What may be said of a migrated project. */
export interface Verdict {
  readonly state: "blocked" | "undecided" | "open" | "migrated";
  readonly text: string;
  readonly details: readonly string[];
}

/** A file beside the migrated project that documents the migration. */
export interface Report {
  readonly name: string;
  readonly path: string;
  readonly kind: "log" | "table" | "page" | "file";
}

/** A migration that has written its output. */
export interface CompletedMigration {
  readonly status: "completed";
  readonly isComplete: boolean;
  /** A result kept by an earlier release has none. */
  readonly verdict?: Verdict;
  readonly version: string;
  readonly hardware: string;
  /** What it was made for, as texts say it; a result kept by an earlier release has none. */
  readonly madeFor?: string;
  /** Whether it runs on the simulated NPU; a result kept by an earlier release does not say. */
  readonly isSimulated?: boolean;
  readonly inputPath: string;
  readonly outputPath: string;
  readonly summary: MigrationSummary;
  readonly reports: readonly Report[];
  readonly notices: readonly string[];
  /** What the project still needs, in order, with the command for it; a result kept by an earlier release has none. */
  readonly steps?: readonly { readonly id: string; readonly command: string }[];
  readonly files: readonly ChangedFile[];
  readonly findings: readonly Finding[];
}

export type MigrationResult =
  | CompletedMigration
  | { readonly status: "invalid"; readonly errors: readonly FieldError[] }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "cancelled" };

export interface CompletedAnalysis {
  readonly status: "completed";
  readonly answer?: Answer;
  readonly folders: readonly {
    readonly path: string;
    readonly version: string | null;
    readonly problem: string | null;
  }[];
  readonly summary: Record<"files" | "errors" | "warnings" | "information" | "hints", number>;
  readonly findings: readonly Finding[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

export type AnalysisResult =
  | CompletedAnalysis
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "cancelled" };

/** What is left as work orders; docs/work-orders.schema.json has their keys. */
export interface Handover {
  readonly torch: string;
  readonly hardware: string;
  readonly target: string;
  readonly orders: readonly object[];
  readonly not_examined: readonly object[];
  readonly done: readonly object[];
  /** The orders and the rules for them, as a text for a chat. */
  readonly prompt: string;
}

export type HandoverResult =
  | (Handover & { readonly status: "completed"; readonly answer?: Answer })
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "cancelled" };

/** Something that a run on a simulated NPU found in a line of the project. */
export interface VerifyProblem {
  readonly path: string;
  readonly file: string;
  readonly range: Range;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The rule that explains it. */
  readonly code: string | null;
  /** The URI of that rule's page. */
  readonly page: string | null;
  readonly related: readonly { readonly file: string; readonly range: Range; readonly message: string }[];
}

/** A run that came to its end; docs/verify.md has the other keys. */
export interface CompletedVerification {
  readonly status: "completed";
  readonly answer?: Answer;
  readonly verdict: string;
  readonly passed: boolean;
  readonly failure: {
    readonly type: string;
    readonly text: string;
    readonly place: { readonly path: string; readonly line: number } | null;
  } | null;
  readonly coverage: {
    readonly ran: number;
    readonly lines: number;
    readonly files: readonly { readonly path: string }[];
  };
  /** The report page that was filled in. */
  readonly page: string | null;
  readonly problems: readonly VerifyProblem[];
}

export type VerifyResult =
  | CompletedVerification
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "cancelled" };

export interface PreviewResult {
  readonly status: string;
  readonly changes: number;
  readonly files: number;
  readonly message?: string;
  /** What to change; null where there is nothing. */
  readonly edit: WorkspaceEdit | null;
  /** Notebooks that are not open. */
  readonly leftOut: readonly string[];
  /** Files that were not examined, or not as a whole. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

/** What a selection of a preview's changes still needs. */
export interface FinishedPreview {
  readonly edit: WorkspaceEdit | null;
}

/** What is wanted of the answer of a tool; docs/lsp.md has the meanings. */
export interface AnswerRequest {
  readonly offset?: number;
  readonly limit?: number;
  readonly code?: string;
  readonly order?: string;
  readonly root?: string;
}

/** What a tool answers, in the shape that the MCP server has: nothing here looks at it. */
export type Answer = object;

export interface Explanation {
  readonly answer?: Answer;
  readonly name: string;
  readonly kind: "rule" | "api" | null;
  readonly markdown: string;
  readonly close: readonly string[];
}

export interface MigrateRequestParameters {
  readonly options: MigrationParameters;
  readonly workDoneToken?: string;
}
