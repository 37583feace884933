import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { quotaQueueName } from '../../../../src/shared/domain/work/quota.ts';
import { createQuotaAdmission } from '../../../../src/shared/engine/scheduling/admit-quota-items.ts';
import { keyOfTopic } from '../../../../src/shared/engine/wake/wake-for.ts';
import type { ClaimedItem, Store } from '../../../../src/shared/store/store.ts';
import { openTestStore } from '../../../support/stores.ts';
import { claim, commitOne, settleOf } from '../../store/contract/drive.ts';
import { makePlan, makeTenantId } from '../../store/contract/make.ts';
import { claimKeys, keyOf, queue, repeat } from '../../store/contract/work/fair-items.ts';
import { expectShares } from '../../store/contract/work/fair-turns.ts';

/*
 * Keys of fairness below a quota: each waits on a queue of its own. For places and tokens they take
 * turns without weights. Weights decide among the items that have a place.
 */

const WEIGHTS = fc.array(fc.constantFrom(0.5, 1, 3), { minLength: 2, maxLength: 4 });
const OPTIONS = { numRuns: 5, endOnFailure: true, includeErrorInReport: true };

type Limits = Pick<Parameters<typeof quotaQueueName>[0], 'limit' | 'rate'>;

const LIMITS: Readonly<Record<string, fc.Arbitrary<Limits>>> = {
  concurrency: fc.integer({ min: 1, max: 5 }).map((limit) => ({ limit, rate: null })),
  rate: fc.integer({ min: 1, max: 4 }).map((burst) => ({
    limit: null,
    rate: { key: null, limit: 500, perMs: 1_000, burst },
  })),
};

/** Which key gets items before a round, how many, and how many of those with workers end after it. */
const ROUNDS = fc.array(fc.record({ key: fc.nat(3), count: fc.nat(6), ends: fc.nat(5) }), {
  minLength: 5,
  maxLength: 15,
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const [kind, limits] of Object.entries(LIMITS)) {
    test(`${dialect}: keys below a quota of ${kind} take turns without weights`, async (t) => {
      const database = await openTestStore(dialect);
      t.teardown(database.close);
      await fc.assert(
        fc.asyncProperty(WEIGHTS, limits, ROUNDS, async (weights, of, rounds) => {
          const line = openLine(database.store, weights, of);
          for (const { key, count, ends } of rounds) {
            await line.add(key % weights.length, count);
            await line.admit(t);
            await line.end(ends);
          }
          for (let round = 0; line.waiting() > 0 && round < ROUNDS_MAX; round += 1) {
            await line.admit(t);
            await line.end(1);
          }
          await line.end(Infinity);
          t.is(line.waiting(), 0);
        }),
        OPTIONS,
      );
    });
  }

  test(`${dialect}: weights decide among the items that have a place`, async (t) => {
    const database = await openTestStore(dialect);
    t.teardown(database.close);
    const { store } = database;
    await fc.assert(
      fc.asyncProperty(WEIGHTS, async (weights) => {
        const tenantId = makeTenantId();
        const queueName = nameOf({ limit: 1_000, rate: null });
        for (const [index, weight] of weights.entries()) {
          await queue(store, tenantId, repeat(`${index}`, CLAIMS), { weight, queueName });
        }
        await openAdmission(store).round();
        expectShares(t, weights, await claimKeys(store, tenantId, CLAIMS));
      }),
      OPTIONS,
    );
  });
}

const CLAIMS = 40;
/** A token comes every two milliseconds, and a round without one asks the database, too. */
const ROUNDS_MAX = 20_000;

function nameOf(limits: Limits): string {
  return quotaQueueName({ queueName: 'default', tool: 'm.f', key: null, ...limits }) ?? '';
}

function openAdmission(store: Store) {
  return createQuotaAdmission({
    quotas: store.quotas,
    wake: {
      notify: (topics) => topics.forEach((topic) => store.work.noteAdded(keyOfTopic(topic))),
    },
    report: { count: () => {} },
    now: () => performance.now(),
  });
}

/** Items that wait below a quota, and workers that take each one as soon as it has its place. */
function openLine(store: Store, weights: readonly number[], limits: Limits) {
  const tenantId: TenantId = makeTenantId();
  const queueName = nameOf(limits);
  const admission = openAdmission(store);
  const counts = weights.map(() => 0);
  /** By two keys: how many turns the second had more than the first, at most, while the first waited. */
  const ahead = weights.map(() => weights.map(() => 0));
  let held: readonly ClaimedItem[] = [];
  return {
    waiting: () => counts.reduce((sum, count) => sum + count, 0),
    async add(index: number, count: number): Promise<void> {
      if (count === 0) return;
      const weight = weights[index] ?? 1;
      await queue(store, tenantId, repeat(`${index}`, count), { weight, queueName });
      counts[index] = (counts[index] ?? 0) + count;
    },
    async admit(t: ExecutionContext): Promise<void> {
      await admission.round();
      const claimed = await claim(store, tenantId, { limit: 100 });
      held = [...held, ...claimed];
      if (limits.limit !== null) t.true(held.length <= limits.limit, `${held.length}`);
      const served = Map.groupBy(claimed, (item) => Number(keyOf(item)));
      ahead.forEach((of, index) => {
        const own = served.has(index) ? 1 : 0;
        of.forEach((turns, other) => {
          const its = served.has(other) ? 1 : 0;
          of[other] = counts[index] === 0 ? 0 : Math.max(0, turns + its - own);
          t.true((of[other] ?? 0) <= 1, `${other} is ahead of ${index}: ${ahead.join(' ')}`);
        });
      });
      for (const [index, { length }] of served) counts[index] = (counts[index] ?? 0) - length;
    },
    async end(count: number): Promise<void> {
      const ended = held.slice(0, count);
      held = held.slice(ended.length);
      for (const item of ended) {
        await commitOne(store, makePlan(item.ticket, { settles: [settleOf(item)] }));
      }
    },
  };
}
