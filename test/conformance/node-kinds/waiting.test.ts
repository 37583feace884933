import { onBothStores } from '../../support/both-stores.ts';
import { masked } from '../../support/told.ts';

/* Kinds that wait: durable timers, external events, people. Also every time limit. */

// Short leases: the interval of the search for lapsed ones follows from them.
const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '5' } });
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const wait = (fields: { readonly [key: string]: string | number }) => ({
  nodes: { hold: { kind: { type: 'wait', ...fields }, output_key: 'got' } },
  edges: [],
});
const elapsedMs = (execution: { created_at: string; completed_at: string | null }) =>
  Date.parse(execution.completed_at ?? '') - Date.parse(execution.created_at);

check('wait for a timer: running meanwhile, and never too early', async (t, svc) => {
  const id = await svc.run(wait({ condition: 'timer', timeout_secs: 3 }));
  t.is((await svc.read(id)).status, 'running');
  const execution = await svc.until(id, 'completed');
  t.true(elapsedMs(execution) >= 3_000);
  t.deepEqual(execution.state, { got: null });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled hold',
    'TimerStarted hold',
    'TimerFired hold',
    'NodeCompleted hold',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('wait until an instant that is past: at once', async (t, svc) => {
  const id = await svc.run(wait({ condition: 'timer', until: '2020-01-01T00:00:00Z' }));
  t.true(elapsedMs(await svc.until(id, 'completed')) < 10_000);
  return masked(await svc.events(id));
});

check('wait for an external event: paused, then its payload is the output', async (t, svc) => {
  const id = await svc.run(wait({ condition: 'external_event', correlation_key: 'paid' }));
  const paused = await svc.until(id, 'paused');
  t.like(paused.waiting_on[0], {
    node_id: 'hold',
    waiting_for: 'event',
    correlation_key: 'paid',
  });
  t.true((await svc.deliver(id, 'other', { no: 1 })).accepted);
  t.deepEqual(await svc.deliver(id, 'paid', { amount: 12 }), { execution_id: id, accepted: true });
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { got: { amount: 12 } });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled hold',
    'ExternalEventWaiting hold',
    'ExternalEventReceived',
    'ExternalEventReceived',
    'NodeCompleted hold',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('wait for an event with a limit: late, and the node fails', async (t, svc) => {
  const id = await svc.run(
    wait({ condition: 'external_event', correlation_key: 'paid', timeout_secs: 0.2 }),
  );
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'node hold failed: no external event "paid" came in time');
  return masked(await svc.events(id));
});

check('wait for either: the event came first, and the timer never fires', async (t, svc) => {
  const id = await svc.run(
    wait({ condition: 'either', correlation_key: 'paid', timeout_secs: '10m' }),
  );
  await svc.until(id, 'paused');
  await svc.deliver(id, 'paid', 'in cash');
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { got: 'in cash' });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled hold',
    'ExternalEventWaiting hold',
    'TimerStarted hold',
    'ExternalEventReceived',
    'NodeCompleted hold',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('wait for either: the timer came first', async (t, svc) => {
  const id = await svc.run(
    wait({ condition: 'either', correlation_key: 'paid', timeout_secs: '200ms' }),
  );
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { got: { timed_out: true } });
  return masked(await svc.events(id));
});

const approval = (more: { readonly [key: string]: string | number } = {}) => ({
  nodes: {
    sign: { kind: { type: 'human_approval', description: 'Pay the invoice?', ...more } },
    pay: {},
    refuse: {},
  },
  edges: [{ from: 'sign', to: 'pay' }],
  start_node: 'sign',
});

check('human_approval: approved, with a patch of the state', async (t, svc) => {
  const id = await svc.run(approval(), { amount: 12 });
  await svc.until(id, 'paused');
  const answer = await svc.approve(id, {
    decision: 'approved',
    user_id: 'reviewer-1',
    comment: 'fine',
    state_patch: { approved_amount: 10, amount: null },
  });
  t.deepEqual(answer, { execution_id: id, accepted: true, node_id: 'sign' });
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { approved_amount: 10 });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled sign',
    'ApprovalRequested sign',
    'ApprovalReceived sign',
    'NodeCompleted sign',
    'NodeScheduled pay',
    'NodeCompleted pay',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('human_approval: rejected, the node fails and no patch is applied', async (t, svc) => {
  const id = await svc.run(approval(), { amount: 12 });
  await svc.until(id, 'paused');
  await svc.approve(id, {
    decision: 'rejected',
    user_id: 'reviewer-1',
    comment: 'too much',
    state_patch: { amount: 0 },
  });
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'node sign failed: approval rejected by reviewer-1: too much');
  t.deepEqual(execution.state, { amount: 12 });
  return masked(await svc.events(id));
});

check('human_approval: rejected, the fallback node leads on', async (t, svc) => {
  const id = await svc.run(approval({ fallback_node: 'refuse' }));
  await svc.until(id, 'paused');
  await svc.approve(id, { decision: 'rejected', node_id: 'sign' });
  await svc.until(id, 'completed');
  t.deepEqual((await svc.story(id)).slice(3), [
    'ApprovalReceived sign',
    'NodeFailed sign',
    'NodeScheduled refuse',
    'NodeCompleted refuse',
    'NodeSkipped pay',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('human_approval: nobody decides in time', async (t, svc) => {
  const ids = [
    await svc.run(approval({ timeout_secs: 0.2 })),
    await svc.run({ ...approval(), timeouts: { approval_timeout: '200ms' } }),
  ];
  for (const id of ids) {
    const execution = await svc.until(id, 'failed');
    t.is(execution.error, 'node sign failed: no decision came in time');
    t.deepEqual(await svc.story(id), [
      'WorkflowStarted',
      'NodeScheduled sign',
      'ApprovalRequested sign',
      'TimerStarted sign',
      'TimerFired sign',
      'NodeFailed sign',
      'WorkflowFailed',
    ]);
    t.false((await svc.approve(id, { decision: 'approved' })).accepted);
  }
  return masked(await svc.events(ids[0] ?? ''));
});

check('node timeout: an attempt ends when its time is over, heartbeats or not', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      a: {
        ...call,
        node_timeout_secs: 2,
        retry_policy: { max_attempts: 2, initial_delay: '10ms', jitter: false },
      },
    },
    edges: [],
  });
  const slow = await svc.claimOf('a');
  const path = `/work-items/${slow.id}/heartbeat`;
  const beat = { worker_id: 'worker-1', lease_fence: slow.lease_fence };
  t.is((await svc.post(path, beat)).status, 200);
  const failed = await svc.untilEvent(id, 'NodeFailed', 'a');
  t.like(failed.payload, { error_class: 'timeout', retryable: true, attempt: 0 });
  t.is((await svc.post(path, beat)).status, 409);
  t.is((await svc.complete(slow)).status, 409);
  const again = await svc.work('a');
  t.is(again.attempt, 1);
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('schedule_to_start: an item nobody takes in time fails its node', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: call },
    edges: [],
    timeouts: { schedule_to_start: '200ms' },
  });
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /^node a failed: no worker took the item/);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeFailed a',
    'WorkflowFailed',
  ]);
  return masked(await svc.events(id));
});

check('workflow timeout: the execution fails, and its work is taken back', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call }, edges: [], timeouts: { workflow_timeout: 1.5 } });
  const item = await svc.claimOf('a');
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'workflow timed out');
  t.true(elapsedMs(execution) >= 1_500);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'TimerStarted',
    'NodeScheduled a',
    'TimerFired',
    'NodeCancelled a',
    'WorkflowFailed',
  ]);
  t.is((await svc.complete(item)).status, 409);
  return masked(await svc.events(id));
});
