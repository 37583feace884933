/** Rules of flow control that a definition has, or a start brings. */
export const RULE_KINDS = ['concurrency', 'rate', 'debounce', 'batch'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
