/** The severities that a user has chosen, by rule. */

export type Severities = Readonly<Record<string, string>>;

/** With another severity for one rule; without one, the rule has its own again. */
export function withSeverity(before: Severities, code: string, severity: string | undefined): Severities {
  const others = Object.entries(before).filter(([rule]) => rule !== code);
  return Object.fromEntries(severity === undefined ? others : [...others, [code, severity]]);
}

/** The rules with those first for which a severity is set: they are what one comes back for. */
export function setFirst<Rule extends { readonly code: string }>(
  rules: readonly Rule[],
  set: Severities,
): { readonly set: readonly Rule[]; readonly others: readonly Rule[] } {
  const isSet = ({ code }: Rule) => Object.hasOwn(set, code);
  return { set: rules.filter(isSet), others: rules.filter((rule) => !isSet(rule)) };
}
