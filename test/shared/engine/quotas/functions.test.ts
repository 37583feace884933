import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ClaimedWork } from '../../../../src/shared/engine/work/hand-out-items.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Quotas of durable functions count turns: a function that is suspended has no place. */

const NO_ENTRIES = { expectedLength: 0, entries: [] };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: workers have no more turns of a function than its limit`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 5, { concurrency: { limit: 2 } });
    const first = await claimTurns(svc);
    t.is(first.length, 2);
    t.deepEqual(await claimTurns(svc), []);
    await svc.complete(first[0]);
    await svc.settle();
    t.is((await claimTurns(svc)).length, 1);
  });

  test(`${dialect}: a function that is suspended frees its place, and waits for one to continue`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 2, { concurrency: { limit: 1 } });
    const [first] = await claimTurns(svc);
    const waits = [{ identity: 'nap', kind: 'timer' as const, delay_ms: 0 }];
    await svc.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits });
    await svc.settle();
    const [second, ...others] = await claimTurns(svc);
    t.deepEqual(others, []);
    t.not(second?.record.executionId, first?.record.executionId);
    await svc.settle();
    t.deepEqual(await claimTurns(svc), []);
    await svc.complete(second);
    await svc.settle();
    const [last] = await claimTurns(svc);
    t.like(last, { record: { executionId: first?.record.executionId }, opened: { turn: 1 } });
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a turn that fails or is released waits for a place again`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 3, { concurrency: { key: 'input.n', limit: 1 } }, { n: 7 });
    const [first] = await claimTurns(svc);
    await svc.fail(first);
    const second = await claimOne(svc);
    await svc.engine.releaseWorkItem(refOf(second));
    const third = await claimOne(svc);
    t.deepEqual(await claimTurns(svc), []);
    await svc.complete(third);
    t.truthy(await claimOne(svc));
  });

  test(`${dialect}: a pinned function waits below its limit for its build`, async (t) => {
    const svc = await open(t, dialect);
    const quota = { pinned: true, concurrency: { limit: 1 } };
    await startMany(svc, 1, quota);
    const [first] = await claimTurns(svc, 'blue');
    await svc.engine.suspendFunction({ ...refOf(first), ...NO_ENTRIES, waits: [] });
    await svc.settle();
    t.deepEqual(await claimTurns(svc, 'green'), []);
    const [next] = await claimTurns(svc, 'blue');
    t.is(next?.opened?.turn, 1);
    await startMany(svc, 1, quota);
    t.deepEqual(await claimTurns(svc, 'green'), []);
    await svc.complete(next);
    await svc.settle();
    t.is((await claimTurns(svc, 'green')).length, 1);
  });

  test(`${dialect}: each turn takes a token of the rate`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 1, { rate: { limit: 2, per: '1d' } });
    for (const turn of [0, 1]) {
      const [item] = await claimTurns(svc);
      t.is(item?.opened?.turn, turn);
      await svc.engine.suspendFunction({ ...refOf(item), ...NO_ENTRIES, waits: [] });
      await svc.settle();
    }
    t.deepEqual(await claimTurns(svc), []);
  });

  test(`${dialect}: a function calls a tool below its limit through a child`, async (t) => {
    const svc = await open(t, dialect);
    const pay = { type: 'python_fn', module: 'shop', function: 'pay', concurrency: { limit: 1 } };
    const workflow = { workflow_id: 'pay', nodes: { pay: { kind: pay, output_key: 'paid' } } };
    await svc.engine.registerWorkflow({ tenantId: TENANT, actorId: 'token:test', ir: workflow });
    await startMany(svc, 2, {});
    for (const item of await claimTurns(svc)) {
      const child = { identity: 'pay', kind: 'child' as const, workflow_id: 'pay', input: {} };
      await svc.engine.suspendFunction({ ...refOf(item), ...NO_ENTRIES, waits: [child] });
    }
    await svc.settle();
    const paying = await svc.claim('worker-1', 10);
    t.is(paying.length, 1);
    await svc.complete(paying[0], { output: { id: 1 } });
    await svc.settle();
    t.is((await svc.claim('worker-1', 10)).length, 1);
    const [resumed] = await claimTurns(svc);
    const [recorded] = resumed?.opened?.journal.entries ?? [];
    t.like(recorded?.entry, { kind: 'child', output: { paid: { id: 1 } } });
  });
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres'): Promise<TestEngine> {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  return openTestEngine({ store });
}

async function startMany(
  svc: TestEngine,
  count: number,
  options: JsonObject,
  input: JsonObject = {},
): Promise<void> {
  const retry_policy = { max_attempts: 3, initial_delay_ms: 1, jitter: false };
  const kind = { type: 'function', name: 'f', ...options };
  for (let n = 0; n < count; n += 1) {
    await svc.start({ nodes: { f: { kind, retry_policy } } }, input);
  }
  await svc.settle();
}

function claimTurns(svc: TestEngine, buildId?: string): Promise<readonly ClaimedWork[]> {
  return svc.engine.claimWork({
    tenantId: TENANT,
    workerId: `worker-${buildId ?? 1}`,
    queues: ['function'],
    ...(buildId !== undefined && { filter: { buildId } }),
    maxItems: 10,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
  });
}

/** The next turn, once its retry is due. */
function claimOne(svc: TestEngine): Promise<ClaimedWork> {
  return eventually(async () => {
    await svc.settle();
    const [item, ...others] = await claimTurns(svc);
    if (item === undefined || others.length > 0) throw new Error(`${others.length} items more`);
    return item;
  });
}

function refOf(item: ClaimedWork | undefined) {
  if (item === undefined) throw new Error('nothing was claimed');
  return { tenantId: TENANT, workItemId: item.record.workItemId, leaseFence: item.leaseFence };
}
