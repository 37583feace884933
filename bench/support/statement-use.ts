/** What one statement has been called and has cost so far, by its text. */
export type StatementUse = ReadonlyMap<string, { readonly calls: number; readonly ms: number }>;

export const STATEMENT_HEAD = ['calls', 'database ms', 'statement'] as const;

const SHOWN = 14;
const TEXT_MAX = 110;

/** The statements between two readings, those called most first: calls and time for each unit. */
export function statementRows(given: {
  readonly before: StatementUse;
  readonly after: StatementUse;
  readonly units: number;
}): readonly (readonly string[])[] {
  const { before, after, units } = given;
  return [...after]
    .map(([text, use]) => {
      const was = before.get(text);
      return { text, calls: use.calls - (was?.calls ?? 0), ms: use.ms - (was?.ms ?? 0) };
    })
    .filter(({ calls }) => calls > 0)
    .toSorted((left, right) => right.calls - left.calls)
    .slice(0, SHOWN)
    .map(({ text, calls, ms }) => [
      (calls / units).toFixed(3),
      (ms / units).toFixed(4),
      text.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX),
    ]);
}
