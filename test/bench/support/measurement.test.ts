import test from 'ava';

import { measured, type Window } from '../../../bench/support/measurement.ts';
import { exampleWindow } from './example-measurement.ts';

const before = { cpuMicros: 1_000, walBytes: 5_000, statements: 10, pages: 0, transactions: 100 };
const after = { cpuMicros: 3_000, walBytes: 45_000, statements: 60, pages: 0, transactions: 120 };

function measure(window: Partial<Window> = {}, server: typeof before | null = before) {
  return measured({
    round: 1,
    window: exampleWindow(window),
    server: server === null ? null : { before: server, after },
    load: 1.5,
  });
}

test('counters are per unit, rates per second', (t) => {
  const measurement = measure({
    units: 200,
    executions: 20,
    seconds: 4,
    ownCpuMicros: 6_000,
    otherCpuMicros: 2_000,
  });
  t.like(measurement, {
    perSecond: 50,
    executionsPerSecond: 5,
    clientCpuMicros: 40,
    databaseCpuMicros: 10,
    walBytes: 200,
    statements: 0.25,
    writeTransactions: 0.1,
  });
});

test('without a server its counters are not known', (t) => {
  t.like(measure({}, null), {
    databaseCpuMicros: null,
    walBytes: null,
    statements: null,
    writeTransactions: null,
  });
});

test('a store of its own is the database', (t) => {
  t.is(measure({ units: 100, storeCpuMicros: 700 }).databaseCpuMicros, 7);
});
