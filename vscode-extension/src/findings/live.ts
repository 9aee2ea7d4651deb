/** The findings of an analysis, kept true while files change: what the server says of a file replaces what was known. */

import type { Position, Range } from "vscode-languageclient";

import type { Finding, SeverityName } from "../server/protocol";

/** What the server reports of a file, or of a cell, at the moment. */
export interface Reported {
  readonly code: string;
  readonly message: string;
  readonly severity: SeverityName;
  readonly range: Range;
  readonly kind: string;
  readonly applicability: Finding["applicability"];
  readonly fix: string | null;
}

/** What findings are in. */
export interface FileOf {
  readonly file: string;
  /** Relative to its folder, with `/`. */
  readonly path: string;
  /** Of a notebook, the cell, counted from 1; else null. */
  readonly cell: number | null;
}

/** A rule, as its findings name it. */
export interface RuleOf {
  readonly name: string;
  readonly family: string;
}

/** A change of a text: a range of it, and what takes its place. */
export interface TextChange {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

export class Findings {
  private readonly files = new Map<string, readonly Finding[]>();

  constructor(findings: readonly Finding[] = []) {
    for (const finding of findings) {
      const known = this.files.get(finding.file) as Finding[] | undefined;
      if (known === undefined) {
        this.files.set(finding.file, [finding]);
      } else {
        known.push(finding);
      }
    }
  }

  get all(): readonly Finding[] {
    return [...this.files.values()].flat();
  }

  /** The files that have any. */
  get names(): readonly string[] {
    return [...this.files.keys()];
  }

  of(file: string): readonly Finding[] {
    return this.files.get(file) ?? [];
  }

  /**
   * Takes over what is reported of a file, or of a cell of a notebook. What only the whole project shows stays:
   * no report has it.
   *
   * @returns whether anything is another now.
   */
  replace(
    { file, path, cell }: FileOf,
    reported: readonly Reported[],
    rules: ReadonlyMap<string, RuleOf>,
  ): boolean {
    const before = this.of(file);
    const isMeant = (finding: Finding): boolean => (finding.cell ?? null) === cell;
    const told = new Set(reported.map(({ code, range }) => JSON.stringify([code, range.start])));
    const isAlone = ({ code, range }: Finding): boolean => !told.has(JSON.stringify([code, range.start]));
    const staying = before.filter(
      (finding) => !isMeant(finding) || (finding.proven === true && isAlone(finding)),
    );
    // How a file is reached is known of the project; a report of the file does not say it.
    const { onTheWay, reachedFrom } = before[0] ?? {};
    const reached = onTheWay === undefined ? {} : { onTheWay, reachedFrom: reachedFrom ?? [] };
    const apis = new Map(before.filter(isMeant).map((finding) => [keyOf(finding), finding.api]));
    const now = reported.map((item): Finding => {
      const { name = "", family = "" } = rules.get(item.code) ?? {};
      const api = apis.get(keyOf(item)) ?? null;
      return { ...item, ...reached, family, rule: name, api, file, path, cell, proven: false };
    });
    return this.set(file, [...staying, ...now]);
  }

  /** Moves what no report has with the text around it; what stands in changed text goes. */
  edit(file: string, cell: number | null, changes: readonly TextChange[]): boolean {
    const before = this.of(file);
    const moved = before.flatMap((finding) => {
      const isConcerned = finding.proven === true && (finding.cell ?? null) === cell;
      const range = isConcerned ? movedBy(finding.range, changes) : finding.range;
      return range === undefined ? [] : [range === finding.range ? finding : { ...finding, range }];
    });
    return this.set(file, moved);
  }

  /** Forgets files; whether there were any. */
  forget(isGone: (file: string) => boolean): boolean {
    const gone = this.names.filter(isGone);
    for (const file of gone) {
      this.files.delete(file);
    }
    return gone.length > 0;
  }

  /** Forgets what only the whole project has shown of a file. */
  forgetProven(file: string): boolean {
    return this.set(
      file,
      this.of(file).filter(({ proven }) => proven !== true),
    );
  }

  private set(file: string, findings: readonly Finding[]): boolean {
    const before = this.of(file);
    if (findings.length === before.length && signatures(findings) === signatures(before)) {
      return false;
    }
    if (findings.length === 0) {
      this.files.delete(file);
    } else {
      this.files.set(file, findings);
    }
    return true;
  }
}

/** A range after changes of the text; undefined where one of them touches its lines. */
export function movedBy(range: Range, changes: readonly TextChange[]): Range | undefined {
  let { start, end } = range;
  // Those of one event are about the same text; the last ones first, none moves what is above it.
  const upwards = changes.toSorted((one, other) => other.range.start.line - one.range.start.line);
  for (const { range: old, text } of upwards) {
    if (old.start.line > end.line) {
      continue;
    }
    const isAbove = old.end.line < start.line || (old.end.line === start.line && old.end.character === 0);
    if (!isAbove) {
      return undefined;
    }
    const lines = text.split("\n").length - 1 - (old.end.line - old.start.line);
    start = { ...start, line: start.line + lines };
    end = { ...end, line: end.line + lines };
  }
  return start === range.start ? range : { start, end };
}

function keyOf({ code, severity, message }: Pick<Finding, "code" | "severity" | "message">): string {
  return JSON.stringify([code, severity, message]);
}

/** What a view shows of findings, whatever their order. */
function signatures(findings: readonly Finding[]): string {
  return findings
    .map(({ code, message, severity, range, cell, applicability, fix, proven }) =>
      JSON.stringify([
        ...[code, message, severity, cell ?? null, applicability, fix ?? null, proven === true],
        ...[range.start.line, range.start.character, range.end.line, range.end.character],
      ]),
    )
    .toSorted()
    .join("\n");
}
