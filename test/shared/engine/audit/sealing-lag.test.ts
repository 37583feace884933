import test from 'ava';

import { createAuditSealing } from '../../../../src/shared/engine/audit/audit-sealing.ts';
import { BUDGET_GROWTH } from '../../../../src/shared/engine/audit/sealing-pace.ts';
import type { AuditStore } from '../../../../src/shared/store/audit.ts';
import type { Dialect } from '../../../support/database.ts';

/*
 * An hour of a steady load in virtual time. The store is a model of the real ones: a window costs what
 * bench/scale/sealing.ts has measured, and entries are recorded at a steady rate.
 */

const MS = { item: 0.018, roundTrip: 2 };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Entries a second: more than the usual budget seals, and about what commits sustain. */
const RATES = { postgres: 30_000, sqlite: 20_000 };
const ROUND_TRIPS = { postgres: 4, sqlite: 1 };
const FINAL_MS = { postgres: 60_000, sqlite: 0 };

for (const dialect of ['postgres', 'sqlite'] satisfies Dialect[]) {
  test(`${dialect}: the lag of a steady load stays bounded, and grows without end within the usual budget`, async (t) => {
    const grown = await sealForAnHour(dialect, BUDGET_GROWTH.factorMax);
    const usual = await sealForAnHour(dialect, 1);
    t.log(
      `${RATES[dialect]} entries/s: the lag after an hour is ${minutes(grown.lastMs)}, at most ${minutes(grown.longestMs)}; ` +
        `${minutes(usual.lastMs)} within the usual budget`,
    );
    t.true(grown.longestMs < 5 * MINUTE_MS);
    t.true(usual.lastMs > 15 * MINUTE_MS);
    t.is(usual.lastMs, usual.longestMs);
  });
}

const minutes = (ms: number): string => `${(ms / MINUTE_MS).toFixed(1)} min`;

async function sealForAnHour(dialect: Dialect, factorMax: number) {
  let now = 0;
  let sealedUntil = -FINAL_MS[dialect];
  let longestMs = 0;
  const perMs = RATES[dialect] / 1_000;
  const roundTrips = ROUND_TRIPS[dialect];
  const audit: Pick<AuditStore, 'seal'> = {
    async seal({ itemsMax }) {
      const horizon = now - FINAL_MS[dialect];
      const items = Math.min(itemsMax, Math.floor((horizon - sealedUntil) * perMs));
      sealedUntil += items / perMs;
      const more = horizon - sealedUntil > 1;
      const behindMs = now - sealedUntil;
      now += items * MS.item + roundTrips * MS.roundTrip;
      return { items, more, behindMs, roundTrips };
    },
  };
  const sealing = createAuditSealing({ dialect, audit }, { now: () => now }, { factorMax });
  while (now < HOUR_MS) {
    const { restMsMin = 1_000 } = await sealing.round();
    now += restMsMin;
    longestMs = Math.max(longestMs, now - sealedUntil);
  }
  return { lastMs: now - sealedUntil, longestMs };
}
