import test from 'ava';

import { DEFAULT_TENANT, type ExecutionId } from '../../../src/shared/domain/ids.ts';
import { type Store, StoreUnavailableError } from '../../../src/shared/store/store.ts';
import { openTestEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestStore } from '../../support/stores.ts';

const ALL_SHARDS = [...Array(64).keys()];
const oneCall = { nodes: { a: { kind: 'call' } }, edges: [] };
const endless = {
  start_node: 'a',
  nodes: { a: { kind: 'pass' }, b: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
  edges: [
    { from: 'a', to: 'a', condition: 'input.endless' },
    { from: 'a', to: 'b' },
  ],
};

test('executions that cannot be advanced are set aside and starve no others', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const broken = new Set<ExecutionId>();
  const advanced = new Set<ExecutionId>();
  let failures = 0;
  const watched: Store = {
    ...store,
    executions: {
      ...store.executions,
      load: async (id, tenantId) => {
        if (broken.has(id)) {
          failures += 1;
          throw new Error('this history cannot be read');
        }
        advanced.add(id);
        return store.executions.load(id, tenantId);
      },
    },
  };
  const host = openTestEngine({ store: watched });
  // Both are marked, because a start decides only a limited number of nodes.
  broken.add(await host.start(endless, { endless: true }));
  const healthy = await host.start(endless, { endless: true });
  for (let round = 0; round < 5; round += 1) {
    await host.scheduling.advanceRunnable({ shards: ALL_SHARDS, limit: 1 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.true(advanced.has(healthy));
  t.is(failures, 1);
  t.is(host.troubles.length, 1);
  await host.scheduling.drain({ deadlineMs: 5_000 });
});

for (const isDown of [false, true]) {
  const why = isDown ? 'the store is down' : 'a history cannot be read';
  test(`an item leased to a worker is handed out, though ${why} at another item`, async (t) => {
    const { store, close } = await openTestStore('sqlite');
    t.teardown(close);
    const broken = new Set<ExecutionId>();
    const watched: Store = {
      ...store,
      executions: {
        ...store.executions,
        load: async (id, tenantId) => {
          if (!broken.has(id)) return store.executions.load(id, tenantId);
          throw isDown ? new StoreUnavailableError(why, { ambiguous: false }) : new Error(why);
        },
      },
    };
    const { engine, start, claim, troubles } = openTestEngine({ store: watched });
    const work = {
      policy: { blocked_tools: [] },
      nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
    };
    const before = await start(work);
    broken.add(await start(work));
    const after = await start(work);
    // From now on, a claim loads executions to read their own policies.
    await engine.updateTenant({
      tenantId: DEFAULT_TENANT,
      actorId: 'token:test',
      changes: { name: null, status: null, policy: { blocked_tools: ['m.*'] }, limits: null },
    });
    const claimed = await claim('worker-1', 5);
    t.deepEqual(
      claimed.map(({ record }) => record.executionId),
      [before, after],
    );
    t.is(troubles.length, 1);
    broken.add(await start(work));
    await t.throwsAsync(claim(), { message: why });
  });
}

test('an item taken during an outage waits for the store without hammering it', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  let isDown = false;
  let readings = 0;
  const watched: Store = {
    ...store,
    executions: {
      ...store.executions,
      load: async (id, tenantId) => {
        if (!isDown) return store.executions.load(id, tenantId);
        readings += 1;
        if (readings > 50) throw new Error('read again and again');
        throw new StoreUnavailableError('the store is down', { ambiguous: false });
      },
    },
  };
  const host = openTestEngine({ store: watched });
  const executionId = await host.start(oneCall);
  isDown = true;
  await host.scheduling.runQueuedNodes({ shards: ALL_SHARDS, limit: 10 });
  await new Promise((resolve) => setImmediate(resolve));
  t.true(readings <= 2, `${readings} readings`);
  isDown = false;
  await eventually(async () => {
    const last = (await host.story(executionId)).at(-1);
    if (last !== 'WorkflowCompleted') throw new Error(last);
  });
  t.deepEqual(host.troubles, []);
});
