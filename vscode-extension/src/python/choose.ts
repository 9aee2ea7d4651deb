/** Choosing the interpreter that the server runs on: the first candidate that can. */

import { messageOf } from "../errors";
import type { PythonCommand, PythonFacts } from "./start";

/** Where the server's code comes from. */
export type ImportStrategy = "useBundled" | "fromEnvironment";

/** The oldest Python that the server runs on. */
export const OLDEST_PYTHON = [3, 10] as const;

/** An interpreter that may be used, and who proposed it. */
export interface Candidate {
  readonly source: CandidateSource;
  readonly command: PythonCommand;
}

export type CandidateSource = "setting" | "pythonEnvironments" | "pythonExtension" | "path";

/** Why a candidate is not used. Texts for people are made from it elsewhere. */
export type Rejection =
  | { readonly kind: "unstartable"; readonly candidate: Candidate; readonly reason: string }
  | { readonly kind: "tooOld"; readonly candidate: Candidate; readonly facts: PythonFacts }
  | { readonly kind: "notBundledFor"; readonly candidate: Candidate; readonly facts: PythonFacts };

/** The interpreter that is used. */
export interface Choice {
  readonly kind: "chosen";
  readonly candidate: Candidate;
  readonly facts: PythonFacts;
  /** Each falls back to the other server where its own is not there: a newer Python may have one of its own. */
  readonly strategy: ImportStrategy;
}

export interface NoChoice {
  readonly kind: "none";
  readonly rejections: readonly Rejection[];
}

/** What the choice needs of the world. */
export interface ChoiceContext {
  readonly strategy: ImportStrategy;
  readonly probe: (command: PythonCommand) => Promise<PythonFacts>;
  /** Whether the bundled server has native modules for such an interpreter. */
  readonly bundledFor: (facts: PythonFacts) => boolean;
}

/**
 * Takes the first candidate that can run the server.
 *
 * What the user set is never replaced by another: if it cannot be used, nothing is.
 */
export async function choosePython(
  candidates: AsyncIterable<Candidate>,
  context: ChoiceContext,
): Promise<Choice | NoChoice> {
  const rejections: Rejection[] = [];
  for await (const candidate of candidates) {
    const result = await examine(candidate, context);
    if (result.kind === "chosen") {
      return result;
    }
    rejections.push(result);
    if (candidate.source === "setting") {
      break;
    }
  }
  return { kind: "none", rejections };
}

async function examine(candidate: Candidate, context: ChoiceContext): Promise<Choice | Rejection> {
  let facts: PythonFacts;
  try {
    facts = await context.probe(candidate.command);
  } catch (error) {
    return { kind: "unstartable", candidate, reason: messageOf(error) };
  }
  if (isOlder(facts.version, OLDEST_PYTHON)) {
    return { kind: "tooOld", candidate, facts };
  }
  const isBundled = context.bundledFor(facts);
  if (facts.hasServer && (context.strategy === "fromEnvironment" || !isBundled)) {
    return { kind: "chosen", candidate, facts, strategy: "fromEnvironment" };
  }
  if (!isBundled) {
    return { kind: "notBundledFor", candidate, facts };
  }
  return { kind: "chosen", candidate, facts, strategy: "useBundled" };
}

function isOlder(version: readonly number[], than: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version;
  return major < than[0] || (major === than[0] && minor < than[1]);
}

/** The interpreters to try on PATH, by the habits of the platform. */
export function pathCommands(platform: NodeJS.Platform): PythonCommand[] {
  const plain = (program: string): PythonCommand => ({ program, args: [] });
  const launcher = { program: "py", args: ["-3"] };
  return platform === "win32"
    ? [launcher, plain("python"), plain("python3")]
    : [plain("python3"), plain("python"), launcher];
}
