import test, { type ExecutionContext } from 'ava';

import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/*
 * The commit that completes a worker's item also decides the next step. No scheduler runs unless a
 * test settles.
 */

const WORK = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const CALL = { kind: { type: 'call' } };
const CHAIN = {
  nodes: { a: WORK, b: WORK, c: WORK },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};
const ALL_SHARDS = [...Array(64).keys()];
const stepOf = (node: string) => [
  `NodeScheduled ${node}`,
  `ToolCallCompleted ${node}`,
  `NodeCompleted ${node}`,
];
const CHAIN_STORY = [
  'WorkflowStarted',
  ...stepOf('a'),
  ...stepOf('b'),
  ...stepOf('c'),
  'WorkflowCompleted',
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (
    title: string,
    run: (t: ExecutionContext, host: TestEngine, other: TestEngine) => Promise<void>,
  ): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const host = openTestEngine({ store });
      await run(t, host, openTestEngine({ store }));
      t.deepEqual(host.troubles, []);
    });

  check('a chain of items ends without a scheduler and without a mark', async (t, host) => {
    const id = await host.start(CHAIN);
    for (let step = 0; step < 3; step += 1) {
      await host.complete((await host.claim())[0]);
      t.is(await marks(host), 0);
    }
    t.deepEqual(await host.story(id), CHAIN_STORY);
    t.is(await statusOf(host, id), 'completed');
  });

  check('processes that take turns write the same history', async (t, host, other) => {
    const id = await host.start(CHAIN);
    // The second completion in the first process finds a state that the other process has changed.
    for (const one of [host, other, host]) await one.complete((await one.claim())[0]);
    t.deepEqual(await host.story(id), CHAIN_STORY);
    t.is(await marks(host), 0);
  });

  check('events that came meanwhile are decided with it', async (t, host) => {
    const event = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'paid' } };
    const id = await host.start({ nodes: { a: WORK, b: event }, edges: [{ from: 'a', to: 'b' }] });
    const [item] = await host.claim();
    const { engine } = host;
    const by = { tenantId: TENANT, actorId: 'token:test', executionId: id };
    await engine.deliverExternalEvent({ ...by, correlationKey: 'paid', payload: {} });
    await host.complete(item);
    t.is(await statusOf(host, id), 'completed');
    t.is(await marks(host), 0);
  });

  check('with many items at work the facts are marked for a scheduler', async (t, host) => {
    const names = Array.from({ length: 6 }, (_, n) => `n${n}`);
    const id = await host.start({
      nodes: {
        fork: { kind: { type: 'parallel' } },
        ...Object.fromEntries(names.map((name) => [name, WORK])),
      },
      edges: names.map((to) => ({ from: 'fork', to })),
    });
    const items = await host.claim('worker-1', 6);
    await host.complete(items[0]);
    t.is(await marks(host), 1);
    t.is((await host.story(id)).at(-1), 'NodeCompleted n0');
    for (const item of items.slice(1)) await host.complete(item);
    await host.settle();
    t.is(await statusOf(host, id), 'completed');
  });

  check('a node of the engine that this process does not run is left to one', async (t, host) => {
    const id = await host.start({
      nodes: { a: WORK, b: CALL },
      edges: [{ from: 'a', to: 'b' }],
    });
    await host.complete((await host.claim())[0]);
    t.is(await marks(host), 1);
    t.is((await host.story(id)).at(-1), 'NodeCompleted a');
    await host.settle();
    t.is(await statusOf(host, id), 'completed');
  });

  check('a node of the engine runs at once where its shard is held', async (t, host) => {
    host.scheduling.takeStarts({ shards: ALL_SHARDS, underWayMax: 100 });
    // The engine has now checked that no older item waits.
    await host.settle();
    const id = await host.start({
      nodes: { a: WORK, b: CALL, c: WORK },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
    });
    await host.complete((await host.claim())[0]);
    t.true((await host.story(id)).includes('NodeScheduled b'));
    await host.settle();
    await host.complete((await host.claim())[0]);
    t.is(await statusOf(host, id), 'completed');
  });

  check('a stale fence is refused and decides nothing', async (t, host, other) => {
    const id = await host.start(CHAIN);
    const [item] = await host.claim();
    await host.complete(item);
    await t.throwsAsync(host.complete(item), { message: /already settled/ });
    await t.throwsAsync(other.complete(item), { message: /already settled/ });
    t.deepEqual((await host.story(id)).at(-1), 'NodeScheduled b');
  });

  check(
    'the history has the result of an item, and the key that it was made with',
    async (t, host) => {
      const id = await host.start(CHAIN);
      const [item] = await host.claim();
      await host.complete(item, { output: { n: 1 }, statePatch: { n: 1 } });
      const loaded = await host.store.executions.load(id, null);
      const payloads = loaded?.events.map(({ payload }) => payload);
      t.like(payloads?.[1], { idempotency_key: item?.record.idempotencyKey });
      t.like(payloads?.[3], { output: { n: 1 }, state_patch: { n: 1 } });
    },
  );
}

async function marks({ store }: TestEngine): Promise<number> {
  return (await store.runnable.list({ shards: ALL_SHARDS, limit: 10 })).length;
}

async function statusOf(host: TestEngine, executionId: string): Promise<string> {
  const { row } = await host.engine.readExecution({ tenantId: TENANT, executionId });
  return row.status;
}
