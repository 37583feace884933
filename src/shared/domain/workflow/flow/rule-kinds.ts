/** Rules that decide when an execution begins. */
export const BEGINNING_KINDS = ['concurrency', 'rate', 'debounce', 'batch'] as const;
export type BeginningKind = (typeof BEGINNING_KINDS)[number];

/** Rules of flow control that a definition has, or a start brings. */
export const RULE_KINDS = [...BEGINNING_KINDS, 'fairness'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
