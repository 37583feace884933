import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

const OF_ALL = { shards: [...Array(64).keys()], limit: 100 };
const UNDER_WAY_MAX = 2;
const SMALL = 'small' as TenantId;
const WAIT = { type: 'wait', condition: 'external_event', correlation_key: 'k' };

test('slow calls that fill a process hold up no decisions, and their items wait for room', async (t) => {
  const { store, close, contents } = await openTestStore('sqlite');
  t.teardown(close);
  const slow = Promise.withResolvers<NodeOutcome>();
  const host = openTestEngine({ store, run: () => slow.promise });
  host.scheduling.takeStarts({ shards: OF_ALL.shards, underWayMax: UNDER_WAY_MAX });
  for (let n = 0; n < UNDER_WAY_MAX; n += 1) {
    await host.start({ nodes: { a: { kind: 'call' } }, edges: [] });
  }
  await host.scheduling.runQueuedNodes({ ...OF_ALL, limit: UNDER_WAY_MAX });
  t.is(host.scheduling.underWay(), UNDER_WAY_MAX);

  const other = openTestEngine({ store, tenantId: SMALL });
  const ending = await other.start({ nodes: { wait: { kind: WAIT } }, edges: [] });
  const calling = await other.start({
    nodes: { wait: { kind: WAIT }, call: { kind: 'call' } },
    edges: [{ from: 'wait', to: 'call' }],
  });
  await other.turn();
  for (const executionId of [ending, calling]) {
    await other.engine.deliverExternalEvent({
      tenantId: SMALL,
      executionId,
      actorId: 'token:test',
      correlationKey: 'k',
      payload: {},
    });
  }
  await host.scheduling.advanceRunnable(OF_ALL);
  while (host.scheduling.underWay() > UNDER_WAY_MAX) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is((await other.story(ending)).at(-1), 'WorkflowCompleted');
  t.is((await other.story(calling)).at(-1), 'NodeScheduled call');
  const { work_queue: queue, work_leases: leases } = await contents();
  t.is(queue?.length, 1, 'the item is for a process with room');
  t.is(leases?.length, UNDER_WAY_MAX);

  slow.resolve({ ok: true, output: {}, statePatch: {} });
  await host.settle();
  t.is((await other.story(calling)).at(-1), 'WorkflowCompleted');
});

test('a decision takes no place for which older items wait', async (t) => {
  const { store, close, contents } = await openTestStore('sqlite');
  t.teardown(close);
  const slow = Promise.withResolvers<NodeOutcome>();
  const host = openTestEngine({ store, run: () => slow.promise });
  const started = await host.start({
    nodes: { wait: { kind: WAIT }, call: { kind: 'call' } },
    edges: [{ from: 'wait', to: 'call' }],
  });
  await host.turn();
  for (let n = 0; n < 3; n += 1) {
    await host.start({ nodes: { a: { kind: 'call' } }, edges: [] });
  }
  await host.scheduling.runQueuedNodes({ ...OF_ALL, limit: 1 });
  await host.engine.deliverExternalEvent({
    tenantId: TENANT,
    executionId: started,
    actorId: 'token:test',
    correlationKey: 'k',
    payload: {},
  });
  await host.scheduling.advanceRunnable(OF_ALL);
  while ((await host.story(started)).at(-1) !== 'NodeScheduled call') {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { work_queue: queue, work_leases: leases } = await contents();
  t.deepEqual([queue?.length, leases?.length], [3, 1]);
  slow.resolve({ ok: true, output: {}, statePatch: {} });
  await host.settle();
  t.is((await host.story(started)).at(-1), 'WorkflowCompleted');
});
