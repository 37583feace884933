import test from 'ava';
import type { ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { ids } from '../../../../src/runtime/ids.ts';
import { openTestEngine, type TestEngine, TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';

const CALLER = { tenantId: TENANT, actorId: 'token:test' };
/** No token comes while a test runs, so calls have those of the burst alone. */
const PER_DAY = { limit: 2, per: '1d' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: workers get no more calls of a tool than its burst, also when some end`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 5, { rate: PER_DAY });
    const first = await svc.claim('worker-1', 10);
    t.is(first.length, 2);
    for (const item of first) await svc.complete(item);
    await svc.settle();
    t.deepEqual(await svc.claim('worker-2', 10), []);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a token comes with its time`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 3, { rate: { limit: 50, per: '1s', burst: 1 } });
    let calls = 0;
    await eventually(async () => {
      await svc.settle();
      calls += (await svc.claim('worker-1', 10)).length;
      if (calls < 3) throw new Error(`${calls} calls`);
    });
    t.is(calls, 3);
  });

  test(`${dialect}: each key has its own tokens, shared between workflows and queues`, async (t) => {
    const svc = await open(t, dialect);
    const rate = { ...PER_DAY, key: 'input.customer' };
    await startMany(svc, 3, { rate }, { customer: 'a/b#c' });
    await startMany(svc, 3, { rate, concurrency: { limit: 3 } }, { customer: 'a/b#c' });
    await startMany(svc, 3, { rate }, { customer: 7 });
    t.is((await svc.claim('worker-1', 10)).length, 4);
  });

  test(`${dialect}: a call with a place and without a token waits, and the reverse`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 4, { rate: { ...PER_DAY, limit: 3 }, concurrency: { limit: 2 } });
    const first = await svc.claim('worker-1', 10);
    t.is(first.length, 2);
    for (const item of first) await svc.complete(item);
    await svc.settle();
    t.is((await svc.claim('worker-1', 10)).length, 1);
  });

  test(`${dialect}: many admissions at once spend no token twice`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 8, { rate: { ...PER_DAY, limit: 3 } }, {}, false);
    await Promise.all(Array.from({ length: 8 }, () => svc.scheduling.admitQuotaItems()));
    t.is((await svc.claim('worker-1', 10)).length, 3);
  });

  test(`${dialect}: keys of a limit take turns at the tokens of the rate beside it`, async (t) => {
    const svc = await open(t, dialect);
    const kind = { rate: { limit: 4, per: '1d' }, concurrency: { key: 'input.who', limit: 9 } };
    await startMany(svc, 6, kind, { who: 'a' }, false);
    await startMany(svc, 6, kind, { who: 'b' });
    const claimed = await svc.claim('worker-1', 10);
    t.deepEqual(
      claimed.map(({ record }) => JSON.stringify(record.payload['input'])).toSorted(),
      ['a', 'a', 'b', 'b'].map((who) => JSON.stringify({ who })),
    );
  });

  test(`${dialect}: explain names the rate and the place in its order`, async (t) => {
    const svc = await open(t, dialect);
    const started = await startMany(svc, 4, { rate: PER_DAY });
    const [executionId] = started.slice(-1);
    if (executionId === undefined) return t.fail('nothing was started');
    const { blockers } = await svc.engine.explainExecution({ ...CALLER, executionId });
    t.like(blockers[0], { code: 'waiting_for_quota' });
    t.like(blockers[0]?.details, { tool: 'shop.pay', position: 2 });
    t.regex(
      blockers[0]?.message ?? '',
      /number 2 for a place: at most 2 calls of shop\.pay in 86400 s$/,
    );
  });

  test(`${dialect}: a round says when the next token comes, and looks at nothing before`, async (t) => {
    const svc = await open(t, dialect);
    await startMany(svc, 3, { rate: { limit: 1, per: '1h' } });
    const { found, more, lookInMs } = await svc.scheduling.admitQuotaItems();
    t.deepEqual({ found, more }, { found: 0, more: false });
    t.true(lookInMs !== null && lookInMs > 3_000_000 && lookInMs <= 3_600_000);
  });
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres'): Promise<TestEngine> {
  const opened = await openTestStore(dialect);
  t.teardown(opened.close);
  return openTestEngine({ store: opened.store });
}

/** Executions of one workflow, in the order of their start. */
async function startMany(
  svc: TestEngine,
  count: number,
  quota: JsonObject,
  input: JsonObject = {},
  admits = true,
): Promise<readonly ExecutionId[]> {
  const workflowId = `w-${ids.uuid()}`;
  const kind = { type: 'python_fn', module: 'shop', function: 'pay', ...quota };
  await svc.engine.registerWorkflow({
    ...CALLER,
    ir: { workflow_id: workflowId, start_node: 'pay', nodes: { pay: { kind } } },
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
