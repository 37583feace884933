import test from 'ava';

import { openTestStore } from '../support/stores.ts';
import { commitOne, judge } from '../shared/store/contract/drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTimer,
} from '../shared/store/contract/make.ts';

/* A process that knows no line of tenants fires `start_after`: the start must not begin beyond the limit. */

const SHARD = 34;
const DELAY = { name: 'start_after', purpose: 'start_after', nodeId: null, visit: null } as const;
const KEY = { placeKey: '["orders","acme"]', placesMax: 1 };

test('a delayed start that a process of before begins waits for its tenant', async (t) => {
  const { store, close } = await openTestStore('postgres');
  t.teardown(close);
  const tenantId = makeTenantId();
  await store.tenants.create({ tenantId, name: 'limited', actorId: 'token:ci' });
  const limits = { max_concurrent_executions: 1, when_full: 'queue' } as const;
  const changes = { name: null, status: null, policy: null, limits };
  await store.tenants.update(tenantId, { ...changes, actorId: 'token:ci' });
  const start = (isDelayed: boolean) => {
    const of = { executionId: makeExecutionId(), tenantId };
    return makePlan(of, {
      create: makeNewExecution({
        shard: SHARD,
        limits: isDelayed ? null : { executionsMax: 1, queuedItemsMax: null },
      }),
      events: [makeStarted()],
      ...(isDelayed && {
        tenantLine: { state: 'later', shard: SHARD, isNew: true },
        startsTimers: [makeTimer({ ...DELAY, when: { delayMs: 0 } })],
      }),
    });
  };
  const running = start(false);
  await commitOne(store, running);
  const [plain, keyed] = [start(true), start(true)];
  for (const plan of [plain, keyed]) {
    await commitOne(store, plan);
    await commitOne(
      store,
      makePlan(plan, {
        firesTimers: [DELAY.name],
        events: [makeEvent({ kind: 'TimerFired', nodeId: null })],
        ...(plan === plain ? { runnable: 'mark' } : { entersQueue: { ...KEY, shard: SHARD } }),
      }),
    );
  }
  const isRunnable = async ({ executionId }: { readonly executionId: string }) =>
    (await store.runnable.list({ shards: [SHARD], limit: 10_000 })).some(
      (row) => row.executionId === executionId,
    );
  t.false(await isRunnable(plain));
  t.like(await store.places.find(plain.executionId), { ahead: 0 });
  // The other waits for its key first, as before.
  t.is(await store.places.find(keyed.executionId), null);
  t.deepEqual(await store.places.admit({ tenantId, limit: 10 }), []);
  t.is((await judge(store, start(false))).accepted, false);

  const ended = {
    status: 'completed',
    events: [makeEvent({ kind: 'WorkflowCompleted' })],
  } as const;
  await commitOne(store, makePlan(running, ended));
  t.like(await store.places.admit({ tenantId, limit: 10 }), [{ executionId: plain.executionId }]);
  t.true(await isRunnable(plain));
});
