import test from 'ava';

import { pace, timed } from '../../console/src/api/pace.ts';

test('a reading that is slow is repeated less often', async (t) => {
  const instants = [1_000, 1_600];
  const slow = await timed(
    () => Promise.resolve('counts'),
    () => instants.shift() ?? 0,
  );
  t.is(slow.answer, 'counts');
  t.is(pace(10_000, slow), 30_000);
});

test('a fast reading, and the first one, keep their interval', (t) => {
  t.is(pace(10_000, { answer: null, tookMs: 20 }), 10_000);
  t.is(pace(10_000, undefined), 10_000);
});

test('a machine that slept during a reading does not stop it', (t) => {
  t.is(pace(10_000, { answer: null, tookMs: 8 * 3_600_000 }), 300_000);
});
