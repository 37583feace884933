import test from 'ava';

import { quantile, ratios, spread } from '../../../bench/support/statistics.ts';

test('a quantile is a value of the list', (t) => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  t.is(quantile(sorted, 0.5), 51);
  t.is(quantile(sorted, 0.99), 100);
  t.is(quantile(sorted, 1), 100);
  t.is(quantile([7], 0.5), 7);
  t.is(quantile([], 0.5), 0);
});

test('the middle of an even number of rounds is the mean of the two in the middle', (t) => {
  t.deepEqual(spread([3, 1, 2]), { median: 2, min: 1, max: 3 });
  t.deepEqual(spread([4, 1, 2, 10]), { median: 3, min: 1, max: 10 });
  t.is(spread([]), null);
});

test('ratios are taken within a round, and a round that lacks one half has none', (t) => {
  const above = new Map([
    [1, 10],
    [2, 40],
    [3, 9],
    [4, 1],
  ]);
  const below = new Map([
    [1, 5],
    [2, 10],
    [4, 0],
  ]);
  t.deepEqual(ratios(above, below), [2, 4]);
});
