import test from 'ava';

import {
  BUDGET_GROWTH,
  nextFactor,
  nextPace,
  SEALING_BUDGET,
  USUAL_BUDGET,
} from '../../../../src/shared/engine/audit/sealing-pace.ts';

const bounds = { itemsMin: 100, itemsMax: 1_000, roundMsMax: 60 };
const { coreShare, roundTripsPerSecond } = SEALING_BUDGET;

test('the rest makes the time of rounds the allowed share of all time', (t) => {
  const tookMs = 1_000;
  const { restMs } = nextPace({ bounds, items: 1_000, tookMs, roundTrips: 1, factor: 1 });
  t.is(tookMs / (tookMs + restMs), coreShare);
});

test('quick rounds rest for their round trips', (t) => {
  const roundTrips = 5;
  const { restMs } = nextPace({ bounds, items: 1_000, tookMs: 10, roundTrips, factor: 1 });
  t.is(10 + restMs, (roundTrips * 1_000) / roundTripsPerSecond);
});

test('no rest is longer than the longest', (t) => {
  const { restMs } = nextPace({
    bounds,
    items: 1_000,
    tookMs: 3_600_000,
    roundTrips: 1,
    factor: 1,
  });
  t.is(restMs, 15_000);
});

test('slow rounds halve the next window, and quick ones double it', (t) => {
  const sizes = (tookMs: number, items: number) =>
    nextPace({ bounds, items, tookMs, roundTrips: 1, factor: 1 }).items;
  t.is(sizes(61, 800), 400);
  t.is(sizes(40, 400), 400);
  t.is(sizes(19, 400), 800);
});

test('a window has a least and a greatest size', (t) => {
  t.is(nextPace({ bounds, items: 100, tookMs: 500, roundTrips: 1, factor: 1 }).items, 100);
  t.is(nextPace({ bounds, items: 1_000, tookMs: 1, roundTrips: 1, factor: 1 }).items, 1_000);
});

test('a budget of four times takes one core, and four times the round trips', (t) => {
  const pace = (tookMs: number, roundTrips: number) =>
    nextPace({ bounds, items: 1_000, tookMs, roundTrips, factor: BUDGET_GROWTH.factorMax });
  t.is(pace(1_000, 1).restMs, 0);
  t.is(10 + pace(10, 4).restMs, 4_000 / (4 * roundTripsPerSecond));
});

const { everyMs, factorMax, lagMsMin, lowerBy } = BUDGET_GROWTH;

/** The factor after rounds that leave these lags, one each time that they are compared. */
function factorAfter(lags: readonly number[], more = true): number {
  let budget = USUAL_BUDGET;
  for (const [index, behindMs] of lags.entries()) {
    budget = nextFactor(budget, { now: index * everyMs, behindMs, more, factorMax });
  }
  return budget.factor;
}

test('the budget grows while a lag grows, up to a bound', (t) => {
  t.is(factorAfter([lagMsMin + 1, lagMsMin + 2]), 2);
  t.is(factorAfter([lagMsMin + 1, lagMsMin + 2, lagMsMin + 3, lagMsMin + 4]), factorMax);
});

test('a lag that gets smaller needs no more than the budget, however large it is', (t) => {
  const hour = 3_600_000;
  t.is(factorAfter([hour, hour - 1, hour - 2]), 1);
  t.is(factorAfter([hour, hour + 1, hour - 1]), 2 / lowerBy);
});

test('the usual lag does not let the budget grow', (t) => {
  t.is(factorAfter([60_000, 90_000, 100_000]), 1);
});

test('the budget is the usual one when nothing is left to seal, and stays where another seals', (t) => {
  const grown = nextFactor(
    { factor: 4, compared: { at: 0, behindMs: lagMsMin } },
    { now: everyMs, behindMs: null, more: true, factorMax },
  );
  t.is(grown.factor, 4);
  const round = { now: 2 * everyMs, behindMs: 60_000, more: false, factorMax };
  t.is(nextFactor(grown, round).factor, 1);
});

test('the lag is not compared with each round', (t) => {
  const begun = { factor: 1, compared: { at: 0, behindMs: lagMsMin + 1 } };
  const round = { now: everyMs - 1, behindMs: lagMsMin + 9_000, more: true, factorMax };
  t.is(nextFactor(begun, round).factor, 1);
});
