import test from 'ava';

import { createDice } from '../simulation/dice.ts';
import { judgeTrend, quantileOf, type Reading } from './trend.ts';

const HOUR = 3_600_000;
const MIB = 1_048_576;
const BOUND = { absolute: 24 * MIB, share: 0.15 };

test('a value that rises and falls stays flat', (t) => {
  const trend = judgeTrend(series({ growth: 0 }), { durationMs: HOUR, bound: BOUND });
  t.true(trend?.isFlat);
  t.is(trend?.readings, 120);
});

test('growth beyond the bound does not, although it rises and falls as much', (t) => {
  const trend = judgeTrend(series({ growth: 60 * MIB }), { durationMs: HOUR, bound: BOUND });
  t.false(trend?.isFlat);
  t.true(Math.abs((trend?.growth ?? 0) - 60 * MIB) < 15 * MIB, `${trend?.growth}`);
});

test('a process that grows in each of its lives does not stay flat by being restarted', (t) => {
  const lives = series({ growth: 0 }).map((reading, index) => ({
    ...reading,
    life: String(Math.floor(index / 20)),
    value: reading.value + (index % 20) * 2 * MIB,
  }));
  t.false(judgeTrend(lives, { durationMs: HOUR, bound: BOUND })?.isFlat);
});

test('a few readings while something was broken are no trend', (t) => {
  const readings = series({ growth: 0 }).map((reading, index) =>
    index > 105 ? { ...reading, value: reading.value * 4 } : reading,
  );
  t.true(judgeTrend(readings, { durationMs: HOUR, bound: BOUND })?.isFlat);
});

test('a handful of readings says nothing', (t) => {
  t.is(judgeTrend(series({ growth: 0 }).slice(0, 4), { durationMs: HOUR, bound: BOUND }), null);
});

test('quantiles are by the nearest rank', (t) => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  t.deepEqual(
    [quantileOf(values, 0.5), quantileOf(values, 0.99), quantileOf(values, 1)],
    [50, 99, 100],
  );
});

/** A reading every 30 s for one hour, around 150 MiB, like those of a heap. */
function series({ growth }: { readonly growth: number }): readonly Reading[] {
  const dice = createDice('heap');
  return Array.from({ length: 120 }, (_, index) => ({
    atMs: (index * HOUR) / 120,
    value: 150 * MIB + dice.fraction() * 20 * MIB + (growth * index) / 120,
    life: 'one',
  }));
}
