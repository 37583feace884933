import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import type { ClaimedItem, Lease, Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  atOnce,
  claim,
  claimOne,
  commitOne,
  judge,
  settleOf,
  start,
  startWithItems,
} from '../drive.ts';
import {
  makeEvent,
  makeItem,
  makePlan,
  makeTenantId,
  makeTicket,
  makeWorkItemId,
} from '../make.ts';

const COMPETITORS = 20;

export function leaseCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a renewed lease ends later', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 10_000 });
    const [renewed] = await store.work.renew([renewalOf(item, { leaseMs: 60_000 })]);
    t.true((renewed?.expiresAt ?? '') > item.expiresAt);
    const found = await store.work.find(item.ticket.workItemId, item.ticket.tenantId);
    t.is(found?.lease?.expiresAt, renewed?.expiresAt);
    t.is(found?.lease?.leaseFence, item.leaseFence);
    t.is(found?.lease?.claimedAt, item.claimedAt);
  });

  check('a lease that a plan keeps continues, and is settled later', async (t, { store }) => {
    const item = await claimNew(store);
    const { ticket, leaseFence } = item;
    const kept = makePlan(ticket, { keepsLeases: [settleOf(item)], events: [makeEvent()] });
    await commitOne(store, kept);
    await commitOne(store, kept);
    const found = await store.work.find(ticket.workItemId, ticket.tenantId);
    t.is(found?.lease?.leaseFence, leaseFence);
    const settled = makePlan(ticket, { settles: [settleOf(item)], events: [makeEvent()] });
    await commitOne(store, settled);
    t.like(await judge(store, kept), { accepted: false, reason: 'stale' });
  });

  check('renewals are answered in the order asked, lost leases by null', async (t, { store }) => {
    const [first, second] = [await claimNew(store), await claimNew(store)];
    const renewed = await store.work.renew([
      renewalOf(second),
      { ...renewalOf(first), leaseFence: first.leaseFence + 1_000_000 },
      { ...renewalOf(first), tenantId: makeTenantId() },
      { ...renewalOf(first), workItemId: makeWorkItemId() },
      { ...renewalOf(first), tenantId: null, executionId: first.ticket.executionId },
    ]);
    t.deepEqual(
      renewed.map((each) => each !== null),
      [true, false, false, false, true],
    );
    t.deepEqual(await store.work.renew([]), []);
  });

  check('a lapsed lease that nobody reclaimed is renewed', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 0 });
    const [renewed] = await store.work.renew([renewalOf(item)]);
    t.not(renewed, null);
    t.false((await listExpired(store, item.ticket)).length > 0);
  });

  check('no lease outlasts the time of its attempt', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 30_000, nodeTimeoutMs: 20_000 });
    t.is(item.deadlineAt, item.expiresAt);
    const [renewed] = await store.work.renew([renewalOf(item, { leaseMs: 600_000 })]);
    t.is(renewed?.expiresAt, item.expiresAt);
  });

  check('a lease whose attempt is out of time is not renewed', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 30_000, nodeTimeoutMs: 0 });
    t.is(item.deadlineAt, item.expiresAt);
    t.deepEqual(await store.work.renew([renewalOf(item)]), [null]);
    const [expired] = await listExpired(store, item.ticket);
    t.true(expired?.timedOut);
  });

  check('an item born leased is bounded by its attempt as well', async (t, { store }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, { queue: 'engine', nodeTimeoutMs: 0 });
    const { fences } = await commitOne(
      store,
      makePlan(execution, {
        bornLeased: [{ ticket, leaseTo: 'scheduler-1', leaseMs: 30_000 }],
      }),
    );
    const [expired] = await listExpired(store, ticket);
    t.like(expired, {
      ticket,
      leaseFence: fences[0],
      workerId: 'scheduler-1',
      timedOut: true,
    });
    t.deepEqual(expired?.deadlineAt, expired?.expiresAt ?? null);
  });

  check(
    'a process learns what it holds, lapsed or not, of one and of all',
    async (t, { store }) => {
      const [one, other] = [await start(store), await start(store)];
      const bear = async (ticket: WorkTicket, of: typeof one, leaseMs: number, leaseTo: string) => {
        const plan = makePlan(of, { bornLeased: [{ ticket, leaseTo, leaseMs }] });
        const { fences } = await commitOne(store, plan);
        return fences[0];
      };
      const workerId = `scheduler-${makeWorkItemId()}`;
      const tickets = [
        makeTicket(one, { queue: 'engine' }),
        makeTicket(other, { queue: 'engine' }),
        makeTicket(other, { queue: 'engine' }),
      ] as const;
      const fences = [
        await bear(tickets[0], one, 30_000, workerId),
        await bear(tickets[1], other, 0, workerId),
      ];
      await bear(tickets[2], other, 30_000, 'scheduler-2');
      const held = async (executionId: typeof one.executionId | null) =>
        (await store.work.listHeld({ workerId, executionId })).map((lease) => lease.leaseFence);
      t.deepEqual(await held(null), fences as number[]);
      t.deepEqual(await held(one.executionId), fences.slice(0, 1) as number[]);
      t.deepEqual(await held(makeTicket(await start(store)).executionId), []);
      const [lease] = await store.work.listHeld({ workerId, executionId: one.executionId });
      t.like(lease, { ticket: tickets[0], workerId });
    },
  );

  check('a claim says that it leaves nothing on its queue', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}, {}, {}]);
    const [first] = await claim(store, tenantId, { limit: 1 });
    t.falsy(first?.leftNothing);
    const rest = await claim(store, tenantId, { limit: 2 });
    t.is(rest.length, 2);
    t.true(rest.at(-1)?.leftNothing);
  });

  check('lapsed leases are listed, live ones are not', async (t, { store }) => {
    const lapsed = await claimNew(store, { leaseMs: 0 });
    const live = await claimNew(store, { leaseMs: 60_000 });
    const { ticket, leaseFence, workerId, claimedAt, expiresAt, deadlineAt, timedOut } = lapsed;
    const lease = { ticket, leaseFence, workerId, claimedAt, expiresAt, deadlineAt, timedOut };
    t.deepEqual(await listExpired(store, lapsed.ticket), [lease]);
    t.deepEqual(await listExpired(store, live.ticket), []);
  });

  check('lapsed leases are listed oldest first, as many as asked for', async (t, { store }) => {
    const first = await claimNew(store, { leaseMs: 0 });
    const second = await claimNew(store, { leaseMs: 0 });
    const all = await store.work.listExpiredLeases({ limit: 1000 });
    const ends = all.map(({ expiresAt }) => expiresAt);
    t.deepEqual(ends, ends.toSorted());
    const ids = all.map(({ ticket }) => ticket.workItemId);
    t.true(ids.includes(first.ticket.workItemId) && ids.includes(second.ticket.workItemId));
    t.is((await store.work.listExpiredLeases({ limit: 1 })).length, 1);
  });

  check('a lapsed lease is reclaimed once, by one of twenty', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 0 });
    const retries = [{ ticket: { ...item.ticket, attempt: 1 }, delayMs: 0, released: null }];
    const settles = [settleOf(item, { onlyIfExpired: true })];
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(store, makePlan(item.ticket, { settles, retries, events: [makeEvent()] })),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    const next = await claimOne(store, item.ticket.tenantId);
    t.is(next.ticket.attempt, 1);
    t.true(next.leaseFence > item.leaseFence);
  });

  check('a heartbeat in between saves a lapsed lease', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 0 });
    t.is((await listExpired(store, item.ticket)).length, 1);
    await store.work.renew([renewalOf(item)]);
    const settles = [settleOf(item, { onlyIfExpired: true })];
    t.like(await judge(store, makePlan(item.ticket, { settles })), {
      accepted: false,
      reason: 'stale',
    });
    t.like(await judge(store, makePlan(item.ticket, { settles: [settleOf(item)] })), {
      accepted: true,
    });
  });

  check('a result that comes late but before the reclaim is taken', async (t, { store }) => {
    const item = await claimNew(store, { leaseMs: 0 });
    const verdict = await judge(store, makePlan(item.ticket, { settles: [settleOf(item)] }));
    t.true(verdict.accepted);
  });

  check('a heartbeat after the settlement renews nothing', async (t, { store }) => {
    const item = await claimNew(store);
    await commitOne(store, makePlan(item.ticket, { settles: [settleOf(item)] }));
    t.deepEqual(await store.work.renew([renewalOf(item)]), [null]);
  });

  check(
    'a heartbeat racing a reclaim: the lease is renewed or taken, not both',
    async (t, { store }) => {
      for (let round = 0; round < COMPETITORS; round += 1) {
        const item = await claimNew(store, { leaseMs: 0 });
        const settles = [settleOf(item, { onlyIfExpired: true })];
        const [[renewed], verdict] = await Promise.all([
          store.work.renew([renewalOf(item)]),
          judge(store, makePlan(item.ticket, { settles })),
        ]);
        t.is(verdict.accepted, renewed === null);
        const found = await store.work.find(item.ticket.workItemId, item.ticket.tenantId);
        t.is(found?.place, verdict.accepted ? 'settled' : 'leased');
      }
    },
  );
}

/** A leased item of a new tenant. */
async function claimNew(
  store: Store,
  params: { readonly leaseMs?: number; readonly nodeTimeoutMs?: number } = {},
): Promise<ClaimedItem> {
  const { leaseMs = 30_000, nodeTimeoutMs = null } = params;
  const execution = await start(store);
  const item = makeItem(makeTicket(execution, { nodeTimeoutMs }));
  await commitOne(store, makePlan(execution, { newItems: [item] }));
  return claimOne(store, execution.tenantId, { leaseMs });
}

function renewalOf(item: ClaimedItem, params: { readonly leaseMs?: number } = {}) {
  const { workItemId, tenantId } = item.ticket;
  const { leaseMs = 30_000 } = params;
  return { workItemId, tenantId, leaseFence: item.leaseFence, leaseMs };
}

async function listExpired(store: Store, ticket: WorkTicket): Promise<readonly Lease[]> {
  const all = await store.work.listExpiredLeases({ limit: 1000 });
  return all.filter((lease) => lease.ticket.workItemId === ticket.workItemId);
}
