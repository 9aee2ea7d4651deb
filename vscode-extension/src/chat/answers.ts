/** What the tools of a chat answer: short, with the number to go on with. */

import type {
  AnalysisResult,
  CompletedVerification,
  Explanation,
  Finding,
  Handover,
  HandoverResult,
  SeverityName,
  VerifyResult,
} from "../server/protocol";

/** The tools, by the names that the manifest has. */
export const Tool = {
  check: "gpu2ascend_check",
  explain: "gpu2ascend_explain",
  whatIsLeft: "gpu2ascend_what_is_left",
  verify: "gpu2ascend_verify",
} as const;

/** Characters of a text in one answer, some 2,000 tokens. */
const TEXT = 6_000;
const SEVERITIES: readonly SeverityName[] = ["error", "warning", "information", "hint"];

/** Where an answer begins, and how much it has. */
export interface Page {
  readonly offset?: number;
  readonly limit?: number;
}

/** A request of a tool that was not done. Its text is for the model, which can do something about it. */
export class ToolError extends Error {}

/** Findings, those on the way of the training first, of these the gravest. */
export function checkAnswer(result: AnalysisResult, code: string | undefined, page: Page): object {
  const { findings, problems } = completed(result);
  const wanted = findings
    .filter((finding) => finding.code.startsWith(code ?? ""))
    .toSorted((one, other) => gravity(one) - gravity(other));
  const counts = SEVERITIES.map((name) => [name, wanted.filter(({ severity }) => severity === name).length]);
  return {
    counts: Object.fromEntries(counts) as object,
    ...pageOf("findings", wanted.map(short), page, 20),
    not_examined: problems.map(({ file, message }) => `${file}: ${message}`),
  };
}

/** Work orders, the next one first. */
export function leftAnswer(result: HandoverResult, page: Page): object {
  const { torch, hardware, target, orders, not_examined, done } = completed<Handover>(result);
  return { torch, hardware, target, ...pageOf("orders", orders, page, 3), not_examined, done };
}

/** A page about a rule or an API. */
export function explanationAnswer(
  { name, kind, markdown, close }: Explanation,
  { offset = 0 }: Page,
): object {
  if (kind === null) {
    const like = close.length === 0 ? "" : ` Similar: ${close.join(", ")}.`;
    throw new ToolError(`Nothing is known of ${name}.${like}`);
  }
  const piece = markdown.slice(offset, offset + TEXT);
  const end = offset + piece.length < markdown.length ? piece.lastIndexOf("\n") + 1 : 0;
  const text = end > 0 ? piece.slice(0, end) : piece;
  const next = offset + text.length;
  return { text, next_offset: next < markdown.length ? next : null };
}

/** How a run on a simulated NPU ended. */
export function verifyAnswer(result: VerifyResult): object {
  const { verdict, passed, failure, problems, page } = completed<CompletedVerification>(result);
  const found = problems.map(({ path, range, severity, message, code }) => ({
    ...{ path, line: range.start.line + 1 },
    ...{ severity, message, code },
  }));
  return { passed, verdict, failure, problems: found.slice(0, 10), report: page };
}

/** The result of a request that was done. */
function completed<Done>(
  result: (Done & { readonly status: "completed" }) | { readonly status: "failed" | "cancelled" },
): Done {
  if (result.status === "completed") {
    return result;
  }
  throw new ToolError("message" in result ? String(result.message) : "It was cancelled.");
}

function pageOf(name: string, items: readonly unknown[], page: Page, usual: number): object {
  const { offset = 0, limit = usual } = page;
  const next = offset + limit;
  return {
    total: items.length,
    [name]: items.slice(offset, next),
    next_offset: next < items.length ? next : null,
  };
}

function gravity({ onTheWay, severity }: Finding): number {
  return (onTheWay === false ? SEVERITIES.length : 0) + SEVERITIES.indexOf(severity);
}

/** What is of use of a finding. */
function short({
  path,
  range,
  cell,
  code,
  severity,
  message,
  api,
  onTheWay,
  fix,
  applicability,
}: Finding): object {
  return {
    ...{ path, line: range.start.line + 1, cell },
    ...{ code, severity, message, api, on_the_way: onTheWay ?? true },
    fix: applicability === "manual" ? null : { applicability, message: fix ?? null },
  };
}
