import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/tenant.ts';
import { masked } from '../support/told.ts';

/* Interface document: "States and transitions", cancel, approve, external-event; and their races. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const ask = { kind: { type: 'human_approval', description: 'Go on?' } };
const hold = (correlation_key: string) => ({
  kind: { type: 'wait', condition: 'external_event', correlation_key },
});
const TERMINAL = /^Workflow(Completed|Failed|Cancelled)$/;

check('200: a running execution is cancelled, with its work', async (t, svc) => {
  const id = await svc.run({
    nodes: { split: { kind: { type: 'parallel', branches: ['a', 'b'] } }, a: call, b: call },
  });
  const leased = await svc.claimOf('a');
  const reply = await svc.cancel(id);
  t.is(reply.status, 200);
  t.deepEqual(reply.body, { execution_id: id, status: 'cancelled' });
  const execution = await svc.read(id);
  t.is(execution.status, 'cancelled');
  t.regex(execution.completed_at ?? '', /Z$/);
  t.deepEqual(execution.waiting_on, []);
  const beat = { worker_id: 'worker-1', lease_fence: leased.lease_fence };
  t.is((await svc.post(`/work-items/${leased.id}/heartbeat`, beat)).status, 409);
  t.is((await svc.complete(leased)).status, 409);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual((await svc.story(id)).slice(-3), [
    'NodeCancelled a',
    'NodeCancelled b',
    'WorkflowCancelled',
  ]);
  return masked(await svc.events(id));
});

check('200: a paused execution is cancelled', async (t, svc) => {
  for (const node of [ask, hold('k')]) {
    const id = await svc.run({ nodes: { a: node } });
    await svc.until(id, 'paused');
    t.is((await svc.cancel(id)).status, 200);
    t.is((await svc.read(id)).status, 'cancelled');
    t.false((await svc.approve(id, { decision: 'approved' })).accepted);
    t.deepEqual(await svc.deliver(id, 'k'), { execution_id: id, accepted: false });
  }
});

check('200: cancelling an execution that waits for a timer or a retry', async (t, svc) => {
  const timer = await svc.run({
    nodes: { a: { kind: { type: 'wait', condition: 'timer', timeout_secs: 3_600 } } },
  });
  const retry = await svc.run({
    nodes: { a: { ...call, retry_policy: { initial_delay: 3_600 } } },
  });
  await svc.breakDown('a');
  await svc.untilEvent(retry, 'RetryScheduled');
  for (const id of [timer, retry]) {
    t.is((await svc.cancel(id)).status, 200);
    t.is((await svc.story(id)).at(-1), 'WorkflowCancelled');
  }
});

check('200: cancelling again changes nothing', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const replies = await Promise.all(Array.from({ length: 20 }, () => svc.cancel(id)));
  for (const reply of replies) {
    t.is(reply.status, 200);
    t.deepEqual(reply.body, { execution_id: id, status: 'cancelled' });
  }
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeCancelled a',
    'WorkflowCancelled',
  ]);
});

check('400: an execution that has completed or failed is not cancelled', async (t, svc) => {
  const completed = await svc.run({ nodes: {} });
  const failed = await svc.run({ nodes: { a: { kind: 'limit_exceeded' } } });
  await svc.until(failed, 'failed');
  for (const [id, status] of Object.entries({ [completed]: 'completed', [failed]: 'failed' })) {
    const before = await svc.events(id);
    const reply = await svc.post(`/executions/${id}/cancel`);
    t.is(reply.status, 400);
    t.deepEqual(reply.body, { error: `bad request: execution ${id} is ${status}` });
    t.deepEqual(await svc.events(id), before);
  }
});

check('a cancel racing the last complete: exactly one terminal event', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: call } });
  for (let round = 0; round < 20; round++) {
    const id = await svc.start(workflowId);
    const item = await svc.claim();
    const [cancelled, completed] = await Promise.all(
      round % 2 === 0
        ? [svc.cancel(id), svc.complete(item)]
        : [svc.complete(item), svc.cancel(id)].toReversed(),
    );
    const kinds = await eventually(async () => {
      const found = (await svc.events(id)).map(({ kind }) => kind);
      if (!TERMINAL.test(found.at(-1) ?? '')) throw new Error(found.join());
      return found;
    });
    t.is(kinds.filter((kind) => TERMINAL.test(kind)).length, 1, kinds.join());
    t.true([200, 409].includes(completed?.status ?? 0));
    const { status } = await svc.read(id);
    t.is(cancelled?.status, status === 'cancelled' ? 200 : 400);
  }
});

check('200: an approval that is not open is not accepted, and nothing written', async (t, svc) => {
  const busy = await svc.run({ nodes: { a: call } });
  const done = await svc.run({ nodes: {} });
  for (const id of [busy, done]) {
    const before = await svc.events(id);
    for (const body of [{ decision: 'approved' }, { decision: 'rejected', node_id: 'a' }]) {
      t.deepEqual(await svc.approve(id, body), {
        execution_id: id,
        accepted: false,
        node_id: null,
      });
    }
    t.deepEqual(await svc.events(id), before);
  }
});

check('400: a decision that is neither, or not there', async (t, svc) => {
  const id = await svc.run({ nodes: { a: ask } });
  for (const decision of ['maybe', 'Approved', 'approve', '', 1, true]) {
    const reply = await svc.post(`/executions/${id}/approve`, { decision });
    t.is(reply.status, 400, String(decision));
    t.is(reply.body.error, 'bad request: decision must be approved or rejected');
  }
  t.is((await svc.post(`/executions/${id}/approve`, {})).status, 400);
  for (const bad of [{ state_patch: [] }, { comment: 1 }, { node_id: 1 }, { user_id: {} }]) {
    const body = { decision: 'approved', ...bad };
    t.is((await svc.post(`/executions/${id}/approve`, body)).status, 400, JSON.stringify(bad));
  }
  t.is((await svc.until(id, 'paused')).steps_executed, 0);
});

check('200: an execution that begins with an approval is paused at once', async (t, svc) => {
  const id = await svc.run({ nodes: { a: ask } });
  t.is((await svc.read(id)).status, 'paused');
  const nothing = { node_id: null, user_id: null, comment: null, state_patch: null };
  t.true((await svc.approve(id, { decision: 'approved', ...nothing })).accepted);
  await svc.until(id, 'completed');
});

check('exactly one of twenty reviewers decides', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: { ...ask, fallback_node: 'b' }, b: {} },
    start_node: 'a',
  });
  await svc.until(id, 'paused');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      svc.approve(id, { decision: n % 2 === 0 ? 'approved' : 'rejected', user_id: `u-${n}` }),
    ),
  );
  t.is(answers.filter(({ accepted }) => accepted).length, 1);
  await svc.until(id, 'completed');
  const received = (await svc.events(id)).filter(({ kind }) => kind === 'ApprovalReceived');
  const winner = answers.findIndex(({ accepted }) => accepted);
  t.deepEqual(
    received.map(({ payload }) => payload['user_id']),
    [`u-${winner}`],
  );
});

const twoApprovals = {
  nodes: { split: { kind: { type: 'parallel', branches: ['x', 'y'] } }, x: ask, y: ask },
};

check('400: a decision must name one of several open approvals', async (t, svc) => {
  const id = await svc.run(twoApprovals);
  await svc.until(id, 'paused');
  const body = { decision: 'approved' };
  const reply = await svc.post(`/executions/${id}/approve`, body);
  t.is(reply.status, 400);
  t.regex(reply.body.error, /^bad request: several approvals are open.*x, y/);
  t.false((await svc.approve(id, { ...body, node_id: 'z' })).accepted);
  t.deepEqual(await svc.approve(id, { ...body, node_id: 'y' }), {
    execution_id: id,
    accepted: true,
    node_id: 'y',
  });
  await svc.untilEvent(id, 'NodeCompleted', 'y');
  t.is((await svc.until(id, 'paused')).status, 'paused');
  t.is((await svc.approve(id, body)).node_id, 'x');
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('200: approvals are listed, pending and decided', async (t, svc) => {
  interface Approvals {
    readonly pending: readonly Record<string, unknown>[];
    readonly decided: readonly Record<string, unknown>[];
  }
  const id = await svc.run(twoApprovals);
  await svc.until(id, 'paused');
  await svc.approve(id, { decision: 'approved', node_id: 'x', user_id: 'u', comment: 'ok' });
  const reply = await svc.get<Approvals>(`/executions/${id}/approvals`);
  const { pending, decided } = expectStatus(reply, 200);
  t.is(pending.length, 1);
  t.like(pending[0], { node_id: 'y', description: 'Go on?', timeout_ms: null });
  t.is(decided.length, 1);
  t.like(decided[0], { node_id: 'x', decision: 'approved', user_id: 'u', comment: 'ok' });
});

check(
  '200: a value is approved as it was shown, with its deadline and what follows',
  async (t, svc) => {
    const id = await svc.run(
      {
        start_node: 'ask',
        nodes: {
          ask: {
            kind: { type: 'human_approval', description: 'Pay it?', timeout_secs: '1h' },
            input_mapping: { amount: '$.amount' },
            output_key: 'by',
            fallback_node: 'no',
          },
          yes: { kind: 'pass' },
          no: { kind: 'pass' },
        },
        edges: [{ from: 'ask', to: 'yes' }],
      },
      { amount: 12 },
    );
    await svc.until(id, 'paused');
    const { pending } = expectStatus(
      await svc.get<{
        pending: readonly (JsonObject & { shown_hash: string; deadline_at: string })[];
      }>(`/executions/${id}/approvals`),
      200,
    );
    const [asked] = pending;
    t.like(asked, {
      node_id: 'ask',
      tool: null,
      shown: { input: { amount: 12 } },
      otherwise: { outcome: 'continue', to: ['no'] },
    });
    t.regex(asked?.deadline_at ?? '', /Z$/);
    const listed = expectStatus(
      await svc.get<{ approvals: readonly JsonObject[] }>('/approvals'),
      200,
    ).approvals;
    for (const name of ['shown', 'shown_hash', 'deadline_at', 'otherwise']) {
      t.deepEqual(listed.find((one) => one['execution_id'] === id)?.[name], asked?.[name], name);
    }
    const other = { decision: 'approved', shown_hash: 'a'.repeat(64) };
    t.is((await svc.post(`/executions/${id}/approve`, other)).status, 409);
    const shown_hash = asked?.shown_hash ?? '';
    t.true((await svc.approve(id, { decision: 'approved', user_id: 'ann', shown_hash })).accepted);
    const { state } = await svc.until(id, 'completed');
    t.deepEqual(state, {
      amount: 12,
      by: { decision: 'approved', user_id: 'ann', comment: null },
    });
    t.true((await svc.story(id)).includes('NodeCompleted yes'));
  },
);

check('a value that cannot be worked out fails the approval', async (t, svc) => {
  const id = await svc.run({
    nodes: { ask: { ...ask, input_mapping: { n: { expr: 'null > 3' } } } },
  });
  t.regex((await svc.until(id, 'failed')).error ?? '', /null > 3/);
});

check('external events that come early are kept, first in, first out', async (t, svc) => {
  const nodes = {
    work: call,
    one: { ...hold('k'), output_key: 'one' },
    two: { ...hold('k'), output_key: 'two' },
  };
  const edges = [
    { from: 'work', to: 'one' },
    { from: 'one', to: 'two' },
  ];
  const id = await svc.run({ nodes, edges });
  await svc.deliver(id, 'k', { n: 1 });
  await svc.deliver(id, 'k', { n: 2 });
  await svc.work('work');
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { one: { n: 1 }, two: { n: 2 } });
  return masked(await svc.events(id));
});

check(
  'an audit entry of a companion that comes after the end is kept in the audit log',
  async (t, svc) => {
    const id = await svc.run({ nodes: { a: { kind: { type: 'pass' } } } });
    await svc.until(id, 'completed');
    const before = await svc.events(id);
    const entry = { type: 'response', advisor: 'audit', content: 'hello', total_tokens: 7 };
    t.true((await svc.deliver(id, 'audit', entry)).accepted);
    for (const other of [{ type: 'response' }, { type: 'note', advisor: 'audit' }, 'prompt']) {
      t.false((await svc.deliver(id, 'audit', other)).accepted);
    }
    t.deepEqual(await svc.events(id), before);
    const path = `/audit?execution_id=${id}&event_type=companion_response`;
    const { items } = expectStatus(await svc.get<{ items: readonly JsonObject[] }>(path), 200);
    t.is(items.length, 1);
    t.like(items[0], { execution_id: id, sequence: null, payload: entry });
    return masked(await svc.events(id));
  },
);

check('an external event reaches the wait with its key, one each', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        split: { kind: { type: 'parallel', branches: ['x', 'y'] } },
        x: { ...hold('{"key":1}'), output_key: 'x' },
        y: {
          kind: { type: 'wait', condition: 'external_event', correlation_key: '$.key' },
          output_key: 'y',
        },
      },
    },
    { key: 'k-2' },
  );
  await svc.until(id, 'paused');
  await Promise.all([svc.deliver(id, 'k-2', 'for y'), svc.deliver(id, '{"key":1}', 'for x')]);
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { key: 'k-2', x: 'for x', y: 'for y' });
});

check('the longest of several waits for one key is served first', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      split: { kind: { type: 'parallel', branches: ['first', 'work'] } },
      first: { ...hold('k'), output_key: 'first' },
      work: call,
      second: { ...hold('k'), output_key: 'second' },
    },
    edges: [{ from: 'work', to: 'second' }],
  });
  await svc.work('work');
  await svc.until(id, 'paused');
  await svc.deliver(id, 'k', 1);
  await svc.untilEvent(id, 'NodeCompleted', 'first');
  await svc.deliver(id, 'k', 2);
  t.deepEqual((await svc.until(id, 'completed')).state, { first: 1, second: 2 });
});

check('twenty external events at once: each is kept', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  await Promise.all(Array.from({ length: 20 }, (_, n) => svc.deliver(id, 'k', { n })));
  const received = (await svc.events(id)).filter(({ kind }) => kind === 'ExternalEventReceived');
  t.is(received.length, 20);
});

check('400: an external event without key or payload', async (t, svc) => {
  const id = await svc.run({ nodes: { a: hold('k') } });
  const before = await svc.events(id);
  for (const body of [
    {},
    { correlation_key: 'k' },
    { payload: {} },
    { correlation_key: '', payload: {} },
    { correlation_key: 1, payload: {} },
    { correlation_key: null, payload: {} },
    { correlation_key: 'k', payload: null },
    { correlation_key: 'x'.repeat(513), payload: {} },
  ]) {
    const reply = await svc.post(`/executions/${id}/external-event`, body);
    t.is(reply.status, 400, JSON.stringify(body));
  }
  t.deepEqual(await svc.events(id), before);
});

check('200: an ended execution takes no external event', async (t, svc) => {
  const id = await svc.run({ nodes: {} });
  const before = await svc.events(id);
  t.deepEqual(await svc.deliver(id, 'k'), { execution_id: id, accepted: false });
  t.deepEqual(await svc.events(id), before);
});
