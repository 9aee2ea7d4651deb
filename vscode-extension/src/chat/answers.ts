/** What the tools of a chat answer: what the server makes of a result, in the shape that its MCP server has, too. */

import type { Answer, AnswerRequest, Explanation } from "../server/protocol";

/** The tools, by the names that the manifest has. */
export const Tool = {
  check: "gpu2ascend_check",
  explain: "gpu2ascend_explain",
  whatIsLeft: "gpu2ascend_what_is_left",
  verify: "gpu2ascend_verify",
} as const;

/** Which part of an answer is wanted. */
export type Page = Pick<AnswerRequest, "offset" | "limit">;

/** A request of a tool that was not done. Its text is for the model, which can do something about it. */
export class ToolError extends Error {}

/** The answer that a result has. */
export function answerOf(
  result:
    { readonly status: "completed"; readonly answer?: Answer } | { readonly status: "failed" | "cancelled" },
): Answer {
  if (result.status === "completed") {
    return result.answer ?? {};
  }
  throw new ToolError("message" in result ? String(result.message) : "It was cancelled.");
}

/** A page about a rule or an API. */
export function explanationAnswer({ name, kind, close, answer }: Explanation): Answer {
  if (kind === null) {
    const like = close.length === 0 ? "" : ` Similar: ${close.join(", ")}.`;
    throw new ToolError(`Nothing is known of ${name}.${like}`);
  }
  return answer ?? {};
}
