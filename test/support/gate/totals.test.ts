import test from 'ava';
import { addTotals, countTotals, type AvaStats } from './totals.ts';

const NOTHING: AvaStats = {
  byFile: new Map(),
  declaredTests: 0,
  failedHooks: 0,
  failedTests: 0,
  failedWorkers: 0,
  files: 0,
  parallelRuns: undefined,
  finishedWorkers: 0,
  internalErrors: 0,
  remainingTests: 0,
  passedKnownFailingTests: 0,
  passedTests: 0,
  selectedTests: 0,
  sharedWorkerErrors: 0,
  skippedTests: 0,
  timedOutTests: 0,
  timeouts: 0,
  todoTests: 0,
  uncaughtExceptions: 0,
  unhandledRejections: 0,
};

test('totals are what ava counted', (t) => {
  const stats = { ...NOTHING, passedTests: 12, failedTests: 3 };
  t.deepEqual(countTotals(stats), { passed: 12, failed: 3 });
});

for (const kind of [
  'failedHooks',
  'failedWorkers',
  'timedOutTests',
  'uncaughtExceptions',
  'unhandledRejections',
  'unexpectedProcessExits',
  'internalErrors',
] as const) {
  test(`totals: ${kind} are failures`, (t) => {
    t.is(countTotals({ ...NOTHING, [kind]: 2 }).failed, 2);
  });
}

test('totals of several runs are added', (t) => {
  const runs = [
    { passed: 12, failed: 0 },
    { passed: 3, failed: 1 },
  ];
  t.deepEqual(addTotals(runs), { passed: 15, failed: 1 });
});
