import test from 'ava';

import {
  nextWindows,
  SURVEYED_WINDOWS,
} from '../../../../src/shared/engine/retention/survey-pace.ts';

test('quick readings double, slow ones halve, others stay', (t) => {
  t.is(nextWindows(40, 5), 80);
  t.is(nextWindows(40, 100), 40);
  t.is(nextWindows(40, 900), 20);
});

test('readings have a least and a greatest size', (t) => {
  const { min, max } = SURVEYED_WINDOWS;
  t.is(nextWindows(min, 10_000), min);
  t.is(nextWindows(max, 0), max);
});
