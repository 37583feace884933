import test from 'ava';

import { checkExercise } from './check-exercise.ts';
import { FAULTS } from './faults/index.ts';

const idle = { strikes: [], failpoints: [], exercised: {} };

function missingIn(of: Partial<Parameters<typeof checkExercise>[0]>) {
  const run = { ...idle, minutes: 10, faults: FAULTS, isWhole: true, ...of };
  const { violations, unexercised } = checkExercise(run);
  return { fails: violations.map(({ about }) => about?.['what']), unexercised };
}

test('a run in which nothing happened fails', (t) => {
  for (const minutes of [1, 2]) {
    const { fails } = missingIn({ minutes });
    t.true(fails.includes('start ok'));
    t.true(fails.includes('strikes'));
  }
  t.true(missingIn({ minutes: 10 }).fails.includes('leases that lapsed'));
  t.true(missingIn({ minutes: 10 }).fails.includes('retries begun'));
});

test('a short run says what is missing that chance may leave out, and does not fail for it', (t) => {
  const { fails, unexercised } = missingIn({ minutes: 2 });
  t.false(fails.includes('retries begun'));
  t.true(unexercised.includes('retries begun: 0 times, usually at least 1'));
  t.deepEqual(
    missingIn({ minutes: 2, exercised: { 'retries begun': 1 } }).unexercised,
    unexercised.filter((line) => !line.startsWith('retries begun')),
  );
  t.false(missingIn({ minutes: 10 }).unexercised.some((line) => line.startsWith('retries begun')));
});

test('a full run fails for each fault that has not struck', (t) => {
  const strikes = FAULTS.slice(1).flatMap(({ name }) =>
    [1, 2, 3].map(() => ({ fault: name, target: 'api-1', firedAtMs: 0, healedAtMs: 1 })),
  );
  const { fails } = missingIn({ minutes: 10, strikes });
  t.true(fails.includes('failpoint'));
  t.false(fails.includes('kill'));
});
