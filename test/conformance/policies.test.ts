import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { masked } from '../support/told.ts';

/* Policies of tenants, workflows and nodes; the kinds `policy` and `finalizer`. */

const check = onBothStores();
const pay = { kind: 'python_fn', module: 'bank', function: 'pay' };
const mail = { kind: 'python_fn', module: 'mail', function: 'send' };
const TOOLS = { unlock: { kind: 'python', reference: 'locks:release' } };
const unlock = (run_on: string) => ({
  kind: { type: 'finalizer', tool_ref: 'unlock', run_on },
  input_mapping: { outcome: { expr: 'execution.outcome' }, error: { expr: 'execution.error' } },
});

interface Approvals {
  readonly pending: readonly JsonObject[];
  readonly decided: readonly JsonObject[];
}

/** Creates the tenant unless it exists, and gives it a policy. */
async function setPolicy(svc: TestTenant, policy: JsonObject): Promise<void> {
  const manage = { tenantId: 'default' };
  const body = { id: svc.tenantId, name: svc.tenantId };
  await svc.send({ ...manage, path: '/tenants', body });
  const path = `/tenants/${svc.tenantId}`;
  expectStatus(await svc.send({ ...manage, method: 'PUT', path, body: { policy } }), 200);
}

check('a tool that a policy blocks is not called', async (t, svc) => {
  const id = await svc.run({ policy: { blocked_tools: ['bank.*'] }, nodes: { a: pay } });
  t.like(await svc.until(id, 'failed'), {
    error: 'node a failed: the policy blocks the tool bank.pay',
  });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.like((await svc.untilEvent(id, 'PolicyViolation', 'a')).payload, {
    name: 'bank.pay',
    rule: 'blocked_tools',
    pattern: 'bank.*',
  });
  return masked(await svc.events(id));
});

check('the policy of a tenant holds, and that of a workflow over it', async (t, svc) => {
  await setPolicy(svc, { blocked_tools: ['bank.*'] });
  const blocked = await svc.run({ nodes: { a: pay } });
  await svc.until(blocked, 'failed');
  const allowed = await svc.run({ policy: { blocked_tools: [] }, nodes: { a: pay } });
  await svc.work('a');
  t.is((await svc.until(allowed, 'completed')).error, null);
});

check('409: a decision on something else than what is shown', async (t, svc) => {
  const ir = { policy: { require_approval_for: ['bank.pay'] }, nodes: { a: pay } };
  const id = await svc.run(ir, { amount: 5 });
  await svc.until(id, 'paused');
  const path = `/executions/${id}`;
  const { pending } = expectStatus(await svc.get<Approvals>(`${path}/approvals`), 200);
  t.like(pending[0], {
    node_id: 'a',
    tool: 'bank.pay',
    arguments: { amount: 5 },
    shown: { tool: 'bank.pay', input: { amount: 5 } },
  });
  const shown_hash = pending[0]?.['shown_hash'] ?? '';
  const other = '0'.repeat(64);
  const decision = { decision: 'approved', user_id: 'kim' };
  const refused = await svc.post(`${path}/approve`, { ...decision, shown_hash: other });
  t.is(refused.status, 409);
  t.like(refused.body, { shown_hash, decided_on: other });
  t.like(await svc.post(`${path}/approve`, { ...decision, shown_hash: 'x' }), {
    status: 400,
    body: {
      error:
        'bad request: shown_hash must be the `shown_hash` of the approval, which has 64 hex digits',
    },
  });
  t.deepEqual(await svc.tryClaim(), { claimed: false });

  t.true((await svc.approve(id, { ...decision, shown_hash })).accepted);
  const item = await svc.work('a', { paid: true });
  t.like(item.payload, { input: { amount: 5 } });
  await svc.until(id, 'completed');
  const { decided } = expectStatus(await svc.get<Approvals>(`${path}/approvals`), 200);
  t.like(decided[0], { decision: 'approved', user_id: 'kim', shown_hash });
  return masked(await svc.events(id));
});

check(
  'an item that a policy blocks by now is settled, and the next one claimed',
  async (t, svc) => {
    const first = await svc.run({ nodes: { a: pay } });
    await svc.untilEvent(first, 'NodeScheduled');
    const second = await svc.run({ workflow_id: 'other', nodes: { b: mail } });
    await svc.untilEvent(second, 'NodeScheduled');
    await setPolicy(svc, { blocked_tools: ['bank.*'] });
    await svc.work('b');
    await svc.until(second, 'completed');
    t.like(await svc.until(first, 'failed'), {
      error: 'node a failed: the policy blocks the tool bank.pay',
    });
    return masked(await svc.events(first));
  },
);

check('an item that needs an approval by now waits for it', async (t, svc) => {
  const id = await svc.run({ nodes: { a: pay } });
  await svc.untilEvent(id, 'NodeScheduled');
  await setPolicy(svc, { require_approval_for: ['bank.*'] });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  await svc.until(id, 'paused');
  await svc.approve(id, { decision: 'approved' });
  await svc.work('a');
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check(
  'policy: rules that do not hold are on record, and lead where they should',
  async (t, svc) => {
    const rule = { name: 'limit', condition: 'state.amount <= 10', message: 'too much' };
    const check = (on_violation: string | JsonObject) => ({
      start_node: 'check',
      nodes: {
        check: { kind: { type: 'policy', rules: [rule], on_violation }, output_key: 'checked' },
        pay: {},
        review: {},
      },
      edges: [{ from: 'check', to: 'pay' }],
    });
    const input = { amount: 50 };
    const violations = [{ name: 'limit', message: 'too much' }];
    const failed = await svc.run(check('fail'), input);
    t.like(await svc.until(failed, 'failed'), {
      error: 'node check failed: the policy is violated: too much',
    });
    const warned = await svc.run(check('warn'), input);
    t.deepEqual((await svc.until(warned, 'completed')).state['checked'], { violations });
    const led = await svc.run(check({ branch: { target: 'review' } }), input);
    await svc.until(led, 'completed');
    t.true((await svc.story(led)).includes('NodeCompleted review'));
    t.true((await svc.story(led)).includes('NodeSkipped pay'));
    return masked(await svc.events(led));
  },
);

check(
  'finalizer: it runs when the execution fails, before the failure is reported',
  async (t, svc) => {
    const a = { ...pay, retry_policy: 'no_retry' };
    const id = await svc.run({ tools: TOOLS, nodes: { a, f: unlock('failure') } });
    await svc.breakDown('a');
    const item = await svc.claimOf('f');
    t.like(await svc.read(id), { status: 'running', ending: { outcome: 'failed' } });
    t.like(item.payload, { input: { outcome: 'failed', error: 'node a failed: it broke' } });
    await svc.complete(item, { unlocked: true });
    t.like(await svc.until(id, 'failed'), { error: 'node a failed: it broke', ending: null });
    return masked(await svc.events(id));
  },
);

check('finalizer: it runs once when the execution is cancelled, however often', async (t, svc) => {
  const id = await svc.run({ tools: TOOLS, nodes: { a: pay, f: unlock('always') } });
  const late = await svc.claimOf('a');
  const replies = await Promise.all(Array.from({ length: 10 }, () => svc.cancel(id)));
  const ending = { outcome: 'cancelled' };
  for (const { body } of replies) {
    t.deepEqual(body as unknown, { execution_id: id, status: 'cancelled', ending });
  }
  t.is((await svc.complete(late)).status, 409);
  await svc.work('f');
  await svc.until(id, 'cancelled');
  t.deepEqual((await svc.story(id)).slice(2), [
    'NodeCancelled a',
    'WorkflowEnding',
    'NodeScheduled f',
    'ToolCallCompleted f',
    'NodeCompleted f',
    'WorkflowCancelled',
  ]);
  return masked(await svc.events(id));
});

check('finalizer: children run theirs when their parent is cancelled', async (t, svc) => {
  await svc.register({
    workflow_id: 'child',
    tools: TOOLS,
    nodes: { a: pay, f: unlock('always') },
  });
  const parent = await svc.run({
    nodes: { call: { kind: { type: 'subgraph', workflow_ref: 'child' } } },
  });
  const item = await svc.claimOf('a');
  await svc.cancel(parent);
  const release = await svc.claimOf('f');
  t.is(release.execution_id, item.execution_id);
  await svc.complete(release);
  await svc.until(item.execution_id, 'cancelled');
  t.is((await svc.read(parent)).status, 'cancelled');
});
