import test from 'ava';

import { retryWhileMoved } from '../../../../src/shared/engine/commit/retry-while-moved.ts';
import { StoreUnavailableError } from '../../../../src/shared/store/store.ts';

test('an attempt is repeated until it gives a result', async (t) => {
  let attempts = 0;
  const result = await retryWhileMoved('execution 1', async () => {
    attempts += 1;
    return attempts < 100 ? null : { attempts };
  });
  t.deepEqual(result, { attempts: 100 });
});

test('a subject that always moves ends as unavailable, with nothing written', async (t) => {
  let attempts = 0;
  const error = await t.throwsAsync(
    retryWhileMoved('execution 1', async () => {
      attempts += 1;
      return null;
    }),
    { instanceOf: StoreUnavailableError, message: 'execution 1 changes too fast; try again' },
  );
  t.false(error.ambiguous);
  t.is(attempts, 500);
});

test('an error of an attempt ends the repetition', async (t) => {
  let attempts = 0;
  const failing = retryWhileMoved('execution 1', async () => {
    attempts += 1;
    throw new Error('refused');
  });
  await t.throwsAsync(failing, { message: 'refused' });
  t.is(attempts, 1);
});
