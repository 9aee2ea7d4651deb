/** The severities that a user has chosen, by rule. */

export type Severities = Readonly<Record<string, string>>;

/** With another severity for one rule; without one, the rule has its own again. */
export function withSeverity(before: Severities, code: string, severity: string | undefined): Severities {
  const others = Object.entries(before).filter(([rule]) => rule !== code);
  return Object.fromEntries(severity === undefined ? others : [...others, [code, severity]]);
}
