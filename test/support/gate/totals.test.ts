import test from 'ava';
import { fileURLToPath } from 'node:url';
import { addTotals, countTotals, describeFailure, type AvaStats } from './totals.ts';

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
    { passed: 12, failed: 0, failures: [] },
    { passed: 3, failed: 1, failures: ['a.test.ts › adds'] },
  ];
  t.deepEqual(addTotals(runs), { passed: 15, failed: 1, failures: ['a.test.ts › adds'] });
});

const FILE = fileURLToPath(import.meta.url);

test('a failed test is described by its file, title, message and values', (t) => {
  const described = describeFailure({
    type: 'test-failed',
    title: 'adds',
    testFile: FILE,
    duration: 1,
    knownFailing: false,
    logs: [],
    err: {
      type: 'ava',
      name: 'AssertionError',
      message: 'the sum is wrong',
      stack: '',
      assertion: 't.is()',
      originalError: null,
      improperUsage: undefined,
      formattedCause: undefined,
      formattedDetails: [{ label: 'Difference (- actual, + expected):', formatted: '- 5\n+ 6' }],
      source: undefined,
    },
  });
  t.is(
    described,
    [
      'test/support/gate/totals.test.ts › adds',
      '  the sum is wrong',
      '  Difference (- actual, + expected): - 5',
      '  + 6',
    ].join('\n'),
  );
});

test('tests that never end are named', (t) => {
  const pendingTests = new Map([[FILE, new Set(['adds', 'subtracts'])]]);
  t.regex(
    describeFailure({ type: 'timeout', period: 1, pendingTests }) ?? '',
    /\n {2}test\/support\/gate\/totals\.test\.ts: adds, subtracts$/,
  );
});

test('a passed test is no failure', (t) => {
  t.is(describeFailure({ type: 'end' }), null);
});
