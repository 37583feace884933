import test from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { NodeOutcome } from '../../../src/shared/nodes/run.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { openTestEngine } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const ALL_SHARDS = [...Array(64).keys()];
const oneCall = { nodes: { a: { kind: 'call' } }, edges: [] };

test('an execution that breaks during a drain does not take the others down with it', async (t) => {
  const { store, close, contents } = await openTestStore('sqlite');
  t.teardown(close);
  let broken: ExecutionId | null = null;
  const gate = Promise.withResolvers<void>();
  const watched: Store = {
    ...store,
    executions: {
      ...store.executions,
      load: async (id, tenantId) => {
        if (id !== broken) return store.executions.load(id, tenantId);
        await gate.promise;
        throw new Error('this history cannot be read');
      },
    },
  };
  const host = openTestEngine({
    store: watched,
    run: () => new Promise<NodeOutcome>(() => undefined),
  });
  await host.start(oneCall);
  await host.turn();
  broken = await host.start(oneCall);
  await host.turn();
  const drained = host.scheduling.drain({ deadlineMs: 20 });
  gate.resolve();
  await drained;
  const { work_leases: leases, work_queue: queue } = await contents();
  // The item of the broken one stays leased until its lease lapses.
  t.is(leases?.length, 1);
  t.is(queue?.length, 1);
});

test('a drain leaves an endless run of pure nodes to others', async (t) => {
  const { store, close, contents } = await openTestStore('sqlite');
  t.teardown(close);
  const host = openTestEngine({ store });
  await host.start({
    start_node: 'a',
    nodes: { a: { kind: 'pass' } },
    edges: [{ from: 'a', to: 'a', condition: '1 == 1' }],
  });
  await host.scheduling.advanceRunnable({ shards: ALL_SHARDS, limit: 10 });
  await host.scheduling.drain({ deadlineMs: 5_000 });
  t.is(host.scheduling.underWay(), 0);
  const { runnable } = await contents();
  t.is(runnable?.length, 1);
});

test('items claimed while a drain begins are given back', async (t) => {
  const { store, close, contents } = await openTestStore('sqlite');
  t.teardown(close);
  const claimed = Promise.withResolvers<void>();
  const watched: Store = {
    ...store,
    work: {
      ...store.work,
      claim: async (request) => {
        const items = await store.work.claim(request);
        await claimed.promise;
        return items;
      },
    },
  };
  const host = openTestEngine({ store: watched });
  await host.start(oneCall);
  const round = host.scheduling.runQueuedNodes({ shards: ALL_SHARDS, limit: 10 });
  const drained = host.scheduling.drain({ deadlineMs: 5_000 });
  claimed.resolve();
  await round;
  await drained;
  t.is(host.scheduling.underWay(), 0);
  const { work_leases: leases, work_queue: queue } = await contents();
  t.deepEqual(leases, []);
  t.is(queue?.length, 1);
});
