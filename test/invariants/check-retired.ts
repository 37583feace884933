import { executionOf, idOf, TABLES, type Rows } from './as-last-seen.ts';
import type { Dump } from './dump.ts';
import { violations, type Violation } from './violation.ts';

/** A removed execution is gone from every table, and one that is gone was removed. */
export function checkRetired(dumps: readonly Dump[]): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const retired = new Set((last.retired_executions ?? []).map(executionOf));
  const there = new Set(last.executions.map(({ id }) => id));
  return [
    ...violations('what was removed is gone from every table', retired, (id) => {
      const left = TABLES.filter((table) => (last[table] as Rows).some((row) => idOf(row) === id));
      return left.length === 0 ? null : { about: { execution: id }, saw: left.join(', ') };
    }),
    ...violations(
      'an execution that is gone was removed by retention',
      dumps.flatMap((dump) => dump.executions.map(({ id }) => id)),
      (id) =>
        there.has(id) || retired.has(id)
          ? null
          : { about: { execution: id }, saw: 'it is nowhere any more' },
    ),
  ];
}
