import { onBothStores } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';
import { expectStatus } from '../support/tenant.ts';
import type { Execution, ExecutionSummary } from '../support/wire.ts';

/* Interface document: "Executions". Starting, reading and listing. */

const check = onBothStores();
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const call = { kind: 'python_fn', module: 'm', function: 'f' };

interface Started {
  readonly execution_id: string;
  readonly error?: string;
}

interface List {
  readonly executions: readonly ExecutionSummary[];
  readonly next_cursor: string | null;
}

interface Explanation {
  readonly execution_id: string;
  readonly status: string;
  readonly as_of: string;
  readonly moving: boolean;
  readonly blockers_total: number;
  readonly blockers: readonly { readonly since: string | null }[];
  readonly ended: { readonly message: string } | null;
}

check('201: an execution is started and can be read at once', async (t, svc) => {
  await svc.register({ version: '7', nodes: { a: call } });
  const reply = await svc.post<Started>('/executions', { workflow_id: 'w', input: { n: 1 } });
  t.is(reply.status, 201);
  t.deepEqual(Object.keys(reply.body), ['execution_id']);
  const { execution_id: id } = reply.body;
  t.regex(id, /^exec_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  const { created_at, started_at, updated_at, waiting_on, ...rest } = await svc.read(id);
  for (const time of [created_at, started_at, updated_at]) t.regex(time, TIMESTAMP);
  t.is(started_at, created_at);
  t.like(waiting_on[0], { node_id: 'a', waiting_for: 'work', attempt: 0 });
  t.deepEqual(rest, {
    execution_id: id,
    workflow_id: 'w',
    workflow_version: '7',
    status: 'running',
    state: { n: 1 },
    current_state: { n: 1 },
    steps_executed: 0,
    input: { n: 1 },
    initial_input: { n: 1 },
    completed_at: null,
    error: null,
    parent_execution_id: null,
    labels: {},
    waiting_for: null,
    continued_from: null,
    continued_as: null,
    retried_from: null,
    retried_as: null,
    forked_from: null,
    undo: null,
    pauses: [],
    imported: null,
    waiting_for_place: null,
    ending: null,
    failure: null,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  });
  await svc.work('a', {}, { state_patch: { n: 2 } });
  const done = await svc.until(id, 'completed');
  t.regex(done.completed_at ?? '', TIMESTAMP);
  t.deepEqual([done.state, done.input, done.waiting_on], [{ n: 2 }, { n: 1 }, []]);
});

check('200: an execution id is accepted in every form of its UUID', async (t, svc) => {
  const id = await svc.run({ nodes: {} });
  const hex = id.slice('exec_'.length);
  const dashed = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  for (const form of [id, hex, dashed]) {
    t.is((await svc.get<Execution>(`/executions/${form}`)).body.execution_id, id, form);
    t.is((await svc.get(`/executions/${form}/events`)).status, 200, form);
  }
});

check('404: an unknown id of any shape, on every route', async (t, svc) => {
  await svc.run({ nodes: {} });
  const ids = [
    'exec_00000000000070008000000000000000',
    'exec_',
    'exec_xyz',
    '0',
    '-1',
    'null',
    '%20',
    "'; drop table executions; --",
    '%F0%9F%92%A5',
    '..%2F..%2Fhealth',
    'x'.repeat(5_000),
    '00000000-0000-7000-8000-000000000000',
  ];
  for (const id of ids) {
    for (const [path, body] of [
      ['', null],
      ['/events', null],
      ['/explain', null],
      ['/approvals', null],
      ['/cancel', {}],
      ['/approve', { decision: 'approved' }],
      ['/external-event', { correlation_key: 'k', payload: {} }],
    ] as const) {
      const at = `/executions/${id}${path}`;
      const reply = body === null ? await svc.get(at) : await svc.post(at, body);
      t.is(reply.status, 404, at);
      t.is(reply.body.error, `not found: execution ${decodeURIComponent(id)}`, at);
    }
  }
});

check('404: an unknown workflow, or version of one', async (t, svc) => {
  await svc.register({ version: '1', nodes: {} });
  const start = (body: object) => svc.post('/executions', { input: {}, ...body });
  const unknown = await start({ workflow_id: 'nobody' });
  t.is(unknown.status, 404);
  t.deepEqual(unknown.body, { error: 'not found: workflow nobody' });
  const version = await start({ workflow_id: 'w', workflow_version: '2' });
  t.is(version.status, 404);
  t.deepEqual(version.body, { error: 'not found: workflow w version 2' });
});

check('400: a start without workflow or input, or with others than those', async (t, svc) => {
  await svc.register({ nodes: {} });
  for (const body of [
    {},
    { workflow_id: 'w' },
    { workflow_id: 'w', input: null },
    { workflow_id: 'w', input: [] },
    { workflow_id: 'w', input: 'text' },
    { workflow_id: 1, input: {} },
    { workflow_id: '', input: {} },
    { input: {} },
    { workflow_id: 'w', input: {}, workflow_version: 1 },
    { workflow_id: 'w', input: {}, priority: 10 },
  ]) {
    const reply = await svc.post('/executions', body);
    t.is(reply.status, 400, JSON.stringify(body));
    t.regex(reply.body.error, /^bad request: /);
  }
  t.deepEqual((await listed(svc)).executions, []);
});

check('400: an input against the state schema, with every violation', async (t, svc) => {
  await svc.register({
    nodes: {},
    state_schema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
    },
  });
  const body = { workflow_id: 'w', input: { days: 0 } };
  const reply = await svc.post<{ error: string; violations: string[] }>('/executions', body);
  t.is(reply.status, 400);
  t.regex(reply.body.error, /^bad request: input does not satisfy the state schema: /);
  t.is(reply.body.violations.length, 2);
  t.regex(reply.body.error, /city/);
  t.regex(reply.body.error, /days/);
  await svc.start('w', { city: 'Oslo', days: 2 });
});

check('201: the same Idempotency-Key and body start one execution', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const headers = { 'Idempotency-Key': 'order 17' };
  const start = (input: object) =>
    svc.post<Started>('/executions', { workflow_id: 'w', input }, headers);
  const replies = await Promise.all(Array.from({ length: 20 }, () => start({ b: 1, a: [2] })));
  t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  const ids = new Set(replies.map(({ body }) => body.execution_id));
  t.is(ids.size, 1);
  t.true(ids.has((await start({ a: [2], b: 1 })).body.execution_id));
  t.is((await listed(svc)).executions.length, 1);

  const other = await start({ b: 2 });
  t.is(other.status, 409);
  t.regex(other.body.error ?? '', /^conflict: /);
  t.is((await listed(svc)).executions.length, 1);
});

check('201: an Idempotency-Key is one per tenant', async (t, svc, { runtime }) => {
  const other = await runtime.newTenant();
  const start = async (tenant: TestTenant) => {
    await tenant.register({ nodes: {} });
    const body = { workflow_id: 'w', input: {} };
    const reply = await tenant.post<Started>('/executions', body, { 'Idempotency-Key': 'same' });
    return expectStatus(reply, 201).execution_id;
  };
  t.not(await start(svc), await start(other));
});

check('201: an input just below the limit of a body', async (t, svc) => {
  const input = { text: 'ä'.repeat(2_000_000) };
  const id = await svc.run({ nodes: { a: {} } }, input);
  t.is((await svc.until(id, 'completed')).state['text'], input.text);
});

check('400: an Idempotency-Key that is too long', async (t, svc) => {
  await svc.register({ nodes: {} });
  const headers = { 'Idempotency-Key': 'x'.repeat(513) };
  const reply = await svc.post('/executions', { workflow_id: 'w', input: {} }, headers);
  t.is(reply.status, 400);
  t.regex(reply.body.error, /^bad request: the Idempotency-Key header/);
});

check('201: work of a lower priority number is handed out first', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const last = await svc.start('w', {}, { priority: 9 });
  const second = await svc.start('w', {});
  const third = await svc.start('w', {}, { priority: 5 });
  const first = await svc.start('w', {}, { priority: 0 });
  for (const id of [first, second, third, last]) t.is((await svc.claim()).execution_id, id);
});

check('200: an execution says what it waits for, and why it ended', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: call } });
  const id = await svc.start(workflowId, {});
  const explain = async () =>
    expectStatus(await svc.get<Explanation>(`/executions/${id}/explain`), 200);
  const waiting = await explain();
  t.like(waiting, { execution_id: id, status: 'running', blockers_total: 1, ended: null });
  t.regex(waiting.as_of, TIMESTAMP);
  const [blocker] = waiting.blockers;
  t.like(blocker, {
    code: 'no_worker_for_queue',
    node_id: 'a',
    visit: 0,
    queue_type: 'python_tool',
  });
  t.regex(blocker?.since ?? '', TIMESTAMP);
  const item = await svc.claim();
  const held = await explain();
  t.true(held.moving);
  t.like(held.blockers[0], { code: 'lease_held_until', lease_fence: item.lease_fence });
  await svc.post(`/executions/${id}/cancel`, {});
  const { blockers, ended, moving } = await explain();
  t.like({ blockers, moving }, { blockers: [], moving: false });
  t.is(ended?.message, 'it was cancelled');
});

check('200: the list has the newest first, without state', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: call } });
  const ids = [];
  for (const n of [1, 2, 3]) ids.unshift(await svc.start(workflowId, { n }));
  const { executions, next_cursor: cursor } = await listed(svc);
  t.deepEqual(
    executions.map((execution) => execution.execution_id),
    ids,
  );
  t.is(cursor, null);
  const { created_at, started_at, updated_at, ...rest } = executions[0] as ExecutionSummary;
  for (const time of [created_at, started_at, updated_at]) t.regex(time, TIMESTAMP);
  t.deepEqual(rest, {
    execution_id: ids[0] ?? '',
    workflow_id: 'w',
    workflow_version: '1.0.0',
    status: 'running',
    completed_at: null,
    error: null,
    error_class: null,
    error_node_id: null,
    awaiting_approval: null,
    parent_execution_id: null,
    labels: {},
    waiting_for: null,
    imported: null,
  });
});

check('200: the list is filtered by status, workflow and time', async (t, svc) => {
  const park = { nodes: { a: { kind: { type: 'human_approval' } } } };
  const empty = await svc.run({ workflow_id: 'empty', nodes: {} });
  const parked = await svc.run({ workflow_id: 'parked', ...park });
  const busy = await svc.run({ workflow_id: 'busy', nodes: { a: call } });
  const cancelled = await svc.run({ workflow_id: 'busy', nodes: { a: call } });
  expectStatus(await svc.cancel(cancelled), 200);
  const failed = await svc.run({ nodes: { a: { kind: 'limit_exceeded' } } });
  await svc.until(failed, 'failed');
  await svc.until(parked, 'paused');
  const found = async (query: string) =>
    (await listed(svc, query)).executions.map((execution) => execution.execution_id);
  for (const [status, id] of Object.entries({
    completed: empty,
    paused: parked,
    running: busy,
    cancelled,
    failed,
  })) {
    t.deepEqual(await found(`?status=${status}`), [id], status);
  }
  t.deepEqual(await found('?workflow_id=busy'), [cancelled, busy]);
  t.deepEqual(await found('?workflow_id=busy&status=running'), [busy]);
  t.deepEqual(await found('?workflow_id=nobody'), []);
  const { created_at: middle } = await svc.read(busy);
  const since = await found(`?created_after=${encodeURIComponent(middle)}`);
  const before = await found(`?created_before=${encodeURIComponent(middle)}`);
  t.deepEqual([...since, ...before], await found(''));
  t.true(since.includes(busy));
  t.deepEqual(await found('?created_after=2100-01-01T00:00:00Z'), []);
});

check('200: the list is paged by offset and by cursor', async (t, svc) => {
  const workflowId = await svc.register({ nodes: {} });
  for (let count = 0; count < 53; count++) await svc.start(workflowId);
  const all = (await listed(svc, '?limit=500')).executions.map((found) => found.execution_id);
  t.is(all.length, 53);
  t.is((await listed(svc)).executions.length, 50);
  const page = await listed(svc, '?limit=20&offset=40');
  t.deepEqual(
    page.executions.map((found) => found.execution_id),
    all.slice(40),
  );
  const followed: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '?limit=10' : `?limit=10&cursor=${cursor}`;
    const next: List = await listed(svc, query);
    followed.push(...next.executions.map((found) => found.execution_id));
    cursor = next.next_cursor;
    // The new execution is newer than the cursor, so the pages omit it and do not shift.
    if (followed.length === 10) await svc.start(workflowId);
  }
  t.deepEqual(followed, all);
  t.is((await listed(svc, '?limit=100000')).executions.length, 54);
});

check('400: a list with limits, offsets or a status that make no sense', async (t, svc) => {
  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=ten',
    'limit=1.5',
    'limit=',
    'offset=-1',
    'offset=x',
    'status=done',
    'status=RUNNING',
    'status=',
    'cursor=nonsense',
    'created_after=yesterday',
    'limit=1&limit=2',
  ]) {
    const reply = await svc.get(`/executions?${query}`);
    t.is(reply.status, 400, query);
    t.regex(reply.body.error, /^bad request: /);
  }
  t.is((await svc.get('/executions?unknown=1')).status, 200);
});

async function listed(svc: TestTenant, query = ''): Promise<List> {
  return expectStatus(await svc.get<List>(`/executions${query}`), 200);
}
