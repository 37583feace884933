import test, { type ExecutionContext } from 'ava';

import { admitLines } from '../../../src/shared/engine/admission/admit-lines.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import type { AwaitedPlace } from '../../../src/shared/store/commit.ts';
import {
  FLOW_WAITS_SHARE,
  READING_BOUNDS,
  type ClusterReading,
} from '../../../src/shared/store/readings/cluster-reading.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';
import { claim, claimOne, commitOne, start, startWithItems } from './contract/drive.ts';
import { makeEvent, makePlan, makeTicket, makeTimer } from './contract/make.ts';
import { addOne } from './contract/memory/memory-make.ts';

/*
 * Readings cover the whole database, so each case has its own. Both stores must give the same
 * correct reading.
 */

const NOTHING = { waiting: 0, oldestMs: null, leased: 0 };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (
    title: string,
    run: (t: ExecutionContext, database: TestStore) => Promise<void>,
  ): void =>
    test(`${title} (${dialect})`, async (t) => {
      const database = await openTestStore(dialect);
      try {
        await run(t, database);
      } finally {
        await database.close();
      }
    });

  check('an empty database reports every figure, as nothing', async (t, { store }) => {
    t.deepEqual(await read(store), {
      queues: [
        { queue: 'python_tool', ...NOTHING },
        { queue: 'java_tool', ...NOTHING },
        { queue: 'engine', ...NOTHING },
        { queue: 'function', ...NOTHING },
      ],
      executions: { running: 0, paused: 0 },
      waitingChildren: 0,
      waitingInFlow: { concurrency: 0, rate: 0, debounce: 0, batch: 0 },
      waitingForQuota: 0,
      lateMs: { lease: 0, timer: 0, retry: 0 },
      memory: [],
    });
  });

  check('executions and items that wait for a place are counted', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}, { queueName: 'default#1#pay#' }]);
    const create = { awaitsPlace: { placeKey: '["w","k"]', placesMax: 1 } };
    const first = await start(store, { tenantId, create });
    await start(store, { tenantId, create });
    t.like(await read(store), { waitingInFlow: inFlow({ concurrency: 2 }), waitingForQuota: 1 });
    const [admitted, ...others] = await store.flow.admit({
      tenantId,
      placeKey: '["w","k"]',
      limit: 9,
    });
    t.deepEqual(others, []);
    t.is(admitted?.executionId, first.executionId);
    t.like(await read(store), { waitingInFlow: inFlow({ concurrency: 1 }), waitingForQuota: 1 });
  });

  check('executions that wait in a line are counted by kind', async (t, { store }) => {
    const bucket = { key: 'r', intervalUs: 1_000_000, burst: 1 };
    const rate = { placesKey: null, bucket };
    const debounce = { waitMs: 60_000, maxWaitMs: null, next: null };
    const awaiting = (awaitsPlace: AwaitedPlace) => start(store, { create: { awaitsPlace } });
    await awaiting({ placeKey: 'a', placesMax: 1 });
    // A rate and places: `waiting_for` names the concurrency.
    await awaiting({ placeKey: 'b', placesMax: 1, rate: { placesKey: 'a', bucket } });
    await awaiting({ placeKey: 'c', placesMax: null, rate });
    for (const placeKey of ['d', 'e', 'f']) {
      await awaiting({ placeKey, placesMax: 1, cancelsOldest: true, debounce });
    }
    const batch = { waitMs: 60_000, bytes: 2 };
    for (const placeKey of ['g', 'h']) await awaiting({ placeKey, placesMax: 2, batch });
    const { waitingInFlow } = await read(store);
    t.deepEqual(waitingInFlow, { concurrency: 2, rate: 1, debounce: 3, batch: 2 });
    const { waitingInFlow: some } = await store.diagnosis.clusterReading({ rows: 1, groups: 1 });
    t.is(some.concurrency + some.rate + some.debounce + some.batch, FLOW_WAITS_SHARE);
  });

  check('an admission says how long the execution waited', async (t, { store, age }) => {
    const tenantId = 'waiters' as TenantId;
    await start(store, {
      tenantId,
      create: { awaitsPlace: { placeKey: '["w","k"]', placesMax: 1 } },
    });
    await age({ table: 'flow_waits', columns: ['since'], byMs: 60_000 });
    const counted: [string, number][] = [];
    const observed: number[] = [];
    const report: Parameters<typeof admitLines>[1] = {
      count: (name, by, labels) => counted.push([`${name} ${labels?.['reason']}`, by]),
      observe: (_, seconds) => observed.push(seconds),
    };
    const none = () => Promise.reject(new Error('there is none'));
    const commits = { cancelSurplus: none, closeBatch: none };
    await admitLines(store.flow, report, { commits, batchBytesMax: 1_000, after: null });
    t.deepEqual(counted, [['executions_admitted concurrency', 1]]);
    t.true(isAbout((observed[0] ?? 0) * 1_000, 60_000), `${observed[0]}`);
  });

  check('items are counted by queue, over tenants and priorities', async (t, { store, age }) => {
    const one = await startWithItems(store, [{}, { priority: 5 }, { priority: 5 }]);
    await age({ table: 'work_queue', columns: ['enqueued_at'], byMs: 60_000 });
    await startWithItems(store, [{}, { queue: 'java_tool' }, { queue: 'engine' }]);
    await claimOne(store, one.tenantId, { limit: 1 });
    const { queues } = await read(store);
    const [python, java, engine] = queues;
    t.like(python, { queue: 'python_tool', waiting: 3, leased: 1 });
    t.like(java, { queue: 'java_tool', waiting: 1, leased: 0 });
    t.like(engine, { queue: 'engine', waiting: 1, leased: 0 });
    t.true(isAbout(python?.oldestMs, 60_000), `${python?.oldestMs}`);
    t.true(isAbout(java?.oldestMs, 0), `${java?.oldestMs}`);
  });

  check('nothing waits for a tenant that is suspended', async (t, { store, age }) => {
    const { tenantId } = await startWithItems(store, [{}, {}, { queue: 'engine' }]);
    await age({ table: 'work_queue', columns: ['enqueued_at'], byMs: 60_000 });
    await startWithItems(store, [{ queue: 'engine' }]);
    await claim(store, tenantId, { limit: 1, leaseMs: 0 });
    await suspend(store, tenantId);
    const { queues, lateMs } = await read(store);
    t.like(queues[0], { queue: 'python_tool', waiting: 0, oldestMs: null });
    t.true(isAbout(queues[2]?.oldestMs, 0), `${queues[2]?.oldestMs}`);
    t.is(lateMs.lease, 0);
  });

  check('executions that have not ended are counted by status', async (t, { store }) => {
    const [paused, ended] = [await start(store), await start(store), await start(store)];
    await commitOne(store, makePlan(paused, { status: 'paused', events: [makeEvent()] }));
    await commitOne(
      store,
      makePlan(ended, { status: 'completed', events: [makeEvent()], revokesAll: true }),
    );
    t.deepEqual((await read(store)).executions, { running: 1, paused: 1 });
  });

  check('work that is due and not done is late', async (t, { store, age }) => {
    const execution = await startWithItems(store, [{}]);
    const retry = { ticket: makeTicket(execution, { attempt: 1 }), delayMs: 1, released: null };
    await commitOne(
      store,
      makePlan(execution, { startsTimers: [makeTimer()], retries: [retry], events: [makeEvent()] }),
    );
    await claimOne(store, execution.tenantId, { leaseMs: 0 });
    await age({ table: 'timers', columns: ['due_at'], byMs: 10_000 });
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: 20_000 });
    await age({ table: 'work_leases', columns: ['expires_at'], byMs: 30_000 });
    const { lateMs } = await read(store);
    t.true(isAbout(lateMs.timer, 10_000), `${lateMs.timer}`);
    t.true(isAbout(lateMs.retry, 20_000), `${lateMs.retry}`);
    t.true(isAbout(lateMs.lease, 30_000), `${lateMs.lease}`);
    const later = makeTimer({ when: { until: '2099-01-01T00:00:00.000Z' } });
    await commitOne(
      store,
      makePlan(execution, { firesTimers: [makeTimer().name], events: [makeEvent()] }),
    );
    await commitOne(store, makePlan(execution, { startsTimers: [later], events: [makeEvent()] }));
    t.is((await read(store)).lateMs.timer, 0);
  });

  check('facts are reported by tier, with the most of one tenant', async (t, { store }) => {
    const [big, small] = [await start(store), await start(store)];
    await withTier(store, big.tenantId, 'team');
    await withTier(store, small.tenantId, 'team');
    for (const { tenantId } of [big, big, small, await start(store)]) {
      await addOne(store.memory, tenantId);
    }
    const { memory } = await read(store);
    t.deepEqual(
      memory.toSorted((one, other) => one.live - other.live),
      [
        { tier: null, live: 1, addedMax: 1 },
        { tier: 'team', live: 3, addedMax: 2 },
      ],
    );
  });

  check('groups and rows beyond the bounds are not looked at', async (t, { store }) => {
    const many = Array.from({ length: 150 }, () => ({}));
    await startWithItems(store, many);
    await startWithItems(store, [
      ...many,
      { priority: 1 },
      { queue: 'java_tool' },
      { queue: 'engine' },
    ]);
    const waiting = async (bounds: Partial<typeof READING_BOUNDS>): Promise<readonly number[]> => {
      const { queues } = await store.diagnosis.clusterReading({ ...READING_BOUNDS, ...bounds });
      return queues.map((queue) => queue.waiting);
    };
    t.deepEqual(await waiting({}), [301, 1, 1, 0]);
    // Four groups share the rows, 75 each; the engine's queue has as many of its own.
    t.deepEqual(await waiting({ rows: 300 }), [151, 1, 1, 0]);
    t.is((await waiting({ groups: 1 })).reduce((sum, items) => sum + items, 0) <= 150, true);
    const groups = await store.diagnosis.clusterReading({ rows: 1, groups: 1 });
    t.is(groups.executions.running, 1);
  });
}

function inFlow(some: Partial<ClusterReading['waitingInFlow']>): ClusterReading['waitingInFlow'] {
  return { concurrency: 0, rate: 0, debounce: 0, batch: 0, ...some };
}

function read(store: Store): Promise<ClusterReading> {
  return store.diagnosis.clusterReading(READING_BOUNDS);
}

async function suspend(store: Store, tenantId: TenantId): Promise<void> {
  await store.tenants.create({ tenantId, name: 'put', actorId: 'token:ci' });
  const same = { name: null, policy: null, limits: null, actorId: 'token:ci' };
  await store.tenants.update(tenantId, { ...same, status: 'suspended' });
}

async function withTier(store: Store, tenantId: TenantId, tier: 'team'): Promise<void> {
  await store.tenants.create({ tenantId, name: 'put', actorId: 'token:ci' });
  const same = { name: null, policy: null, status: null, actorId: 'token:ci' };
  await store.tenants.update(tenantId, { ...same, limits: { memory_tier: tier } });
}

/** Allows for the time that the reading itself took. */
function isAbout(ms: number | null | undefined, expected: number): boolean {
  return typeof ms === 'number' && ms >= expected && ms < expected + 20_000;
}
