/** Says last of all which scenarios failed, in which step and why: CI systems often show only the end of a log. */

import type { Reporter, TestCase, TestResult, TestStep } from "@playwright/test/reporter";

/** Lines of an error's message that say what was expected and what came. */
const LINES = 6;

export default class ClosingLines implements Reporter {
  private readonly failed: string[] = [];

  onTestEnd({ title }: TestCase, { status, steps, errors }: TestResult): void {
    if (status === "passed" || status === "skipped") {
      return;
    }
    const place = [title, ...failedSteps(steps)].join(" › ");
    const [reason = status] = errors.map(({ message }) => message?.split("\n").slice(0, LINES).join("\n"));
    this.failed.push(`failed: ${place}\n${reason}`);
  }

  onEnd(): void {
    for (const text of this.failed) {
      console.log(text);
    }
  }
}

/** The titles of the scenario's own steps that failed, from the outermost to the innermost. */
function failedSteps(steps: readonly TestStep[]): string[] {
  const failed = steps.find(({ category, error }) => category === "test.step" && error !== undefined);
  return failed === undefined ? [] : [failed.title, ...failedSteps(failed.steps)];
}
