import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: executions that begin later, and deadlines of their start. */

const check = onBothStores();

const NODES = {
  go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
};

const later = (more: JsonObject = {}): JsonObject => ({
  workflow_id: 'later',
  nodes: NODES,
  ...more,
});

interface Explained {
  readonly blockers: readonly { readonly code: string; readonly until?: string }[];
}

interface Reading {
  readonly status: string;
  readonly error: string | null;
  readonly waiting_for: { readonly kind: string; readonly until: string | null } | null;
}

check('201: an execution begins after its delay, and not before', async (t, svc) => {
  const id = await svc.register(later());
  const execution = await svc.start(id, {}, { start_after: '400ms' });
  await svc.until(execution, 'paused');
  const events = await svc.events(execution);
  t.deepEqual(
    events.map(({ kind }) => kind),
    ['WorkflowStarted', 'TimerStarted', 'TimerFired', 'NodeScheduled', 'ExternalEventWaiting'],
  );
  const [started, , fired] = events;
  t.true(Date.parse(fired?.created_at ?? '') - Date.parse(started?.created_at ?? '') >= 400);
  t.is((await svc.get<Reading>(`/executions/${execution}`)).body.waiting_for, null);
});

check('200: one that is delayed says until when, everywhere', async (t, svc) => {
  const id = await svc.register(later());
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const execution = await svc.start(id, {}, { start_after: until });
  const { body } = await svc.get<Reading>(`/executions/${execution}`);
  t.like(body, { status: 'running', waiting_for: { kind: 'start_after', key: null, until } });
  const listed = await svc.get<{ readonly executions: readonly Reading[] }>(
    `/executions?q=${encodeURIComponent(`workflow = ${id} and waiting = true`)}`,
  );
  t.deepEqual(listed.body.executions[0]?.waiting_for, body.waiting_for);
  t.is(listed.body.executions.length, 1);
  const explained = await svc.get<Explained>(`/executions/${execution}/explain`);
  t.deepEqual(
    explained.body.blockers.map(({ code, until: at }) => ({ code, until: at })),
    [{ code: 'timer_until', until }],
  );
  const delayed = await svc.start(id, {}, { start_after: '1h' });
  const one = await svc.get<Reading>(`/executions/${delayed}`);
  const many = await svc.get<{
    readonly executions: readonly (Reading & { execution_id: string })[];
  }>(`/executions?workflow_id=${id}`);
  const row = many.body.executions.find(({ execution_id: of }) => of === delayed);
  t.deepEqual(row?.waiting_for, one.body.waiting_for);
});

check('200: a delayed one is cancelled at once, and runs nothing', async (t, svc) => {
  const id = await svc.register(later());
  const execution = await svc.start(id, {}, { start_after: '1h' });
  t.is((await svc.cancel(execution)).body.status, 'cancelled');
  t.deepEqual(await svc.story(execution), ['WorkflowStarted', 'TimerStarted', 'WorkflowCancelled']);
});

check('200: a delayed one joins the queue of its key when its time has come', async (t, svc) => {
  const id = await svc.register(later({ concurrency: { limit: 1 } }));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const delayed = await svc.start(id, {}, { start_after: '300ms' });
  await svc.untilWaitsFor(delayed, 'concurrency');
  t.true((await svc.story(delayed)).includes('TimerFired'));
  await svc.deliver(first, 'go');
  await svc.until(delayed, 'paused');
});

check('200: one that has not begun by its deadline fails, and leaves the queue', async (t, svc) => {
  const id = await svc.register({
    ...later({ concurrency: { limit: 1 } }),
    tools: { tidy: { kind: 'python', reference: 'shop:tidy' } },
    nodes: { ...NODES, tidy: { kind: { type: 'finalizer', tool_ref: 'tidy', run_on: 'failure' } } },
  });
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const late = await svc.start(id, {}, { start_deadline: '300ms' });
  const next = await svc.start(id);
  await svc.until(late, 'failed');
  const { body } = await svc.get<Reading>(`/executions/${late}`);
  t.like(body, {
    error: 'the execution did not begin by its start deadline',
    waiting_for: null,
  });
  t.deepEqual(await svc.story(late), [
    'WorkflowStarted',
    'TimerStarted',
    'TimerFired',
    'WorkflowFailed',
  ]);
  const retried = await svc.post<{ readonly execution_id: string }>(
    `/executions/${late}/retry`,
    {},
  );
  t.is(retried.status, 201);
  await svc.deliver(first, 'go');
  await svc.until(next, 'paused');
  await svc.deliver(next, 'go');
  await svc.until(retried.body.execution_id, 'paused');
});

check('200: one whose deadline is over at its start fails, and takes no place', async (t, svc) => {
  const over = { start_deadline: '2020-01-01T00:00:00Z' };
  for (const rules of [
    {},
    { concurrency: { limit: 1 } },
    { concurrency: { limit: 1, when_full: 'refuse' } },
  ]) {
    const id = await svc.register(later(rules));
    const late = await svc.start(id, {}, over);
    await svc.until(late, 'failed');
    t.deepEqual(await svc.story(late), [
      'WorkflowStarted',
      'TimerStarted',
      'TimerFired',
      'WorkflowFailed',
    ]);
    const next = await svc.start(id, {}, { start_deadline: '2999-01-01T00:00:00Z' });
    await svc.until(next, 'paused');
    await svc.deliver(next, 'go');
    await svc.until(next, 'completed');
  }
});

check('200: the times of a workflow hold for starts that say nothing else', async (t, svc) => {
  const id = await svc.register(later({ start_after: '1h', start_deadline: '2h' }));
  const delayed = await svc.start(id);
  t.deepEqual(await svc.story(delayed), ['WorkflowStarted', 'TimerStarted', 'TimerStarted']);
  const atOnce = await svc.start(id, {}, { start_after: 0 });
  await svc.until(atOnce, 'paused');
  const { body } = await svc.post<{ readonly results: readonly { readonly status: number }[] }>(
    '/executions/batch',
    {
      executions: [
        { workflow_id: id, input: {}, start_after: '0s' },
        { workflow_id: id, input: {}, start_after: 'soon' },
      ],
    },
  );
  t.deepEqual(
    body.results.map(({ status }) => status),
    [201, 400],
  );
});

check('400: times that cannot be', async (t, svc) => {
  const id = await svc.register(later());
  for (const [times, reason] of [
    [{ start_after: 'soon' }, /start_after must be seconds/],
    [{ start_after: '2026-02-30T00:00:00Z' }, /start_after must be seconds/],
    [{ start_after: '1h', start_deadline: '10m' }, /start_deadline must be later/],
    [{ start_deadline: '-1s' }, /start_deadline must be seconds/],
  ] as const) {
    const refused = await svc.post<{ readonly error: string }>('/executions', {
      workflow_id: id,
      input: {},
      ...times,
    });
    t.is(refused.status, 400);
    t.regex(refused.body.error, reason);
  }
  for (const wrong of [
    { start_after: '2030-01-01T00:00:00Z' },
    { start_after: 0 },
    { start_after: '1h', start_deadline: '1h' },
  ]) {
    t.is((await svc.post('/workflows', { ir: later(wrong) })).status, 400, JSON.stringify(wrong));
  }
});
