import test from 'ava';

import { MischiefMaker } from '../../../../bin/commands/worker-check/mischief-maker.ts';

const UNAVAILABLE = { answer: { status: 503 } };
const LOST = { lose: 'request' } as const;

test('the time of a mischief begins with the first call that it is meant for', (t) => {
  const mischief = new MischiefMaker([{ on: { kind: 'claim' }, for_ms: 400, do: UNAVAILABLE }]);

  // A worker that registers first may take long to come to its first claim.
  t.is(mischief.take('register', [], 1_000), null);
  t.is(mischief.take('claim', [], 2_000), UNAVAILABLE);
  t.is(mischief.take('claim', [], 2_400), UNAVAILABLE);
  t.is(mischief.take('claim', [], 2_401), null);
});

test('the times of two mischiefs for the same calls begin together', (t) => {
  const mischief = new MischiefMaker([
    { on: { kind: 'claim' }, for_ms: 100, do: UNAVAILABLE },
    { on: { kind: 'claim' }, for_ms: 300, do: LOST },
  ]);

  t.deepEqual(
    [500, 600, 601, 800, 801].map((now) => mischief.take('claim', [], now)),
    [UNAVAILABLE, UNAVAILABLE, LOST, LOST, null],
  );
});

test('a mischief of an item leaves the calls of other items alone, and ends after its count', (t) => {
  const mischief = new MischiefMaker([
    { on: { kind: 'complete', item: 'a' }, first: 1, do: UNAVAILABLE },
  ]);

  t.is(mischief.take('complete', ['b'], 1), null);
  t.is(mischief.take('complete', ['a'], 2), UNAVAILABLE);
  t.is(mischief.take('complete', ['a'], 3), null);
});

test('a mischief of claims with an item waits until the claim gets that item', (t) => {
  const mischief = new MischiefMaker([
    { on: { kind: 'claim', item: 'a' }, first: 1, do: { lose: 'answer' } },
  ]);

  t.is(mischief.take('claim', [], 1), null);
  t.deepEqual(mischief.take('claim', ['a', 'b'], 2), { lose: 'answer' });
});
