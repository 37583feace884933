import test from 'ava';
import type { JsonValue } from '../../../../../src/shared/domain/json.ts';
import { parseDuration } from '../../../../../src/shared/domain/workflow/parse/parse-duration.ts';

const DURATIONS: readonly (readonly [JsonValue, number | null])[] = [
  [0, 0],
  [2, 2_000],
  [0.25, 250],
  ['500ms', 500],
  ['2s', 2_000],
  [' 1.5 s ', 1_500],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  [315_360_000, 315_360_000_000],
  [315_360_001, null],
  [-1, null],
  ['-1s', null],
  ['5', null],
  ['5 minutes', null],
  ['1e3s', null],
  ['', null],
  [true, null],
  [null, null],
  [[], null],
];

for (const [value, ms] of DURATIONS) {
  test(`${JSON.stringify(value)} is ${ms === null ? 'no duration' : `${ms} ms`}`, (t) => {
    t.is(parseDuration(value), ms);
  });
}
