import test from 'ava';
import type { ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { ids } from '../../../../src/runtime/ids.ts';
import { openTestEngine, type TestEngine, TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';

const CALLER = { tenantId: TENANT, actorId: 'token:test' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: workers have no more calls of a tool than its limit`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 5, { limit: 2 });
    const first = await svc.claim('worker-1', 10);
    t.is(first.length, 2);
    await svc.settle();
    t.deepEqual(await svc.claim('worker-2', 10), []);
    await svc.complete(first[0]);
    await svc.settle();
    const second = await svc.claim('worker-2', 10);
    t.is(second.length, 1);
    t.is(await drain(svc, [...first.slice(1), ...second], 2), 4);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: each key has its own places, and shares them between workflows`, async (t) => {
    const svc = await open(t, dialect);
    const concurrency = { key: 'input.customer', limit: 1 };
    await startMany(svc, 3, concurrency, { customer: 'a/b#c' });
    await startMany(svc, 3, concurrency, { customer: 7 });
    const claimed = await svc.claim('worker-1', 10);
    t.deepEqual(
      claimed.map(({ record }) => record.payload['input']).toSorted(byText),
      [{ customer: 'a/b#c' }, { customer: 7 }].toSorted(byText),
    );
    t.is(await drain(svc, claimed, 2), 6);
  });

  test(`${dialect}: an older version with a lower limit counts the same places`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 1, { limit: 1 });
    await startMany(svc, 3, { limit: 2 });
    t.is((await svc.claim('worker-1', 10)).length, 2);
  });

  test(`${dialect}: calls with a lower limit have their turn, and begin below their limit`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 12, { limit: 3 });
    const low = new Set(await startMany(svc, 2, { limit: 1 }));
    const calls: boolean[] = [];
    let under = await svc.claim('worker-1', 10);
    for (; under.length > 0; under = [...under, ...(await svc.claim('worker-1', 10))]) {
      t.true(under.length <= 3);
      const [item] = under;
      const isLow = low.has(item?.record.executionId as ExecutionId);
      calls.push(isLow);
      await svc.complete(item);
      under = under.slice(1);
      await svc.settle();
    }
    t.is(calls.length, 14);
    t.true(calls.slice(0, 8).includes(true), calls.join());
  });

  test(`${dialect}: a queue that is gone holds no others back`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 4, { limit: 2 });
    const [low] = await startMany(svc, 1, { limit: 1 });
    const first = await svc.claim('worker-1', 10);
    await svc.settle();
    if (low !== undefined) await svc.engine.cancelExecution({ ...CALLER, executionId: low });
    await svc.complete(first[0]);
    await svc.settle();
    t.is((await svc.claim('worker-1', 10)).length, 1);
  });

  test(`${dialect}: a failed attempt frees its place and waits for one again`, async (t) => {
    const svc = await open(t, dialect);
    const retry = { retry_policy: { max_attempts: 3, initial_delay_ms: 1, jitter: false } };
    await startMany(svc, 2, { limit: 1 }, {}, { ...retry, kind: { queue: 'gpu' } });
    const claim = () => claimGpu(svc);
    const [first] = await claim();
    await svc.fail(first);
    await eventually(async () => {
      await svc.settle();
      const { length } = await claim();
      if (length !== 1) throw new Error(`${length} items`);
    });
    t.deepEqual(await claim(), []);
  });

  test(`${dialect}: a lease that lapses frees its place`, async (t) => {
    const svc = await open(t, dialect, { leaseMs: 1 });
    const [lost] = await startMany(svc, 2, { limit: 1 });
    t.is((await svc.claim('lost', 10)).length, 1);
    t.truthy(lost);
    await eventually(async () => {
      await svc.settle();
      const { length } = await svc.claim('worker-2', 10);
      if (length !== 1) throw new Error(`${length} items`);
    });
    t.pass();
  });

  test(`${dialect}: a cancelled execution frees its place`, async (t) => {
    const svc = await open(t, dialect);
    const [first] = await startMany(svc, 2, { limit: 1 });
    t.is((await svc.claim('worker-1', 10)).length, 1);
    if (first !== undefined) await svc.engine.cancelExecution({ ...CALLER, executionId: first });
    await svc.settle();
    t.is((await svc.claim('worker-2', 10)).length, 1);
  });

  test(`${dialect}: explain names the quota and the place in its order`, async (t) => {
    const svc = await open(t, dialect);
    const started = await startMany(
      svc,
      4,
      { key: 'input.customer', limit: 2 },
      { customer: 'acme' },
    );
    await svc.claim('worker-1', 10);
    const codes = await Promise.all(
      started.map(async (executionId) => {
        const { blockers } = await svc.engine.explainExecution({ ...CALLER, executionId });
        return blockers[0];
      }),
    );
    t.deepEqual(
      codes.map((blocker) => blocker?.code),
      ['lease_held_until', 'lease_held_until', 'waiting_for_quota', 'waiting_for_quota'],
    );
    t.like(codes[3]?.details, { tool: 'shop.pay', position: 2 });
    t.regex(
      codes[3]?.message ?? '',
      /as number 2 for a place: at most 2 calls of shop\.pay with key "acme" at a time$/,
    );
  });

  test(`${dialect}: explain hides the key of a quota where a data policy hides inputs`, async (t) => {
    const svc = await open(t, dialect);
    const [, second] = await startMany(
      svc,
      2,
      { key: 'input.customer', limit: 1 },
      { customer: 'acme' },
      {},
      true,
      { data_policy: { pii_fields: ['customer'] } },
    );
    if (second === undefined) return t.fail('two were started');
    const { blockers } = await svc.engine.explainExecution({ ...CALLER, executionId: second });
    t.regex(blockers[0]?.message ?? '', /at most 1 call of shop\.pay at a time$/);
  });

  test(`${dialect}: many admissions at once give no place twice`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 8, { limit: 3 }, {}, {}, false);
    await Promise.all(Array.from({ length: 8 }, () => svc.scheduling.admitQuotaItems()));
    t.is((await svc.claim('worker-1', 10)).length, 3);
  });

  test(`${dialect}: a key that is no text fails its node`, async (t) => {
    const svc = await open(t, dialect);
    const [executionId] = await startMany(svc, 1, { key: 'input.customer', limit: 1 }, {});
    if (executionId === undefined) return t.fail('nothing was started');
    const { row } = await svc.engine.readExecution({ ...CALLER, executionId });
    t.is(row.status, 'failed');
  });
}

async function open(
  t: ExecutionContext,
  dialect: 'sqlite' | 'postgres',
  options: { readonly leaseMs?: number } = {},
): Promise<TestEngine> {
  const opened = await openTestStore(dialect);
  t.teardown(opened.close);
  return openTestEngine({ store: opened.store, ...options });
}

/** Executions of one workflow, in the order of their start. */
async function startMany(
  svc: TestEngine,
  count: number,
  concurrency: JsonObject,
  input: JsonObject = {},
  node: JsonObject & { readonly kind?: JsonObject } = {},
  admits = true,
  more: JsonObject = {},
): Promise<readonly ExecutionId[]> {
  const workflowId = `w-${ids.uuid()}`;
  const kind = { type: 'python_fn', module: 'shop', function: 'pay', concurrency, ...node.kind };
  await svc.engine.registerWorkflow({
    ...CALLER,
    ir: { workflow_id: workflowId, start_node: 'pay', nodes: { pay: { ...node, kind } }, ...more },
  });
  const started: ExecutionId[] = [];
  for (let n = 0; n < count; n += 1) {
    const { executionId } = await svc.engine.startExecution({
      ...CALLER,
      workflowId,
      workflowVersion: null,
      input,
      priority: 5,
      idempotencyKey: null,
    });
    started.push(executionId);
  }
  if (admits) await svc.settle();
  return started;
}

type Claimed = Awaited<ReturnType<TestEngine['claim']>>;

/** Completes everything; returns how many calls there were. Fails when more are leased than allowed. */
async function drain(svc: TestEngine, held: Claimed, most: number): Promise<number> {
  let calls = 0;
  let under = [...held];
  while (under.length > 0) {
    if (under.length > most) throw new Error(`${under.length} calls at a time`);
    const [item, ...others] = under;
    await svc.complete(item);
    calls += 1;
    await svc.settle();
    under = [...others, ...(await svc.claim('worker-3', 10))];
  }
  return calls;
}

function claimGpu(svc: TestEngine) {
  return svc.engine.claimWork({
    tenantId: TENANT,
    workerId: 'gpu-1',
    queues: ['python_tool'],
    filter: { queueNames: ['gpu'] },
    maxItems: 10,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
  });
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one).localeCompare(JSON.stringify(other));
}
