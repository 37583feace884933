import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeCall, NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';

const SHARDS = [...Array(64).keys()];
const ONE: JsonObject = { nodes: { a: { kind: 'call' } }, edges: [] };
const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };

/** An engine that runs what is started in it, like a process whose scheduler holds every shard. */
async function openTaking(
  { store }: TestStore,
  given: { readonly run?: (call: NodeCall) => Promise<NodeOutcome>; readonly underWayMax?: number },
) {
  const { run, underWayMax = 100 } = given;
  const host = openTestEngine({ store, ...(run && { run }) });
  host.scheduling.takeStarts({ shards: SHARDS, underWayMax });
  // The engine has now checked the queue for older items.
  await host.turn();
  return host;
}

async function lengths({ contents }: TestStore) {
  const { work_queue: queue = [], work_leases: leases = [] } = await contents();
  return { queue: queue.length, leases: leases.length };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const opened = openTestStore(dialect);
  test.after.always(async () => (await opened).close());

  const named = (title: string, run: (t: ExecutionContext) => Promise<void>): void => {
    test.serial(`${title} (${dialect})`, run);
  };

  named(
    'items that a process starts and may run are leased to it from birth, and begun',
    async (t) => {
      const database = await opened;
      const began = Promise.withResolvers<NodeCall>();
      const finish = Promise.withResolvers<NodeOutcome>();
      const run = (call: NodeCall) => {
        began.resolve(call);
        return finish.promise;
      };
      const host = await openTaking(database, { run });
      const executionId = await host.start(ONE);
      t.deepEqual(await lengths(database), { queue: 0, leases: 1 });
      t.like(await began.promise, { executionId, nodeId: 'a', attempt: 0 });
      t.is(host.scheduling.underWay(), 1);
      finish.resolve(done);
      await host.settle();
      t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
      t.is(host.counts.get('commits'), 2);
      t.deepEqual(await lengths(database), { queue: 0, leases: 0 });
      t.deepEqual(host.troubles, []);
    },
  );

  named('while it is not known what waits, it goes to the queue', async (t) => {
    const database = await opened;
    const { store } = database;
    const claim = () => Promise.reject(new Error('the queue cannot be read'));
    const host = openTestEngine({ store: { ...store, work: { ...store.work, claim } } });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await t.throwsAsync(host.scheduling.runQueuedNodes({ shards: SHARDS, limit: 10 }));
    const executionId = await host.start(ONE);
    t.deepEqual(await lengths(database), { queue: 1, leases: 0 });
    const other = await openTaking(database, {});
    await other.settle();
    t.is((await other.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  named('without room it goes to the queue, and so does what comes after it', async (t) => {
    const database = await opened;
    const gate = Promise.withResolvers<NodeOutcome>();
    const host = await openTaking(database, { run: () => gate.promise, underWayMax: 1 });
    await host.start(ONE);
    await host.start(ONE);
    t.deepEqual(await lengths(database), { queue: 1, leases: 1 });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await host.start(ONE);
    t.deepEqual(await lengths(database), { queue: 2, leases: 1 });
    gate.resolve(done);
    await host.settle();
    // The queue is empty, so the process takes new items again.
    const executionId = await host.start(ONE);
    t.deepEqual((await lengths(database)).queue, 0);
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  named('items of other shards, or of a process that drains, go to the queue', async (t) => {
    const database = await opened;
    const host = await openTaking(database, {});
    host.scheduling.takeStarts({ shards: [], underWayMax: 100 });
    await host.start(ONE);
    t.deepEqual(await lengths(database), { queue: 1, leases: 0 });
    await host.settle();
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await host.scheduling.drain({ deadlineMs: 0 });
    await host.start(ONE);
    t.deepEqual(await lengths(database), { queue: 1, leases: 0 });
    await openTestEngine({ store: database.store }).settle();
    t.deepEqual(await lengths(database), { queue: 0, leases: 0 });
  });

  named('a process that dies after the start leaves a lease, and another continues', async (t) => {
    const database = await opened;
    const dying = await openTaking(database, { run: () => new Promise(() => undefined) });
    const executionId = await dying.start({
      nodes: { a: { kind: 'call', retry_policy: { max_attempts: 2, initial_delay: 0 } } },
      edges: [],
    });
    await database.age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
    const attempts: number[] = [];
    const other = openTestEngine({
      store: database.store,
      run: async ({ attempt }) => {
        attempts.push(attempt);
        return done;
      },
    });
    await other.settle();
    t.deepEqual(attempts, [1]);
    t.is((await other.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  named('a cancel wins over what has just begun', async (t) => {
    const database = await opened;
    const aborted = Promise.withResolvers<void>();
    const run = (call: NodeCall) =>
      new Promise<NodeOutcome>((resolve) => {
        call.signal.addEventListener('abort', () => {
          aborted.resolve();
          resolve(done);
        });
      });
    const host = await openTaking(database, { run });
    const executionId = await host.start(ONE);
    const { tenantId } = (await database.store.executions.load(executionId, null))?.row ?? {};
    if (tenantId === undefined) throw new Error('the execution does not exist');
    await host.engine.cancelExecution({ tenantId, executionId, actorId: 'token:test' });
    await aborted.promise;
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCancelled');
    t.deepEqual(await lengths(database), { queue: 0, leases: 0 });
  });
}
