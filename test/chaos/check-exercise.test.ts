import test from 'ava';

import { checkExercise } from './check-exercise.ts';
import { FAULTS } from './faults/index.ts';

const idle = { strikes: [], failpoints: [], exercised: {} };

test('a run in which nothing happened fails', (t) => {
  const found = checkExercise({ ...idle, minutes: 1, faults: FAULTS, isWhole: true });
  const missing = found.map(({ about }) => about?.['what']);
  t.true(missing.includes('start ok'));
  t.true(missing.includes('leases that lapsed'));
  t.true(missing.includes('strikes'));
});

test('a full run fails for each fault that has not struck', (t) => {
  const strikes = FAULTS.slice(1).flatMap(({ name }) =>
    [1, 2, 3].map(() => ({ fault: name, target: 'api-1', firedAtMs: 0, healedAtMs: 1 })),
  );
  const found = checkExercise({ ...idle, minutes: 10, faults: FAULTS, isWhole: true, strikes });
  const missing = found.map(({ about }) => about?.['what']);
  t.true(missing.includes('failpoint'));
  t.false(missing.includes('kill'));
});
