/** What is kept of the last run of a migrated project on a simulated NPU. */

import { isRecord } from "../records";
import type { CompletedVerification, VerifyProblem } from "../server/protocol";

export interface VerifyRecord {
  readonly passed: boolean;
  readonly verdict: string;
  /** The first error as `file.py:LINE: Type: text`; empty where there is none. */
  readonly error: string;
  readonly ran: number;
  readonly lines: number;
  /** When the run ended, in milliseconds since the epoch. */
  readonly at: number;
  /** The files that took part, relative to the project, with `/`. */
  readonly files: readonly string[];
  readonly problems: readonly VerifyProblem[];
}

/** How a project stands, as the result page shows it. */
export type Verification =
  | { readonly state: "none" | "running" }
  | {
      readonly state: "passed" | "failed" | "stale";
      readonly verdict: string;
      readonly error: string;
      readonly ran: number;
      readonly lines: number;
    };

/** More files than these are not looked at again when the window is opened. */
const FILES = 500;

export function recordOf(result: CompletedVerification, at: number): VerifyRecord {
  const { failure, coverage } = result;
  const place = failure?.place ?? null;
  const where = place === null ? "" : `${place.path}:${place.line}: `;
  const [said = ""] = failure?.text.split("\n") ?? [];
  return {
    passed: result.passed,
    verdict: result.verdict,
    error: failure === null ? "" : `${where}${failure.type}: ${said}`,
    ran: coverage.ran,
    lines: coverage.lines,
    at,
    files: coverage.files.slice(0, FILES).map(({ path }) => path),
    problems: result.problems,
  };
}

export function verificationOf(record: VerifyRecord, isStale: boolean): Verification {
  const { passed, verdict, error, ran, lines } = record;
  return { state: isStale ? "stale" : passed ? "passed" : "failed", verdict, error, ran, lines };
}

/** The runs that were kept, if they still have the form that they should have. */
export function keptRecords(value: unknown): Map<string, VerifyRecord> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, VerifyRecord] => isVerifyRecord(entry[1])));
}

function isVerifyRecord(value: unknown): value is VerifyRecord {
  if (!isRecord(value)) {
    return false;
  }
  const { passed, verdict, error, ran, lines, at, files, problems } = value;
  return (
    typeof passed === "boolean" &&
    [verdict, error].every((text) => typeof text === "string") &&
    [ran, lines, at].every((number) => typeof number === "number") &&
    Array.isArray(files) &&
    Array.isArray(problems)
  );
}
