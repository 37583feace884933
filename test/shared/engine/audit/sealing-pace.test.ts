import test from 'ava';

import { nextPace, SEALING_BUDGET } from '../../../../src/shared/engine/audit/sealing-pace.ts';

const bounds = { itemsMin: 100, itemsMax: 1_000, roundMsMax: 60 };
const { coreShare, roundTripsPerSecond } = SEALING_BUDGET;

test('the rest makes the time of rounds the allowed share of all time', (t) => {
  const tookMs = 1_000;
  const { restMs } = nextPace({ bounds, items: 1_000, tookMs, roundTrips: 1 });
  t.is(tookMs / (tookMs + restMs), coreShare);
});

test('quick rounds rest for their round trips', (t) => {
  const roundTrips = 5;
  const { restMs } = nextPace({ bounds, items: 1_000, tookMs: 10, roundTrips });
  t.is(10 + restMs, (roundTrips * 1_000) / roundTripsPerSecond);
});

test('no rest is longer than the longest', (t) => {
  const { restMs } = nextPace({ bounds, items: 1_000, tookMs: 3_600_000, roundTrips: 1 });
  t.is(restMs, 15_000);
});

test('slow rounds halve the next window, and quick ones double it', (t) => {
  const sizes = (tookMs: number, items: number) =>
    nextPace({ bounds, items, tookMs, roundTrips: 1 }).items;
  t.is(sizes(61, 800), 400);
  t.is(sizes(40, 400), 400);
  t.is(sizes(19, 400), 800);
});

test('a window has a least and a greatest size', (t) => {
  t.is(nextPace({ bounds, items: 100, tookMs: 500, roundTrips: 1 }).items, 100);
  t.is(nextPace({ bounds, items: 1_000, tookMs: 1, roundTrips: 1 }).items, 1_000);
});
