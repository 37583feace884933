import type { ApprovalDecision } from '../../../../src/shared/engine/executions/decide-approval.ts';
import test, { type ExecutionContext } from 'ava';

import { hashJson } from '../../../../src/shared/domain/canonical-json.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { Policy } from '../../../../src/shared/domain/policy/policy.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/*
 * Policies: node over workflow over tenant, checked when work is scheduled and when it is claimed.
 */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const FAILED: NodeOutcome = { ok: false, error: 'no', errorClass: 'unreachable' };
const PAY = { kind: { type: 'python_fn', module: 'bank', function: 'pay' } };
const CALL = { kind: { type: 'call', tool: 'bank.pay' } };
const ASK = { require_approval_for: ['bank.*'] };
const BLOCK = { blocked_tools: ['bank.*'] };
const RETRIED = { max_attempts: 3, initial_delay: 0 };
const by = { tenantId: TENANT, actorId: 'token:t' };

function setTenantPolicy({ engine }: TestEngine, policy: Policy) {
  const changes = { name: null, status: null, policy, limits: null };
  return engine.updateTenant({ ...by, changes });
}

async function statusOf({ engine }: TestEngine, executionId: ExecutionId) {
  const { row } = await engine.readExecution({ tenantId: TENANT, executionId });
  return [row.status, row.error];
}

async function payloadsOf({ engine }: TestEngine, executionId: ExecutionId, kind: string) {
  const { events } = await engine.readEvents({
    tenantId: TENANT,
    executionId,
    after: 0,
    limit: null,
  });
  return events
    .filter((event) => event.kind === kind)
    .map(({ payload }) => payload as unknown as JsonObject);
}

function decide(
  { engine }: TestEngine,
  executionId: ExecutionId,
  decision: Partial<ApprovalDecision> = {},
) {
  return engine.decideApproval({
    ...by,
    executionId,
    decision: 'approved',
    nodeId: null,
    userId: 'ann',
    comment: null,
    statePatch: null,
    ...decision,
  });
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext, run?: () => Promise<NodeOutcome>) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store, ...(run && { run }) });
    return { ...svc, age };
  };

  test(`${dialect}: a blocked tool is never called: its node fails permanently`, async (t) => {
    let runs = 0;
    const svc = await open(t, async () => {
      runs += 1;
      return DONE;
    });
    const id = await svc.start({ policy: BLOCK, nodes: { a: { ...CALL, retry_policy: RETRIED } } });
    await svc.settle();
    t.deepEqual((await svc.story(id)).slice(1), [
      'NodeScheduled a',
      'PolicyViolation a',
      'NodeFailed a',
      'WorkflowFailed',
    ]);
    t.deepEqual(await payloadsOf(svc, id, 'PolicyViolation'), [
      { visit: 0, name: 'bank.pay', rule: 'blocked_tools', pattern: 'bank.*' },
    ]);
    t.like((await payloadsOf(svc, id, 'NodeFailed'))[0], {
      error: 'the policy blocks the tool bank.pay',
      error_class: 'policy_violation',
      retryable: false,
    });
    t.is(runs, 0);
  });

  test(`${dialect}: a merge that was approved gets what the join was entered with`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({
      start_node: 'split',
      policy: { require_approval_for: ['merge.*'] },
      nodes: {
        split: {},
        a: PAY,
        b: PAY,
        both: {
          kind: { type: 'join', merge_strategy: { custom: { function_ref: 'merge:all' } } },
        },
      },
      edges: [
        { from: 'split', to: 'a' },
        { from: 'split', to: 'b' },
        { from: 'a', to: 'both' },
        { from: 'b', to: 'both' },
      ],
    });
    await svc.settle();
    for (const item of await svc.claim('worker-1', 2)) {
      await svc.complete(item, { output: { of: item.record.nodeId } });
    }
    await svc.settle();
    const results = { a: { of: 'a' }, b: { of: 'b' } };
    t.like((await payloadsOf(svc, id, 'ApprovalRequested'))[0], { shown: { input: { results } } });
    await decide(svc, id);
    await svc.settle();
    const [merge] = await svc.claim();
    t.deepEqual(merge?.record.payload['input'], { results });
  });

  test(`${dialect}: a blocked tool leads on along a failure edge`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({
      start_node: 'a',
      policy: BLOCK,
      nodes: { a: { ...PAY, fallback_node: 'b' }, b: {} },
    });
    await svc.settle();
    t.is((await svc.story(id)).at(-1), 'WorkflowCompleted');
  });

  test(`${dialect}: a model that is not listed is not called`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({
      policy: { model_allowlist: ['small-*'] },
      nodes: { a: { kind: { type: 'call', model: 'large-1' } } },
    });
    await svc.settle();
    t.deepEqual(await payloadsOf(svc, id, 'PolicyViolation'), [
      { visit: 0, name: 'large-1', rule: 'model_allowlist' },
    ]);
    const allowed = await svc.start({
      policy: { model_allowlist: ['small-*'] },
      nodes: { a: { kind: { type: 'call', model: 'small-1' } } },
    });
    await svc.settle();
    t.deepEqual(await statusOf(svc, allowed), ['completed', null]);
  });

  test(`${dialect}: a tool is called once a person has approved the very call`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({ policy: ASK, nodes: { a: PAY } }, { amount: 5 });
    await svc.settle();
    t.deepEqual(await statusOf(svc, id), ['paused', null]);
    t.is((await svc.claim()).length, 0);

    const shown = { tool: 'bank.pay', input: { amount: 5 } };
    const shownHash = hashJson(shown);
    const of = { tenantId: TENANT, executionId: id };
    t.like((await svc.engine.listApprovals(of)).pending[0], {
      nodeId: 'a',
      description: 'call bank.pay',
      shown,
      shownHash,
    });
    const other = hashJson({ tool: 'bank.pay', input: { amount: 6 } });
    const refused = await t.throwsAsync(decide(svc, id, { shownHash: other }));
    t.like(refused, { code: 'conflict', body: { shown_hash: shownHash, decided_on: other } });
    t.is((await svc.engine.listApprovals(of)).pending.length, 1);
    t.true((await decide(svc, id, { shownHash })).accepted);
    await svc.settle();

    const [item] = await svc.claim();
    t.deepEqual(item?.record.payload['input'], { amount: 5 });
    await svc.complete(item);
    await svc.settle();
    t.deepEqual((await svc.story(id)).slice(1), [
      'NodeScheduled a',
      'ApprovalRequested a',
      'ApprovalReceived a',
      'NodeResumed a',
      'ToolCallCompleted a',
      'NodeCompleted a',
      'WorkflowCompleted',
    ]);
    t.like((await payloadsOf(svc, id, 'ApprovalReceived'))[0], { shown_hash: shownHash });
    t.is((await svc.engine.listApprovals(of)).decided[0]?.shownHash, shownHash);
  });

  test(`${dialect}: a call that is rejected is not made`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({ policy: ASK, nodes: { a: CALL } });
    await svc.settle();
    await decide(svc, id, { decision: 'rejected', comment: 'too much' });
    await svc.settle();
    t.deepEqual(await statusOf(svc, id), [
      'failed',
      'node a failed: approval rejected by ann: too much',
    ]);
  });

  test(`${dialect}: a call that nobody decides on in time is not made`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({
      policy: ASK,
      timeouts: { approval_timeout: 60 },
      nodes: { a: CALL },
    });
    await svc.settle();
    await svc.age({ table: 'timers', columns: ['due_at'], byMs: 61_000 });
    await svc.settle();
    t.deepEqual(await statusOf(svc, id), ['failed', 'node a failed: no decision came in time']);
  });

  test(`${dialect}: later attempts of an approved call do not ask again`, async (t) => {
    const outcomes = [FAILED, FAILED, DONE];
    const svc = await open(t, async () => outcomes.shift() ?? DONE);
    const inside = await svc.start({
      policy: ASK,
      nodes: { a: { ...CALL, retry_policy: RETRIED } },
    });
    const outside = await svc.start({
      policy: ASK,
      nodes: { a: { ...PAY, retry_policy: RETRIED } },
    });
    await svc.settle();
    for (const id of [inside, outside]) await decide(svc, id);
    await svc.settle();
    await svc.fail((await svc.claim())[0], { error: 'no', errorClass: 'unreachable' });
    await svc.settle();
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    for (const id of [inside, outside]) {
      t.deepEqual(await statusOf(svc, id), ['completed', null]);
      t.is((await payloadsOf(svc, id, 'ApprovalRequested')).length, 1);
    }
  });

  test(`${dialect}: each item of a map is approved separately`, async (t) => {
    const svc = await open(t);
    const id = await svc.start(
      {
        policy: ASK,
        nodes: {
          all: {
            kind: {
              type: 'map',
              items: '$.sums',
              node: { ...PAY, input_mapping: { sum: 'input.item' } },
            },
            output_key: 'paid',
          },
        },
      },
      { sums: [1, 2] },
    );
    await svc.settle();
    const { pending } = await svc.engine.listApprovals({ tenantId: TENANT, executionId: id });
    t.deepEqual(
      pending.map(({ shown }) => shown?.['input']),
      [{ sum: 1 }, { sum: 2 }],
    );
    const [first, second] = pending;
    t.true((await decide(svc, id, { shownHash: second?.shownHash ?? '' })).accepted);
    await svc.settle();
    const left = await svc.engine.listApprovals({ tenantId: TENANT, executionId: id });
    t.deepEqual(
      left.pending.map(({ visit }) => visit),
      [first?.visit],
    );
    t.true((await decide(svc, id, { shownHash: first?.shownHash ?? '' })).accepted);
    await svc.settle();
    for (const item of await svc.claim('worker-1', 2)) {
      await svc.complete(item, {
        output: { paid: (item.record.payload['input'] as JsonObject)['sum'] ?? 0 },
      });
    }
    await svc.settle();
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId: id });
    t.deepEqual(state.data['paid'], [{ paid: 1 }, { paid: 2 }]);
  });

  test(`${dialect}: a node decides over its workflow, and that over the tenant`, async (t) => {
    const svc = await open(t);
    await setTenantPolicy(svc, BLOCK);
    const ends = async (ir: JsonObject) => {
      const id = await svc.start(ir);
      await svc.settle();
      return (await statusOf(svc, id))[0];
    };
    t.is(await ends({ nodes: { a: CALL } }), 'failed');
    t.is(await ends({ policy: { blocked_tools: [] }, nodes: { a: CALL } }), 'completed');
    t.is(await ends({ nodes: { a: { ...CALL, policy: { blocked_tools: [] } } } }), 'completed');
    const strict = { ...CALL, policy: { blocked_tools: ['bank.pay'] } };
    t.is(await ends({ policy: { blocked_tools: [] }, nodes: { a: strict } }), 'failed');
    t.is(await ends({ policy: ASK, nodes: { a: CALL } }), 'failed');
  });

  test(`${dialect}: an item whose tool is blocked by now is not handed out, and the next one is`, async (t) => {
    const svc = await open(t);
    const blocked = await svc.start({ nodes: { a: PAY } });
    await svc.settle();
    const other = { kind: { type: 'python_fn', module: 'mail', function: 'send' } };
    const allowed = await svc.start({ nodes: { a: other } });
    await svc.settle();
    await setTenantPolicy(svc, BLOCK);
    t.deepEqual(
      (await svc.claim()).map(({ record }) => record.executionId),
      [allowed],
    );
    await svc.settle();
    t.deepEqual((await svc.story(blocked)).slice(-3), [
      'PolicyViolation a',
      'NodeFailed a',
      'WorkflowFailed',
    ]);
    const dead = await svc.engine.listDeadLetters({ tenantId: TENANT, limit: 10, before: null });
    t.deepEqual(
      dead.map(({ error }) => error),
      ['the policy blocks the tool bank.pay'],
    );
  });

  test(`${dialect}: an item that needs an approval by now is parked for it, then handed out`, async (t) => {
    const svc = await open(t);
    const id = await svc.start({ nodes: { a: PAY } }, { amount: 5 });
    await svc.settle();
    await setTenantPolicy(svc, ASK);
    t.is((await svc.claim()).length, 0);
    await svc.settle();
    t.deepEqual(await statusOf(svc, id), ['paused', null]);
    const { pending } = await svc.engine.listApprovals({ tenantId: TENANT, executionId: id });
    t.deepEqual(pending[0]?.shown, { tool: 'bank.pay', input: { amount: 5 } });
    await decide(svc, id);
    await svc.settle();
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    t.deepEqual((await svc.story(id)).slice(1), [
      'NodeScheduled a',
      'NodeParked a',
      'ApprovalRequested a',
      'ApprovalReceived a',
      'NodeResumed a',
      'ToolCallCompleted a',
      'NodeCompleted a',
      'WorkflowCompleted',
    ]);
  });

  test(`${dialect}: a workflow that overrides the tenant keeps its items`, async (t) => {
    const svc = await open(t);
    await svc.start({ policy: { blocked_tools: [] }, nodes: { a: PAY } });
    await svc.settle();
    await setTenantPolicy(svc, BLOCK);
    t.is((await svc.claim()).length, 1);
  });

  test(`${dialect}: a retry inside the engine is judged by the policy of that time`, async (t) => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const svc = await open(t, async () => {
      runs += 1;
      await gate.promise;
      return FAILED;
    });
    const blocked = await svc.start({ nodes: { a: { ...CALL, retry_policy: RETRIED } } });
    const asked = await svc.start({
      policy: { blocked_tools: [] },
      nodes: { a: { ...CALL, retry_policy: RETRIED } },
    });
    await svc.turn();
    await svc.turn();
    await setTenantPolicy(svc, { ...BLOCK, ...ASK });
    gate.resolve();
    await svc.settle();
    t.is(runs, 2);
    t.deepEqual((await svc.story(blocked)).slice(-4), [
      'RetryScheduled a',
      'PolicyViolation a',
      'NodeFailed a',
      'WorkflowFailed',
    ]);
    t.deepEqual((await svc.story(asked)).slice(-3), [
      'RetryScheduled a',
      'NodeParked a',
      'ApprovalRequested a',
    ]);
    await decide(svc, asked);
    await svc.settle();
    t.is(runs, 4);
    t.is((await svc.story(asked)).at(-1), 'WorkflowFailed');
  });
}
