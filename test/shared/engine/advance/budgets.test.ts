import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeOutcome, NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Budgets of tokens and money: what they stop, and when. */

const call = (input: number, costUsd: number | null): NodeOutcome => ({
  ok: true,
  output: {},
  statePatch: {},
  usage: { inputTokens: input, outputTokens: 0, costUsd },
});
/** Three consecutive calls. */
const CHAIN: JsonObject = {
  nodes: { a: { kind: 'call' }, b: { kind: 'call' }, c: { kind: 'call' } },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext, run: NodeRunner['run']) => {
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

  test(`${dialect}: spending is read where work may be entered, and nowhere else`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    let reads = 0;
    const executions: typeof store.executions = {
      ...store.executions,
      usage(executionId) {
        reads += 1;
        return store.executions.usage(executionId);
      },
    };
    const run = async () => call(10, null);
    const svc = openTestEngine({ store: { ...store, executions }, run });
    const executionId = await svc.start({ ...CHAIN, token_budget: 100 });
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'WorkflowCompleted');
    // Before b and before c: a comes first, and after c the execution ends.
    t.is(reads, 2);
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

  test(`${dialect}: a retry waits for a person as well`, async (t) => {
    const attempts: number[] = [];
    const svc = await open(t, async ({ attempt }) => {
      attempts.push(attempt);
      const usage = { inputTokens: 100, outputTokens: 0, costUsd: null };
      return { ok: false, error: 'no', errorClass: 'error', usage };
    });
    const executionId = await svc.start({
      nodes: { a: { kind: 'call', retry_policy: { max_attempts: 3, initial_delay: 0 } } },
      token_budget: 100,
      on_budget_exceeded: 'pause',
    });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    const answer = { nodeId: null, userId: 'ann', comment: null, statePatch: null };
    for (const ran of [[0], [0, 1]]) {
      await svc.settle();
      t.deepEqual(attempts, ran);
      const { row, waitingOn } = await svc.engine.readExecution(of);
      t.is(row.status, 'paused');
      t.like(waitingOn[0], { waitingFor: 'approval', workItemId: null });
      await svc.engine.decideApproval({ ...of, ...answer, decision: 'approved' });
    }
    await svc.settle();
    t.deepEqual(attempts, [0, 1, 2]);
    t.is((await svc.engine.readExecution(of)).row.error, 'node a failed: no');
  });

  test(`${dialect}: a person may grant a budget again`, async (t) => {
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

  test(`${dialect}: an approval made before the budget was found used up stays valid`, async (t) => {
    const svc = await open(t, async () => call(100, 1));
    const executionId = await svc.start({
      ...CHAIN,
      nodes: { a: { kind: 'call' }, b: { kind: { type: 'call', tool: 'pay' } } },
      edges: [{ from: 'a', to: 'b' }],
      token_budget: 100,
      on_budget_exceeded: 'pause',
      policy: { require_approval_for: ['pay'] },
    });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    const answer = { nodeId: null, userId: 'ann', comment: null, decision: 'approved' } as const;
    await svc.settle();
    t.deepEqual(Object.keys((await svc.engine.listApprovals(of)).pending[0]?.shown ?? {}), [
      'tool',
      'input',
    ]);
    await svc.engine.decideApproval({ ...of, ...answer, statePatch: { pay: 'yes' } });
    await svc.settle();
    const { pending } = await svc.engine.listApprovals(of);
    t.deepEqual(Object.keys(pending[0]?.shown ?? {}), ['budget']);
    t.deepEqual((await svc.engine.readExecution(of)).state.data, { pay: 'yes' });
    await svc.engine.decideApproval({ ...of, ...answer, statePatch: { budget: 'yes' } });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.is(row.status, 'completed');
    t.deepEqual(state.data, { pay: 'yes', budget: 'yes' });
    const story = await svc.story(executionId);
    t.is(story.filter((line) => line === 'ApprovalRequested b').length, 2);
  });

  test(`${dialect}: the patch of an approval counts, also where a budget ends its node`, async (t) => {
    const svc = await open(t, async () => call(100, 1));
    const executionId = await svc.start({
      nodes: {
        a: { kind: 'call' },
        b: { kind: { type: 'call', tool: 'pay' } },
        c: { kind: 'pass' },
      },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c', on: 'failure' },
      ],
      token_budget: 100,
      policy: { require_approval_for: ['pay'] },
    });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    await svc.settle();
    await svc.engine.decideApproval({
      ...of,
      nodeId: null,
      userId: 'ann',
      comment: null,
      decision: 'approved',
      statePatch: { pay: 'yes' },
    });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.is(row.status, 'completed');
    t.deepEqual(state.data, { pay: 'yes' });
  });

  test(`${dialect}: a child that failed is started again once the budget is granted`, async (t) => {
    let runs = 0;
    const svc = await open(t, async () => {
      runs += 1;
      const usage = { inputTokens: 100, outputTokens: 0, costUsd: null };
      if (runs > 1) return { ok: true, output: {}, statePatch: {}, usage };
      return { ok: false, error: 'no', errorClass: 'error', final: true, usage };
    });
    const workflow_id = `child-${svc.ids.uuid()}`;
    const by = { tenantId: TENANT, actorId: 'token:t' };
    await svc.engine.registerWorkflow({
      ...by,
      ir: { workflow_id, nodes: { a: { kind: 'call' } } },
    });
    const executionId = await svc.start({
      nodes: {
        child: {
          kind: { type: 'subgraph', workflow_ref: workflow_id },
          retry_policy: { max_attempts: 2, initial_delay: 0 },
        },
      },
      token_budget: 100,
      on_budget_exceeded: 'pause',
    });
    const of = { ...by, executionId };
    const answer = { nodeId: null, userId: 'ann', comment: null, statePatch: null };
    await svc.settle();
    t.is((await svc.engine.readExecution(of)).row.status, 'paused');
    t.is(runs, 1);
    // The parent's retry is granted; the same budget limits the child's own work.
    for (let asked = 0; asked < 2; asked += 1) {
      const { state } = await svc.engine.readExecution(of);
      const [waiting] = state.live.values();
      const executionId = waiting?.childId ?? of.executionId;
      const { pending } = await svc.engine.listApprovals({ ...of, executionId });
      const at = pending.length > 0 ? executionId : of.executionId;
      await svc.engine.decideApproval({ ...of, executionId: at, ...answer, decision: 'approved' });
      await svc.settle();
    }
    t.is((await svc.engine.readExecution(of)).row.status, 'completed');
    t.is(runs, 2);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: an event that meets a budget that is used up is kept until the grant`, async (t) => {
    const seen: unknown[] = [];
    const svc = await open(t, async ({ resumedWith }) => {
      seen.push(resumedWith);
      if (resumedWith.length > 0) return call(0, 0);
      const usage = { inputTokens: 100, outputTokens: 0, costUsd: null };
      return { ok: 'parked', until: { event: 'go' }, usage };
    });
    const executionId = await svc.start({
      nodes: { a: { kind: 'call' } },
      token_budget: 100,
      on_budget_exceeded: 'pause',
    });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    const answer = { nodeId: null, userId: 'ann', comment: null, statePatch: null };
    await svc.settle();
    await svc.engine.deliverExternalEvent({ ...of, correlationKey: 'go', payload: { n: 1 } });
    await svc.settle();
    t.is((await svc.engine.readExecution(of)).row.status, 'paused');
    await svc.engine.decideApproval({ ...of, ...answer, decision: 'approved' });
    await svc.settle();
    t.is((await svc.engine.readExecution(of)).row.status, 'completed');
    t.deepEqual(seen, [[], [{ n: 1 }]]);
  });

  test(`${dialect}: an attempt that does not count keeps its number where the budget ends it`, async (t) => {
    const svc = await open(t, async () => ({
      ok: false,
      error: 'slow down',
      errorClass: 'rate_limited',
      retryAfterMs: 0,
      usage: { inputTokens: 60, outputTokens: 0, costUsd: null },
    }));
    const executionId = await svc.start({ nodes: { a: { kind: 'call' } }, token_budget: 100 });
    await svc.settle();
    const of = { tenantId: TENANT, executionId };
    const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
    const attempts = events.flatMap(({ kind, payload }) =>
      kind === 'NodeFailed' || kind === 'RetryScheduled' ? [payload.attempt] : [],
    );
    t.deepEqual(attempts, [0, 0, 0, 0]);
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

  test(`${dialect}: no claim of a provider is too large to be counted`, async (t) => {
    const svc = await open(t, async () => call(Number.MAX_SAFE_INTEGER, Number.MAX_VALUE));
    const executionId = await svc.start({
      ...CHAIN,
      token_budget: 100,
      on_budget_exceeded: 'warn',
    });
    for (let rounds = 0; rounds < 20; rounds += 1) await svc.turn();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: usage that workers report is counted`, async (t) => {
    const svc = await open(t, async () => call(0, 0));
    const python = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
    const executionId = await svc.start({
      nodes: { a: python, b: python },
      edges: [{ from: 'a', to: 'b' }],
      token_budget: 10,
    });
    const [item] = await svc.claim();
    await svc.complete(item, {
      usage: { inputTokens: 4, outputTokens: 6, costUsd: null, model: 'small' },
    });
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'WorkflowFailed');
    const [own] = await svc.store.executions.usage(executionId);
    t.like(own, { executionId, inputTokens: 4, outputTokens: 6, costUsd: 0.000016 });
  });
}
