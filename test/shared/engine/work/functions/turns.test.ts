import test, { type ExecutionContext } from 'ava';

import type { ClaimedWork } from '../../../../../src/shared/engine/work/hand-out-items.ts';
import { systemTimers } from '../../../../../src/shared/engine/scheduling/timers.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

/*
 * A turn of a durable function that this process knows already is opened without a reading, and the commit
 * that ends it decides what follows. No scheduler runs, unless a test settles.
 */

const FUNCTION = { nodes: { f: { kind: { type: 'function', name: 'f' } } }, edges: [] };

const CHAIN = {
  nodes: { ...FUNCTION.nodes, g: { kind: { type: 'function', name: 'g' } } },
  edges: [{ from: 'f', to: 'g' }],
};
const ALL_SHARDS = [...Array(64).keys()];

/** The clock stands still: a claim that has looked waits for a hint. */
const timers = { ...systemTimers, now: () => 0 };

interface Place {
  readonly host: TestEngine;
  readonly other: TestEngine;
  /** How often an execution was read here. */
  readonly loads: () => number;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, place: Place) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      let loads = 0;
      const load: typeof store.executions.load = (id, tenantId) => {
        loads += 1;
        return store.executions.load(id, tenantId);
      };
      const executions = { ...store.executions, load };
      const host = openTestEngine({ store: { ...store, executions }, timers });
      await run(t, { host, other: openTestEngine({ store }), loads: () => loads });
      t.deepEqual([...host.troubles], []);
    });

  check('a function that starts while a claim waits is never read', async (t, place) => {
    const { host, loads } = place;
    const { claimed } = await waitForTurn(host);
    const id = await host.start(FUNCTION);
    const [item] = await claimed;
    t.like(item?.opened, { turn: 0, mode: 'run', journal: { entries: [], length: 0 } });
    await record(host, item, { identity: 'a', at: 0 });
    await record(host, item, { identity: 'b', at: 1 });
    await host.complete(item);
    t.is(loads(), 0);
    t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
    t.is(await marks(host), 0);
  });

  check(
    'the next function of a chain is leased to the claim that completes one',
    async (t, place) => {
      const { host, loads } = place;
      const { claimed } = await waitForTurn(host);
      const id = await host.start(CHAIN);
      const [f] = await claimed;
      const [g] = await claimTurn(host, { carries: () => host.complete(f) });
      t.is(g?.record.nodeId, 'g');
      await host.complete(g);
      t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
      t.is(loads(), 0);
    },
  );

  check('a visit that continues as new is leased to the claim that ends one', async (t, place) => {
    const { host, loads } = place;
    const { claimed } = await waitForTurn(host);
    await host.start(FUNCTION);
    const [first] = await claimed;
    const carries = async () => {
      await host.engine.continueFunction({ ...refOf(first), ...NO_ENTRIES, input: { n: 1 } });
    };
    const [next] = await claimTurn(host, { carries });
    t.like(next?.record, { visit: 1, payload: { input: { n: 1 } } });
    t.is(next?.opened?.journal.length, 0);
    t.is(loads(), 0);
  });

  check('a turn that yields is on its queue again', async (t, { host }) => {
    await host.start(FUNCTION);
    const [first] = await claimTurn(host);
    await host.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits: [] });
    t.is(await marks(host), 0);
    const [next] = await claimTurn(host);
    t.is(next?.opened?.turn, 1);
  });

  check(
    'a function that waits rests without a mark, and its timer wakes it',
    async (t, { host }) => {
      const id = await host.start(FUNCTION);
      const [first] = await claimTurn(host);
      const waits = [{ identity: 'nap', kind: 'timer' as const, delay_ms: 0 }];
      await host.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits });
      t.is(await marks(host), 0);
      await host.settle();
      const [next] = await claimTurn(host);
      t.is(next?.opened?.journal.length, 1);
      await host.complete(next);
      t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
    },
  );

  check('an approval pauses the execution with the suspension', async (t, { host }) => {
    const executionId = await host.start(FUNCTION);
    const [first] = await claimTurn(host);
    const waits = [{ identity: 'ok', kind: 'approval' as const }];
    await host.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits });
    const { row } = await host.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'paused');
    t.is(await marks(host), 0);
  });

  check('a child of a function counts as a started execution', async (t, { host }) => {
    const ir = { workflow_id: 'child', nodes: { a: { kind: 'call' } }, edges: [] };
    await host.engine.registerWorkflow({ tenantId: TENANT, actorId: 'token:test', ir });
    await host.start(FUNCTION);
    const [first] = await claimTurn(host);
    t.is(host.counts.get('executions_started'), 1);
    const waits = [{ identity: 'c', kind: 'child' as const, workflow_id: 'child', input: {} }];
    await host.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits });
    t.is(host.counts.get('executions_started'), 2);
  });

  check(
    'a function that fails permanently fails its execution, and is a dead letter',
    async (t, place) => {
      const { host } = place;
      const id = await host.start(FUNCTION);
      const [item] = await claimTurn(host);
      await host.fail(item, { isFinal: true });
      t.is((await host.story(id)).at(-1), 'WorkflowFailed');
      const page = { limit: 10, before: null };
      const items = await host.engine.listDeadLetters({ tenantId: TENANT, ...page });
      t.is(items.length, 1);
    },
  );

  check(
    'a completion that another process overtakes is decided on what it left',
    async (t, place) => {
      const { host, other, loads } = place;
      const { claimed } = await waitForTurn(host);
      const id = await host.start(CHAIN);
      const [item] = await claimed;
      await record(other, item, { identity: 'a', at: 0 });
      await host.complete(item);
      t.is(loads(), 1);
      t.is((await host.story(id)).at(-1), 'NodeScheduled g');
      t.is(await marks(host), 0);
    },
  );

  check('a turn from the queue has the steps that another process recorded', async (t, place) => {
    const { host, other, loads } = place;
    const { claimed } = await waitForTurn(host);
    await host.start(FUNCTION);
    const [item] = await claimed;
    // The other process has the item, and gives it back.
    await record(other, item, { identity: 'a', at: 0 });
    await other.fail(item, { retryAfterMs: 0 });
    await other.settle();
    const [again] = await claimTurn(host);
    t.is(loads(), 1);
    t.is(again?.opened?.journal.length, 1);
    t.is(again?.attempt, 1);
  });
}

const NO_ENTRIES = { expectedLength: 0, entries: [] };

function refOf(item: ClaimedWork | undefined) {
  if (item === undefined) throw new Error('nothing was claimed');
  return { tenantId: TENANT, workItemId: item.record.workItemId, leaseFence: item.leaseFence };
}

async function marks({ store }: TestEngine): Promise<number> {
  return (await store.runnable.list({ shards: ALL_SHARDS, limit: 10 })).length;
}

async function record(
  { engine }: TestEngine,
  item: ClaimedWork | undefined,
  given: { readonly identity: string; readonly at: number },
): Promise<void> {
  const { identity, at: expectedLength } = given;
  const entries = [{ identity, kind: 'step' as const, output: identity }];
  await engine.recordSteps({ ...refOf(item), expectedLength, entries });
}

type Claim = Parameters<TestEngine['engine']['claimWork']>[0];

/** A claim that has found nothing, and waits. */
async function waitForTurn(host: TestEngine): Promise<{
  readonly claimed: Promise<readonly ClaimedWork[]>;
}> {
  const { waitingClaims } = host.deps;
  const open = waitingClaims.open.bind(waitingClaims);
  const waits = Promise.withResolvers<void>();
  waitingClaims.open = (claim) => {
    waits.resolve();
    return open(claim);
  };
  const claimed = claimTurn(host, { waitMs: 20_000 });
  await waits.promise;
  return { claimed };
}

function claimTurn(
  host: TestEngine,
  changes: Pick<Partial<Claim>, 'waitMs' | 'carries'> = {},
): Promise<readonly ClaimedWork[]> {
  return host.engine.claimWork({
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['function'],
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
    ...changes,
  });
}
