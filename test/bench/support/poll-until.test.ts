import test from 'ava';

import { pollUntil } from '../../../bench/support/poll-until.ts';

test('asks until the answer is yes, and no further', async (t) => {
  let asked = 0;
  const what = 'three were asked';
  await pollUntil(() => (asked += 1) === 3, { what, everyMs: 1, withinMs: 10_000 });
  t.is(asked, 3);
});

test('gives up with what it was waiting for, and never without having asked', async (t) => {
  let asked = 0;
  const waiting = pollUntil(
    () => {
      asked += 1;
      return false;
    },
    { what: 'the server is ready', everyMs: 1, withinMs: 0 },
  );
  await t.throwsAsync(waiting, { message: 'not within 0 ms: the server is ready' });
  t.true(asked >= 1);
});
