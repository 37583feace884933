import type { ExecutionContext } from 'ava';
import fc from 'fast-check';

import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import {
  checkClaimTurns,
  type SeenClaim,
  type Share,
  type Waiting,
} from '../../../../invariants/checks/check-turns.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim } from '../drive.ts';
import { makeTenantId } from '../make.ts';
import { claimKeys, queue, repeat } from './fair-items.ts';

const WEIGHTS = fc.array(fc.constantFrom(0.5, 1, 2, 3, 7.5), { minLength: 2, maxLength: 4 });
const OPTIONS = { numRuns: 12, endOnFailure: true, includeErrorInReport: true };

/** Each round adds items of a key, and then claims some. Key 0 stands for items without a key. */
const ROUNDS = fc.array(fc.record({ key: fc.nat(4), count: fc.nat(9), claims: fc.nat(8) }), {
  minLength: 5,
  maxLength: 20,
});

/** Keys take turns by their weights in any order of arrivals and claims. */
export function fairTurnCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check(
    'in any order of arrivals and claims, no key waits for more than its turn',
    async (t, at) => {
      await fc.assert(
        fc.asyncProperty(WEIGHTS, ROUNDS, async (weights, rounds) => {
          const line = openLine(at.store, weights);
          for (const { key, count, claims } of rounds) {
            await line.add(key % (weights.length + 1), count);
            for (let n = 0; n < claims; n += 1) await line.take(t);
          }
          while (line.waiting() > 0) await line.take(t);
          t.deepEqual(line.violations(), []);
        }),
        OPTIONS,
      );
    },
  );

  check('the shares of keys that always wait are as their weights', async (t, { store }) => {
    await fc.assert(
      fc.asyncProperty(WEIGHTS, async (weights) => {
        const tenantId = makeTenantId();
        await queueAll(store, { tenantId, weights, each: CLAIMS });
        const taken = await claimKeys(store, tenantId, CLAIMS);
        expectShares(t, weights, taken);
      }),
      { ...OPTIONS, numRuns: 5 },
    );
  });

  check('a key that comes late with few items is done after few turns', async (t, { store }) => {
    await fc.assert(
      fc.asyncProperty(
        WEIGHTS,
        fc.record({ weight: fc.constantFrom(0.5, 1, 3), count: fc.integer({ min: 1, max: 4 }) }),
        async (weights, { weight, count }) => {
          const tenantId = makeTenantId();
          await queueAll(store, { tenantId, weights, each: CLAIMS });
          await claimKeys(store, tenantId, 20);
          await queue(store, tenantId, repeat('late', count), { weight });
          const most = weights.reduce(
            (sum, other) => sum + Math.floor((count * other) / weight + 0.05) + 1,
            count,
          );
          const taken = await claimKeys(store, tenantId, most);
          t.is(
            taken.filter((key) => key === 'late').length,
            count,
            `${taken.join(' ')} of ${most}`,
          );
        },
      ),
      { ...OPTIONS, numRuns: 5 },
    );
  });
}

const CLAIMS = 60;

/** A queue, with the claims of one process. */
function openLine(store: Store, weights: readonly number[]) {
  const tenantId = makeTenantId();
  const shares = new Map<string, Share>();
  const claims: SeenClaim[] = [];
  let waiting: readonly Waiting[] = [];
  return {
    waiting: () => waiting.length,
    async add(index: number, count: number): Promise<void> {
      const weight = weights[index - 1];
      const key = weight === undefined ? null : `key ${index}`;
      if (count === 0) return;
      const tickets = await queue(store, tenantId, repeat(key, count), { weight: weight ?? 1 });
      for (const { workItemId, executionId } of tickets) {
        if (key !== null) shares.set(executionId, { key, weight: weight ?? 1 });
        const place = key === null ? 1 : -1;
        const item = { work_item_id: workItemId, execution_id: executionId, line: 'queue', place };
        waiting = [...waiting, item];
      }
    },
    async take(t: ExecutionContext): Promise<void> {
      const [item] = await claim(store, tenantId, { limit: 1 });
      t.is(item === undefined, waiting.length === 0);
      if (item === undefined) return;
      const { workItemId } = item.ticket;
      claims.push({ process: 1, at: 0, waiting, taken: [workItemId] });
      waiting = waiting.filter(({ work_item_id: id }) => id !== workItemId);
    },
    violations: () => checkClaimTurns(claims, shares, { isAlone: true }),
  };
}

async function queueAll(
  store: Store,
  of: {
    readonly tenantId: TenantId;
    readonly weights: readonly number[];
    readonly each: number;
  },
): Promise<void> {
  for (const [index, weight] of of.weights.entries()) {
    await queue(store, of.tenantId, repeat(`${index}`, of.each), { weight });
  }
}

/** While two keys wait, their items differ by no more than one turn of each. */
export function expectShares(
  t: ExecutionContext,
  weights: readonly number[],
  taken: readonly string[],
): void {
  const turns = weights.map(
    (weight, index) => taken.filter((key) => key === `${index}`).length / weight,
  );
  for (const [one, weight] of weights.entries()) {
    for (const [other, its] of weights.entries()) {
      const ahead = (turns[one] ?? 0) - (turns[other] ?? 0);
      t.true(ahead <= 1 / weight + 1.05 / its, `${taken.join(' ')} with ${weights.join(' ')}`);
    }
  }
}
