/** Calls and cost of each statement so far, by its text. */
export type StatementUse = ReadonlyMap<string, StatementCost>;

export interface StatementCost {
  readonly calls: number;
  readonly ms: number;
  /** The number of times it was planned; a prepared statement with a generic plan needs none. */
  readonly plans: number;
  readonly planMs: number;
}

export const STATEMENT_HEAD = ['calls', 'run ms', 'plans', 'plan ms', 'statement'] as const;

const SHOWN = 14;
const TEXT_MAX = 110;

/** The statements between two readings, most called first; all figures are per unit. */
export function statementRows(given: {
  readonly before: StatementUse;
  readonly after: StatementUse;
  readonly units: number;
}): readonly (readonly string[])[] {
  const { before, after, units } = given;
  const grown = (text: string, use: StatementCost): StatementCost => {
    const was = before.get(text);
    return {
      calls: use.calls - (was?.calls ?? 0),
      ms: use.ms - (was?.ms ?? 0),
      plans: use.plans - (was?.plans ?? 0),
      planMs: use.planMs - (was?.planMs ?? 0),
    };
  };
  return [...after]
    .map(([text, use]) => ({ text, ...grown(text, use) }))
    .filter(({ calls }) => calls > 0)
    .toSorted((left, right) => right.calls - left.calls)
    .slice(0, SHOWN)
    .map(({ text, calls, ms, plans, planMs }) => [
      (calls / units).toFixed(3),
      (ms / units).toFixed(4),
      (plans / units).toFixed(3),
      (planMs / units).toFixed(4),
      text.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX),
    ]);
}
