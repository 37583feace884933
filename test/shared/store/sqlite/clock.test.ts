import test, { type ExecutionContext } from 'ava';

import { openTestStore } from '../../../support/stores.ts';
import { claimOne, commitOne, judge, settleOf, start, startWithItems } from '../contract/drive.ts';
import { makeEvent, makePlan, makeTimer } from '../contract/make.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');

test('every time comes from the clock of the database', async (t) => {
  const { store } = await openAt(t, { now: NOON });
  const { executionId, tenantId } = await startWithItems(store, [{ nodeTimeoutMs: 90_000 }]);
  const noon = '2026-11-21T12:00:00.000Z';
  t.like(await store.executions.find(executionId, null), { createdAt: noon, updatedAt: noon });
  t.like(await claimOne(store, tenantId, { leaseMs: 60_000 }), {
    claimedAt: noon,
    expiresAt: '2026-11-21T12:01:00.000Z',
    deadlineAt: '2026-11-21T12:01:30.000Z',
  });
});

test('the events of an execution never go back in time', async (t) => {
  const clock = { now: NOON };
  const { store } = await openAt(t, clock);
  const execution = await start(store);
  clock.now -= 3_600_000;
  const plan = makePlan(execution, { events: [makeEvent()], status: 'completed' });
  const { createdAt } = await commitOne(store, plan);
  t.is(createdAt, '2026-11-21T12:00:00.000Z');
  t.like(await store.executions.find(execution.executionId, null), {
    updatedAt: createdAt,
    completedAt: createdAt,
  });
});

test('a lease lapses at its end and not a millisecond before', async (t) => {
  const clock = { now: NOON };
  const { store } = await openAt(t, clock);
  const { tickets: _, ...execution } = await startWithItems(store, [{}]);
  const item = await claimOne(store, execution.tenantId, { leaseMs: 30_000 });
  const reclaim = makePlan(execution, { settles: [settleOf(item, { onlyIfExpired: true })] });
  clock.now += 29_999;
  t.deepEqual(await store.work.listExpiredLeases({ limit: 10 }), []);
  t.like(await judge(store, reclaim), { accepted: false, reason: 'stale' });
  clock.now += 1;
  t.is((await store.work.listExpiredLeases({ limit: 10 })).length, 1);
  t.like(await judge(store, reclaim), { accepted: true });
});

test('heartbeats carry a lease to its deadline and no further', async (t) => {
  const clock = { now: NOON };
  const { store } = await openAt(t, clock);
  const { tenantId } = await startWithItems(store, [{ nodeTimeoutMs: 50_000 }]);
  const { ticket, leaseFence } = await claimOne(store, tenantId, { leaseMs: 30_000 });
  const { workItemId } = ticket;
  const renew = async () =>
    (await store.work.renew([{ workItemId, tenantId, leaseFence, leaseMs: 30_000 }]))[0] ?? null;
  clock.now += 10_000;
  t.deepEqual(await renew(), { expiresAt: '2026-11-21T12:00:40.000Z' });
  clock.now += 20_000;
  t.deepEqual(await renew(), { expiresAt: '2026-11-21T12:00:50.000Z' });
  clock.now += 19_999;
  t.deepEqual(await renew(), { expiresAt: '2026-11-21T12:00:50.000Z' });
  clock.now += 1;
  t.is(await renew(), null);
  t.like((await store.work.listExpiredLeases({ limit: 10 }))[0], { timedOut: true });
});

test('a timer is due at its instant, and the wait for it is exact', async (t) => {
  const clock = { now: NOON };
  const { store } = await openAt(t, clock);
  await start(store, {
    changes: { startsTimers: [makeTimer({ when: { until: '2026-11-21T12:00:05.000Z' } })] },
  });
  t.is(await store.timers.nextDueInMs(), 5_000);
  clock.now += 4_999;
  t.deepEqual(await store.timers.listDue({ limit: 10 }), []);
  t.is(await store.timers.nextDueInMs(), 1);
  clock.now += 1;
  t.is((await store.timers.listDue({ limit: 10 })).length, 1);
  t.is(await store.timers.nextDueInMs(), 0);
});

test("without another, the clock is the system's", async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const before = Date.now();
  const { executionId } = await start(store);
  const createdAt = (await store.executions.find(executionId, null))?.createdAt ?? '';
  t.true(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
});

async function openAt(t: ExecutionContext, clock: { readonly now: number }) {
  const opened = await openTestStore('sqlite', { clock: () => clock.now });
  t.teardown(opened.close);
  return opened;
}
