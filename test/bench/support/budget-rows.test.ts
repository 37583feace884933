import test from 'ava';

import { type Gate, judge } from '../../../bench/gates.ts';
import { BUDGET_HEAD, budgetRows } from '../../../bench/support/budget-rows.ts';
import { exampleMeasurement } from './example-measurement.ts';

const resultOf = (
  id: string,
  given: { readonly extra?: Readonly<Record<string, number>> } = {},
) => ({
  id,
  subject: 'svc',
  what: 'ten steps',
  unit: 'steps',
  // In both rounds 100 units a second, with 1 000 µs of the clients and 500 of the database.
  rounds: [1, 2].map((round) => ({
    ...exampleMeasurement(round, { ...given, otherCpuMicros: 100_000 }),
    databaseCpuMicros: 500,
  })),
  failures: [],
});

const gate = (workload: string, figure: number, rateOf?: string): Gate => ({
  workload,
  asks: '≥ 2 × another',
  figure: () => figure,
  bound: { atLeast: 2 },
  ...(rateOf !== undefined && { rateOf }),
});

function rowsOf(results: Parameters<typeof budgetRows>[0], gates: readonly Gate[]) {
  return budgetRows(results, judge(gates, new Map())).map((row) =>
    Object.fromEntries(BUDGET_HEAD.map((name, index) => [name, row[index]])),
  );
}

test('missed gates of a rate leave a unit less time than it takes', (t) => {
  const results = [resultOf('W10/16', { extra: { runtime_cpu_micros: 600 } })];
  const gates = [gate('W10/16', 1, 'svc W10/16'), gate('W10/16', 0.5, 'svc W10/16')];
  t.deepEqual(rowsOf(results, gates), [
    {
      workload: 'W10/16',
      'engine CPU µs': '600',
      'database CPU µs': '500',
      'all CPU µs': '1 500',
      cores: '2',
      'without a pause /s': '1 333',
      'made /s': '100',
      'asked /s': '200–400',
      'asked leaves µs': '5 000–10 000',
    },
  ]);
});

test('one execution in flight uses one core at a time', (t) => {
  const [row] = rowsOf([resultOf('W10/1')], [gate('W10/1', 1, 'svc W10/1')]);
  t.like(row, { cores: '1', 'engine CPU µs': '1 000', 'without a pause /s': '667' });
  t.is(row?.['asked leaves µs'], '5 000');
});

test('gates that pass, or that judge no rate, have no line', (t) => {
  const gates = [gate('W10/16', 3, 'svc W10/16'), gate('W10/16', 1)];
  t.deepEqual(rowsOf([resultOf('W10/16')], gates), []);
});
