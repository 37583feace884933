import test from 'ava';

import { createTokenUsage, WRITE_EVERY_MS } from '../../../src/shared/security/token-usage.ts';

function openUsage(options: { readonly isAway?: () => boolean } = {}) {
  let now = 0;
  const written: (readonly string[])[] = [];
  const troubles: unknown[] = [];
  const usage = createTokenUsage({
    tokens: {
      async noteUsed(ids) {
        if (options.isAway?.() === true) throw new Error('away');
        written.push(ids);
      },
    },
    now: () => now,
    trouble: (error) => void troubles.push(error),
  });
  return { usage, written, troubles, pass: (ms: number) => void (now += ms) };
}

test('uses are written together, each token once', async (t) => {
  const { usage, written } = openUsage();
  for (const id of ['a', 'b', 'a', 'b', 'a']) usage.note(id);
  t.deepEqual(written, []);
  await usage.flush();
  t.deepEqual(written, [['a', 'b']]);
  await usage.flush();
  t.is(written.length, 1);
});

test('a token is written at most once a minute', async (t) => {
  const { usage, written, pass } = openUsage();
  usage.note('a');
  await usage.flush();
  pass(WRITE_EVERY_MS - 1);
  usage.note('a');
  await usage.flush();
  t.is(written.length, 1);
  pass(1);
  usage.note('a');
  await usage.flush();
  t.deepEqual(written, [['a'], ['a']]);
});

test('a use that could not be written is written with the next one', async (t) => {
  let isAway = true;
  const { usage, written, troubles } = openUsage({ isAway: () => isAway });
  usage.note('a');
  await usage.flush();
  t.is(troubles.length, 1);
  isAway = false;
  usage.note('a');
  await usage.flush();
  t.deepEqual(written, [['a']]);
});
