import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, commitOne, start } from '../drive.ts';
import { makeItem, makePlan, makeTenantId, makeTicket } from '../make.ts';

/* Tenants take turns on the queue of the engine. Each case has a shard of its own: the queue serves all. */

export function tenantTurnCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('tenants take turns on the queue of the engine, before priority', async (t, { store }) => {
    const [large, small] = [makeTenantId(), makeTenantId()];
    await queueItems(store, { tenantId: large, shard: 50, count: 6, priority: 0 });
    await queueItems(store, { tenantId: small, shard: 50, count: 3, priority: 5 });
    const next = claimerOf(store, 50);
    t.deepEqual(await next(4), { [large]: 2, [small]: 2 });
    t.deepEqual(await next(4), { [large]: 3, [small]: 1 });
    t.deepEqual(await next(4), { [large]: 1 });
  });

  check(
    'a tenant with items at the claimer waits for those who have fewer',
    async (t, { store }) => {
      const [busy, late] = [makeTenantId(), makeTenantId()];
      await queueItems(store, { tenantId: busy, shard: 51, count: 4 });
      await queueItems(store, { tenantId: late, shard: 51, count: 4 });
      const next = claimerOf(store, 51);
      t.deepEqual(await next(3, new Map([[busy, 2]])), { [busy]: 1, [late]: 2 });
      t.deepEqual(await next(2, new Map([[busy, 10]])), { [late]: 2 });
      t.deepEqual(await next(2, new Map([[busy, 10]])), { [busy]: 2 });
    },
  );

  check('items of one tenant keep their order in its turns', async (t, { store }) => {
    const tenantId = makeTenantId();
    const of = { tenantId, shard: 52, count: 1 };
    const [second] = await queueItems(store, { ...of, priority: 5 });
    const [third] = await queueItems(store, { ...of, priority: 5 });
    const [first] = await queueItems(store, { ...of, priority: 1 });
    const claimed: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const [item] = await claim(store, null, { shards: [52], limit: 1, heldOf: new Map() });
      claimed.push(item?.ticket.workItemId);
    }
    t.deepEqual(
      claimed,
      [first, second, third].map((ticket) => ticket?.workItemId),
    );
  });

  check('a tenant that is not active gets no turn', async (t, { store, url }) => {
    const [suspended, active] = [makeTenantId(), makeTenantId()];
    await store.tenants.create({
      tenantId: suspended,
      name: 'suspended',
      actorId: 'token:test',
    });
    await queueItems(store, { tenantId: suspended, shard: 53, count: 2 });
    await queueItems(store, { tenantId: active, shard: 53, count: 2 });
    const change = changeTable(url);
    await change(`update tenants set status = 'suspended' where id = '${suspended}'`);
    const next = claimerOf(store, 53);
    t.deepEqual(await next(3), { [active]: 2 });
    await change(`update tenants set status = 'active' where id = '${suspended}'`);
    t.deepEqual(await next(3), { [suspended]: 2 });
  });
}

async function queueItems(
  store: Store,
  of: {
    readonly tenantId: TenantId;
    readonly shard: number;
    readonly count: number;
    readonly priority?: number;
  },
): Promise<readonly WorkTicket[]> {
  const { tenantId, shard, count, priority = 5 } = of;
  const execution = await start(store, { tenantId, create: { shard } });
  const tickets = Array.from({ length: count }, () =>
    makeTicket(execution, { queue: 'engine', priority }),
  );
  await commitOne(store, makePlan(execution, { newItems: tickets.map((one) => makeItem(one)) }));
  return tickets;
}

/** Claims items of a shard, and counts them by tenant. */
function claimerOf(store: Store, shard: number) {
  return async (limit: number, heldOf: ReadonlyMap<TenantId, number> = new Map()) => {
    const items = await claim(store, null, { shards: [shard], limit, heldOf });
    const counts: Record<string, number> = {};
    for (const { ticket } of items) {
      counts[ticket.tenantId] = (counts[ticket.tenantId] ?? 0) + 1;
    }
    return counts;
  };
}
