import test, { type ExecutionContext } from 'ava';

import type { ClaimedWork } from '../../../../../src/shared/engine/work/hand-out-items.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

/* A turn of a durable function that this process knows already is opened without a reading. */

const FUNCTION = { nodes: { f: { kind: { type: 'function', name: 'f' } } }, edges: [] };

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
      const host = openTestEngine({ store: { ...store, executions } });
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
    await host.settle();
    t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
  });

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

async function record(
  { engine }: TestEngine,
  item: ClaimedWork | undefined,
  given: { readonly identity: string; readonly at: number },
): Promise<void> {
  if (item === undefined) throw new Error('nothing was claimed');
  const { identity, at: expectedLength } = given;
  const { workItemId } = item.record;
  const entries = [{ identity, kind: 'step' as const, output: identity }];
  const of = { tenantId: TENANT, workItemId, leaseFence: item.leaseFence };
  await engine.recordSteps({ ...of, expectedLength, entries });
}

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
  const claimed = claimTurn(host, 20_000);
  await waits.promise;
  return { claimed };
}

function claimTurn(host: TestEngine, waitMs = 0): Promise<readonly ClaimedWork[]> {
  return host.engine.claimWork({
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['function'],
    maxItems: 1,
    waitMs,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
  });
}
