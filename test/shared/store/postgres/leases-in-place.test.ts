import test, { type ExecutionContext } from 'ava';

import type { ClaimedItem, Store } from '../../../../src/shared/store/store.ts';
import type { WorkTicket } from '../../../../src/shared/domain/work/work-item.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { claimOne, commitOne, judge, settleOf, start, startWithItems } from '../contract/drive.ts';
import { makeEvent, makePlan, makeTicket } from '../contract/make.ts';
import { connectRaw } from './raw-client.ts';

/*
 * Leases lie in `leases`, where they move from item to item. Processes of an older version begin
 * theirs in `work_leases` itself, and know nothing of `look_at`.
 */

const LEASE_MS = 30_000;

test('a lease that a plan ends becomes the lease that it begins, and no index is written', async (t) => {
  const { store, raw } = await open(t);
  const execution = await start(store);
  const items = Array.from({ length: 5 }, () => makeTicket(execution, { queue: 'engine' }));
  let held = await begin(store, items[0], []);
  const indexed = async (): Promise<object> => {
    const { rows } = await raw.query<object>(
      'select execution_id, look_at, (ctid::text::point)[0] as page from leases',
    );
    return rows;
  };
  const before = await indexed();
  for (const item of items.slice(1)) held = await begin(store, item, [held]);
  t.deepEqual(await indexed(), before);
  const { rows } = await raw.query('select work_item_id, lease_fence::text from leases');
  t.deepEqual(rows, [{ work_item_id: items[4]?.workItemId, lease_fence: String(held.leaseFence) }]);
  const { rows: columns } = await raw.query<{ readonly name: string }>(
    `select distinct a.attname as name
     from pg_index i
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[])
     where i.indrelid = 'leases'::regclass
     order by 1`,
  );
  t.deepEqual(
    columns.map(({ name }) => name),
    ['execution_id', 'look_at'],
  );
});

test('a lease of an older process is renewed, found, handed over and ended', async (t) => {
  const { store, raw, age } = await open(t);
  const execution = await startWithItems(store, [{}, {}]);
  const first = await claimOne(store, execution.tenantId, { limit: 1 });
  const second = await claimOne(store, execution.tenantId, { limit: 1 });
  await raw.query(AS_BEFORE);
  const { ticket, leaseFence } = first;
  const renewal = { ...ticket, leaseFence, leaseMs: LEASE_MS };
  t.deepEqual(
    (await store.work.renew([renewal, { ...renewal, leaseFence: 1 }])).map((one) => one !== null),
    [true, false],
  );
  t.is((await store.work.find(ticket.workItemId, ticket.tenantId))?.lease?.leaseFence, leaseFence);
  await age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
  t.is((await store.work.listExpiredLeases({ limit: 10 })).length, 2);

  const next = makeTicket(execution, { queue: 'engine' });
  const held = await begin(store, next, [settleOf(first)]);
  t.deepEqual(await placesOf(raw), [
    ['leases', next.workItemId],
    ['work_leases', second.ticket.workItemId],
  ]);
  await commitOne(store, makePlan(execution, { settles: [held, settleOf(second)] }));
  t.deepEqual(await placesOf(raw), []);
});

test('an older process ends and renews a lease of this one', async (t) => {
  const { store, raw } = await open(t);
  const execution = await startWithItems(store, [{}]);
  const { ticket, leaseFence } = await claimOne(store, execution.tenantId);
  const ofItem = [ticket.workItemId, leaseFence];
  const renewed = await raw.query(
    `update work_leases set expires_at = expires_at + interval '1 minute'
     where work_item_id = $1 and lease_fence = $2`,
    ofItem,
  );
  t.is(renewed.rowCount, 1);
  const ended = await raw.query(
    'delete from work_leases where work_item_id = $1 and lease_fence = $2',
    ofItem,
  );
  t.is(ended.rowCount, 1);
  const settles = [settleOf({ ticket, leaseFence } as ClaimedItem)];
  t.false((await judge(store, makePlan(execution, { settles }))).accepted);
});

test('a lease is looked at no later than it ends, however it was shortened', async (t) => {
  const { store, raw } = await open(t);
  const execution = await start(store);
  const items = Array.from({ length: 3 }, () => makeTicket(execution, { queue: 'engine' }));
  const expired = async () =>
    (await store.work.listExpiredLeases({ limit: 10 })).map(({ ticket }) => ticket.workItemId);
  const held = await begin(store, items[0], [], 3_600_000);
  t.deepEqual(await expired(), []);
  const { executionId } = execution;
  await store.work.renew([{ ...held, executionId, tenantId: null, leaseMs: 0 }]);
  t.deepEqual(await expired(), [items[0]?.workItemId]);

  const moved = await begin(store, items[1], [held], 3_600_000);
  t.deepEqual(await expired(), []);
  // The look that found a live lease set the next look to the end of the lease.
  const { rows } = await raw.query('select look_at = expires_at as is_at_end from leases');
  t.deepEqual(rows, [{ is_at_end: true }]);
  await begin(store, items[2], [moved], 0);
  t.deepEqual(await expired(), [items[2]?.workItemId]);
});

test('a lease that has moved to another item is ended and renewed by its own fence alone', async (t) => {
  const { store } = await open(t);
  const execution = await start(store);
  const [one, other] = [
    makeTicket(execution, { queue: 'engine' }),
    makeTicket(execution, { queue: 'engine' }),
  ];
  const before = await begin(store, one, []);
  const now = await begin(store, other, [before]);
  for (const stale of [
    before,
    { ...now, leaseFence: before.leaseFence },
    { ...before, leaseFence: now.leaseFence },
  ]) {
    t.like(await judge(store, makePlan(execution, { settles: [stale] })), {
      accepted: false,
      reason: 'stale',
    });
    const again = { ticket: one, leaseTo: 'w', leaseMs: LEASE_MS };
    const handover = makePlan(execution, { settles: [stale], bornLeased: [again] });
    t.like(await judge(store, handover), { accepted: false, reason: 'stale' });
    const renewal = {
      ...stale,
      executionId: execution.executionId,
      tenantId: null,
      leaseMs: LEASE_MS,
    };
    t.deepEqual(await store.work.renew([renewal]), [null]);
  }
  t.true((await judge(store, makePlan(execution, { settles: [now] }))).accepted);
});

/** Turns a lease into one of the previous version. */
const AS_BEFORE = `
  with gone as (delete from leases returning *)
  insert into work_leases (
    work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority, idempotency_key,
    node_timeout_ms, schedule_to_start_ms, worker_id, lease_fence, claimed_at, expires_at, deadline_at
  )
  select work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority, idempotency_key,
    node_timeout_ms, schedule_to_start_ms, worker_id, lease_fence, claimed_at, expires_at, deadline_at
  from gone`;

type Raw = Awaited<ReturnType<typeof connectRaw>>;

async function open(t: ExecutionContext): Promise<TestStore & { readonly raw: Raw }> {
  const opened = await openTestStore('postgres');
  const raw = await connectRaw(opened.url);
  t.teardown(async () => {
    await raw.end();
    await opened.close();
  });
  return { ...opened, raw };
}

type Held = ReturnType<typeof settleOf>;

async function begin(
  store: Store,
  ticket: WorkTicket | undefined,
  settles: readonly Held[],
  leaseMs = LEASE_MS,
): Promise<Held> {
  if (ticket === undefined) throw new Error('there is no item to lease');
  const { fences } = await commitOne(
    store,
    makePlan(ticket, {
      settles,
      bornLeased: [{ ticket, leaseTo: 'scheduler-1', leaseMs }],
      events: [makeEvent()],
    }),
  );
  const [leaseFence] = fences;
  if (leaseFence === undefined) throw new Error('the plan got no fence');
  return { workItemId: ticket.workItemId, leaseFence, onlyIfExpired: false };
}

async function placesOf(raw: Raw): Promise<readonly (readonly string[])[]> {
  const { rows } = await raw.query<{ readonly place: string; readonly item: string }>(
    'select tableoid::regclass::text as place, work_item_id as item from work_leases order by 1',
  );
  return rows.map(({ place, item }) => [place, item]);
}
