import type { ApprovalDecision } from '../../../../src/shared/engine/executions/decide-approval.ts';
import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A retry keeps an approval as long as the approved call is the same. */

const by = { tenantId: TENANT, actorId: 'token:ops' };
const PAY = {
  kind: { type: 'python_fn', module: 'bank', function: 'pay' },
  input_mapping: { amount: 'state.amount' },
  retry_policy: { max_attempts: 1 },
  output_key: 'paid',
};
const ASK = { require_approval_for: ['bank.*'] };

const retry = (svc: TestEngine, executionId: ExecutionId, statePatch: JsonObject | null = null) =>
  svc.engine.retryExecution({ ...by, executionId, statePatch, revision: 'same' });

const decide = (svc: TestEngine, executionId: ExecutionId, more: Partial<ApprovalDecision> = {}) =>
  svc.engine.decideApproval({
    ...by,
    executionId,
    decision: 'approved',
    nodeId: null,
    userId: 'ann',
    comment: null,
    statePatch: null,
    ...more,
  });

const statusOf = async (svc: TestEngine, executionId: ExecutionId) =>
  (await svc.engine.readExecution({ tenantId: TENANT, executionId })).row.status;

async function asked(svc: TestEngine, executionId: ExecutionId): Promise<number> {
  const story = await svc.story(executionId);
  return story.filter((told) => told.startsWith('ApprovalRequested')).length;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (
    t: ExecutionContext,
    options: Partial<Parameters<typeof openTestEngine>[0]> = {},
  ) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return openTestEngine({ store, ...options });
  };

  test(`${dialect}: an approved call that failed is made again without a second approval`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({ nodes: { pay: PAY }, policy: ASK }, { amount: 5 });
    await decide(svc, first);
    await svc.settle();
    const [item] = await svc.claim();
    await svc.fail(item);
    await svc.settle();
    const second = await retry(svc, first);
    await svc.settle();
    t.is(await asked(svc, second.executionId), 0);
    const [again] = await svc.claim();
    t.is(again?.record.idempotencyKey, item?.record.idempotencyKey);
    await svc.fail(again);
    await svc.settle();
    // The approval is also valid for the retry of the retry.
    const third = await retry(svc, second.executionId);
    await svc.settle();
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    t.is(await asked(svc, third.executionId), 0);
    t.is(await statusOf(svc, third.executionId), 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a call with other arguments is asked for again`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({ nodes: { pay: PAY }, policy: ASK }, { amount: 5 });
    await decide(svc, first);
    await svc.settle();
    await svc.fail((await svc.claim())[0]);
    await svc.settle();
    const { executionId } = await retry(svc, first, { amount: 5000 });
    await svc.settle();
    t.is(await asked(svc, executionId), 1);
    t.deepEqual(await svc.claim(), []);
  });

  test(`${dialect}: a rejected request is asked for again`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({ nodes: { pay: PAY }, policy: ASK }, { amount: 5 });
    await decide(svc, first, { decision: 'rejected' });
    await svc.settle();
    const { executionId } = await retry(svc, first);
    t.is(await asked(svc, executionId), 1);
  });

  test(`${dialect}: work in the engine starts on the approval, and so do approved items of a map`, async (t) => {
    const calls: unknown[] = [];
    let outcome: NodeOutcome = { ok: false, error: 'no', errorClass: 'unreachable' };
    const svc = await open(t, {
      run: async ({ input }) => {
        calls.push(input);
        return outcome;
      },
    });
    const first = await svc.start(
      {
        start_node: 'm',
        nodes: {
          m: { kind: { type: 'map', items: 'state.items', node: 'call' } },
          call: {
            kind: { type: 'call', tool: 'bank.pay' },
            input_mapping: { amount: 'input.item' },
            retry_policy: { max_attempts: 1 },
          },
        },
        policy: ASK,
      },
      { items: [1] },
    );
    await svc.settle();
    await decide(svc, first);
    await svc.settle();
    t.is(await statusOf(svc, first), 'failed');
    outcome = { ok: true, output: {}, statePatch: {} };
    const { executionId } = await retry(svc, first);
    await svc.settle();
    t.is(await asked(svc, executionId), 0);
    t.is(await statusOf(svc, executionId), 'completed');
    t.is(calls.length, 2);
  });

  test(`${dialect}: an approval that came before a cancel, and had no effect yet, is not asked for twice`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      nodes: {
        ask: { kind: { type: 'human_approval', description: 'Ship it?' }, output_key: 'asked' },
        ship: PAY,
      },
      edges: [{ from: 'ask', to: 'ship' }],
    });
    await svc.engine.pauseExecution({ ...by, executionId: first, reason: null });
    await decide(svc, first, { statePatch: { amount: 7 } });
    await svc.engine.cancelExecution({ ...by, executionId: first });
    await svc.settle();
    const { executionId } = await retry(svc, first);
    await svc.settle();
    t.is(await asked(svc, executionId), 0);
    const [item] = await svc.claim();
    t.deepEqual(item?.record.payload['input'], { amount: 7 });
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.like(state.data, { asked: { decision: 'approved', user_id: 'ann' }, amount: 7 });
  });
}
