import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

/* Budgets of tokens and money: what they hold up, and when. */

const call = (input: number, costUsd: number | null): NodeOutcome => ({
  ok: true,
  output: {},
  statePatch: {},
  usage: { inputTokens: input, outputTokens: 0, costUsd },
});
/** Three calls, one after another. */
const CHAIN: JsonObject = {
  nodes: { a: { kind: 'call' }, b: { kind: 'call' }, c: { kind: 'call' } },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext, run: () => Promise<NodeOutcome>) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return openTestEngine({ store, run });
  };

  test(`${dialect}: work beyond a budget of tokens fails`, async (t) => {
    const svc = await open(t, async () => call(60, null));
    const executionId = await svc.start({ ...CHAIN, token_budget: 100 });
    await svc.settle();
    t.deepEqual((await svc.story(executionId)).slice(-4), [
      'NodeScheduled c',
      'BudgetExceeded c',
      'NodeFailed c',
      'WorkflowFailed',
    ]);
    const { row, state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.error, 'node c failed: the budget is used up (120 of 100 tokens)');
    t.deepEqual(state.usage, { inputTokens: 120, outputTokens: 0, costUsd: 0 });
  });

  test(`${dialect}: a failed attempt counts, and is not retried beyond the budget`, async (t) => {
    let runs = 0;
    const svc = await open(t, async () => {
      runs += 1;
      const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0.75 };
      return { ok: false, error: 'no', errorClass: 'error', usage };
    });
    const retry_policy = { max_attempts: 9, initial_delay: 0 };
    const nodes = { a: { kind: 'call', retry_policy } };
    const executionId = await svc.start({ nodes, cost_budget_usd: 1.5 });
    await svc.settle();
    t.is(runs, 2);
    const story = await svc.story(executionId);
    t.deepEqual(story.slice(-3), ['BudgetExceeded a', 'NodeFailed a', 'WorkflowFailed']);
  });

  test(`${dialect}: a person may grant a budget once more`, async (t) => {
    const svc = await open(t, async () => call(100, 1));
    const executionId = await svc.start({
      ...CHAIN,
      token_budget: 100,
      on_budget_exceeded: 'pause',
    });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    const answer = { nodeId: null, userId: 'ann', comment: null, statePatch: null };
    for (const asked of ['b', 'c']) {
      await svc.settle();
      t.is((await svc.engine.readExecution(of)).row.status, 'paused');
      t.is((await svc.engine.listApprovals(of)).pending[0]?.nodeId, asked);
      await svc.engine.decideApproval({ ...of, ...answer, decision: 'approved' });
    }
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.is(row.status, 'completed');
    t.deepEqual(state.budgetGrants, { [executionId]: 2 });
  });

  test(`${dialect}: a warning is written once`, async (t) => {
    const svc = await open(t, async () => call(100, 1));
    const executionId = await svc.start({
      ...CHAIN,
      cost_budget_usd: 0.5,
      on_budget_exceeded: 'warn',
    });
    await svc.settle();
    const story = await svc.story(executionId);
    t.deepEqual(
      story.filter((line) => line.startsWith('Budget') || line.startsWith('Workflow')),
      ['WorkflowStarted', 'BudgetExceeded', 'WorkflowCompleted'],
    );
  });

  test(`${dialect}: what workers report is counted`, async (t) => {
    const svc = await open(t, async () => call(0, 0));
    const python = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
    const executionId = await svc.start({
      nodes: { a: python, b: python },
      edges: [{ from: 'a', to: 'b' }],
      token_budget: 10,
    });
    const [item] = await svc.claim();
    await svc.engine.completeWorkItem({
      tenantId: TENANT,
      workItemId: item?.record.workItemId ?? '',
      leaseFence: item?.leaseFence ?? 0,
      executionId: null,
      nodeId: null,
      idempotencyKey: item?.record.idempotencyKey ?? null,
      output: {},
      statePatch: {},
      durationMs: null,
      genAiModel: null,
      finishReason: null,
      usage: { inputTokens: 4, outputTokens: 6, costUsd: null },
    });
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'WorkflowFailed');
    const [own] = await svc.store.executions.usage(executionId);
    t.like(own, { executionId, inputTokens: 4, outputTokens: 6, costUsd: 0 });
  });
}
