import anyTest, { type TestFn } from 'ava';

import { startTestApi, type TestApi } from '../support/test-api.ts';
import { claim, startWorkflow, tooling } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

// A claim takes any available item, so each test has its own API and database.
test.beforeEach(async (t) => {
  t.context.api = await startTestApi();
});

test.afterEach.always((t) => t.context.api.close());

test('200: a claim hands out the item with its lease', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: tooling('shop'), input: { sku: 'a' } });
  const body = { worker_id: 'w1', queue_types: ['python_tool'] };
  const answer = await api.call({ path: '/work-items/claim', body });
  t.is(answer.status, 200);
  t.deepEqual(Object.keys(answer.body), ['claimed', 'work_item']);
  t.like(answer.body['work_item'], {
    execution_id: executionId,
    node_id: 'reserve',
    queue_type: 'python_tool',
    attempt: 0,
    max_attempts: 3,
  });
  const item = answer.body['work_item'] as { payload: object; idempotency_key: string };
  t.like(item.payload, { module: 'shop', function: 'reserve', input: { sku: 'a' } });
  t.regex(item.idempotency_key, /^[0-9a-f]{64}$/);
});

test('200: with nothing to do a claim is false and nothing more', async (t) => {
  const body = { worker_id: 'w1', queue_types: ['python_tool', 'some_newer_queue'] };
  const answer = await t.context.api.call({ path: '/work-items/claim', body });
  t.deepEqual(answer.body, { claimed: false });
});

test('200: max_items gives several, and the first stands alone too', async (t) => {
  const { api } = t.context;
  for (let count = 0; count < 3; count++) await startWorkflow(api, { ir: tooling('shop') });
  const body = { worker_id: 'w1', queue_types: ['python_tool'], max_items: 2 };
  const some = await api.call({ path: '/work-items/claim', body });
  const items = some.body['work_items'] as unknown[];
  t.is(items.length, 2);
  t.deepEqual(some.body['work_item'], items[0]);
  await api.call({ path: '/work-items/claim', body: { ...body, max_items: 1000 } });
  const none = await api.call({ path: '/work-items/claim', body });
  t.deepEqual(none.body, { claimed: false, work_items: [] });
});

test('200: a long poll is answered when an item comes', async (t) => {
  const { api } = t.context;
  const body = { worker_id: 'w1', queue_types: ['python_tool'], wait_ms: 20_000 };
  const claiming = api.call({ path: '/work-items/claim', body });
  await startWorkflow(api, { ir: tooling('shop') });
  t.is((await claiming).body['claimed'], true);
});

test('400: a claim with invalid members', async (t) => {
  const { api } = t.context;
  const good = { worker_id: 'w1', queue_types: ['python_tool'] };
  for (const [change, message] of [
    [{ worker_id: undefined }, 'worker_id is required'],
    [{ worker_id: '' }, 'worker_id must not be empty'],
    [{ worker_id: 7 }, 'worker_id must be a string'],
    [{ queue_types: undefined }, 'queue_types is required'],
    [{ queue_types: 'python_tool' }, 'queue_types must be an array'],
    [{ queue_types: [] }, 'queue_types must name at least one queue type'],
    [{ queue_types: [1] }, 'queue_types.0 must be a string'],
    [
      { queue_types: ['model', 'engine'] },
      'queue_types must name python_tool or java_tool or function',
    ],
    [{ queue_types: Array(33).fill('java_tool') }, 'queue_types must name at most 32 queue types'],
    [{ wait_ms: -1 }, 'wait_ms must not be negative'],
    [{ wait_ms: '5' }, 'wait_ms must be a number'],
    [{ max_items: 0 }, 'max_items must be at least 1'],
    [{ max_items: 1.5 }, 'max_items must be an integer'],
  ] as const) {
    const answer = await api.call({ path: '/work-items/claim', body: { ...good, ...change } });
    t.is(answer.status, 400);
    t.is(answer.error, `bad request: ${message}`);
  }
});

test('200: a worker that claims is listed', async (t) => {
  const { api } = t.context;
  const body = { worker_id: 'w1', queue_types: ['java_tool'], host: 'h1', version: '2.0' };
  await api.call({ path: '/work-items/claim', body });
  const { body: listed } = await api.call({ path: '/workers' });
  t.like(listed['workers'], [
    { worker_id: 'w1', kind: 'tool', queue_types: ['java_tool'], host: 'h1', version: '2.0' },
  ]);
});

test('200: a heartbeat under the fence renews the lease', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const body = { worker_id: 'w1', lease_fence: item.lease_fence };
  const answer = await api.call({ path: `/work-items/${item.id}/heartbeat`, body });
  t.is(answer.status, 200);
  t.like(answer.body, { renewed: true, work_item_id: item.id });
});

test('409: a heartbeat under a stale fence fails closed', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  for (const fence of [item.lease_fence + 1, 2 ** 53, 2 ** 63]) {
    const body = { worker_id: 'w1', lease_fence: fence };
    const answer = await api.call({ path: `/work-items/${item.id}/heartbeat`, body });
    t.is(answer.status, 409);
    const { reason, error, ...rest } = answer.body;
    t.is(error, `conflict: ${typeof reason === 'string' ? reason : 'no text'}`);
    t.deepEqual(rest, { renewed: false, work_item_id: item.id });
    t.is(typeof reason, 'string');
  }
});

test('400: a fence that is none', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const settled = { output: {}, state_patch: {}, idempotency_key: item.idempotency_key };
  for (const fence of [0, -1, 1.5, '1', true, {}]) {
    for (const [verb, rest] of [
      ['heartbeat', { worker_id: 'w1' }],
      ['complete', settled],
      ['fail', { error: 'x' }],
    ] as const) {
      const body = { ...rest, lease_fence: fence };
      const answer = await api.call({ path: `/work-items/${item.id}/${verb}`, body });
      t.is(answer.status, 400, `${verb} ${JSON.stringify(fence)}`);
      t.regex(answer.error, /^bad request: lease_fence must be/);
    }
  }
  const body = { worker_id: 'w1' };
  const missing = await api.call({ path: `/work-items/${item.id}/heartbeat`, body });
  t.is(missing.error, 'bad request: lease_fence is required');
});

test('200: a complete under fence and key settles the item', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const answer = await api.call({
    path: `/work-items/${item.id}/complete`,
    body: {
      execution_id: executionId,
      node_id: 'reserve',
      output: { ok: true },
      state_patch: { reserved: 1 },
      duration_ms: 12,
      lease_fence: item.lease_fence,
      idempotency_key: item.idempotency_key,
      gen_ai_model: null,
      finish_reason: null,
    },
  });
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { completed: true, work_item_id: item.id });
  t.is(answer.headers.get('deprecation'), null);
  await api.advance(executionId);
  const read = await api.call({ path: `/executions/${executionId}` });
  t.like(read.body, { status: 'completed', state: { reserved: 1 } });
});

test('400: an output that is not what the node promises writes nothing', async (t) => {
  const { api } = t.context;
  const kind = {
    type: 'python_fn',
    module: 'shop',
    function: 'reserve',
    output_schema: { type: 'object', required: ['ok'] },
  };
  const ir = { workflow_id: 'promise', nodes: { reserve: { kind } }, edges: [] };
  await startWorkflow(api, { ir });
  const item = await claim(api);
  const path = `/work-items/${item.id}/complete`;
  const body = {
    output: {},
    state_patch: {},
    lease_fence: item.lease_fence,
    idempotency_key: item.idempotency_key,
  };
  const before = await api.database.contents();
  const refused = await api.call({ path, body });
  t.is(refused.status, 400);
  t.regex(refused.body['error'] as string, /output_schema/);
  t.deepEqual(await api.database.contents(), before);
  t.is((await api.call({ path, body: { ...body, output: { ok: true } } })).status, 200);
});

test('200: a complete without fence or key is deprecated', async (t) => {
  const { api } = t.context;
  for (const omitted of ['lease_fence', 'idempotency_key']) {
    await startWorkflow(api, { ir: tooling('shop') });
    const item = await claim(api);
    const body = { output: {}, state_patch: {}, ...item, [omitted]: null };
    const answer = await api.call({ path: `/work-items/${item.id}/complete`, body });
    t.is(answer.status, 200);
    t.not(answer.headers.get('deprecation'), null);
  }
});

test('409: a stale fence writes nothing', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  // The runtime records the last use of a token with a delay.
  const { tokens: _, ...before } = await api.database.contents();
  const stale = { lease_fence: item.lease_fence + 1 };
  const completed = await api.call({
    path: `/work-items/${item.id}/complete`,
    body: { output: {}, state_patch: {}, idempotency_key: item.idempotency_key, ...stale },
  });
  t.is(completed.status, 409);
  t.deepEqual(Object.keys(completed.body).toSorted(), ['completed', 'error', 'reason']);
  t.is(completed.body['completed'], false);
  const failed = await api.call({
    path: `/work-items/${item.id}/fail`,
    body: { error: 'x', ...stale },
  });
  t.is(failed.status, 409);
  const { tokens: __, ...after } = await api.database.contents();
  t.deepEqual(after, before);
});

test('the checks come in the order of the protocol', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const viewer = await api.mint({ role: 'viewer' });
  const wrong = {
    output: {},
    state_patch: {},
    lease_fence: item.lease_fence + 1,
    idempotency_key: 'x',
  };
  const complete = async (change: object, more: { token?: string | null; id?: string } = {}) => {
    const { id = item.id, ...rest } = more;
    const path = `/work-items/${id}/complete`;
    return (await api.call({ path, body: { ...wrong, ...change }, ...rest })).status;
  };
  t.is(await complete({ output: 1 }, { token: null, id: 'unknown' }), 401);
  t.is(await complete({ output: 1 }, { token: viewer, id: 'unknown' }), 403);
  t.is(await complete({ output: 1 }, { id: 'unknown' }), 400);
  t.is(await complete({}, { id: 'unknown' }), 404);
  t.is(await complete({}), 409);
  t.is(await complete({ lease_fence: item.lease_fence }), 400);
  const { idempotency_key: key } = item;
  t.is(await complete({ lease_fence: item.lease_fence, idempotency_key: key.toUpperCase() }), 400);
  t.is(await complete({ lease_fence: item.lease_fence, idempotency_key: key }), 200);
});

test('400: a complete without output or state_patch, or with other types', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const good = { output: {}, state_patch: {}, lease_fence: item.lease_fence };
  for (const [change, message] of [
    [{ output: undefined }, 'output is required'],
    [{ output: null }, 'output must be an object'],
    [{ output: [] }, 'output must be an object'],
    [{ state_patch: undefined }, 'state_patch is required'],
    [{ state_patch: 'x' }, 'state_patch must be an object'],
    [{ idempotency_key: 5 }, 'idempotency_key must be a string'],
    [{ duration_ms: -1 }, 'duration_ms must not be negative'],
    [{ duration_ms: 'x' }, 'duration_ms must be a number'],
    [{ execution_id: 5 }, 'execution_id must be a string'],
    [{ gen_ai_model: {} }, 'gen_ai_model must be a string'],
  ] as const) {
    const body = { ...good, ...change };
    const answer = await api.call({ path: `/work-items/${item.id}/complete`, body });
    t.is(answer.status, 400);
    t.is(answer.error, `bad request: ${message}`);
  }
});

test('200: a fail says whether the item is tried again', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop', { max_attempts: 1 }) });
  const item = await claim(api);
  const body = { error: 'out of stock', lease_fence: item.lease_fence };
  const answer = await api.call({ path: `/work-items/${item.id}/fail`, body });
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { failed: true, work_item_id: item.id, retryable: false, attempt: 0 });
});

test('200: a fail without fence carries a warning', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const path = `/work-items/${item.id}/fail`;
  const answer = await api.call({ path, body: { error: 'x' } });
  t.is(answer.status, 200);
  t.is(typeof answer.body['warning'], 'string');
  t.not(answer.headers.get('deprecation'), null);
});

test('400: a fail without error', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const answer = await api.call({ path: `/work-items/${item.id}/fail`, body: { lease_fence: 1 } });
  t.is(answer.status, 400);
  t.is(answer.error, 'bad request: error is required');
});

test('404: an unknown item of any shape, on every route', async (t) => {
  const { api } = t.context;
  for (const id of ['00000000-0000-7000-8000-000000000000', 'x', '1', 'exec_1']) {
    for (const [verb, body] of [
      ['heartbeat', { worker_id: 'w', lease_fence: 1 }],
      ['complete', { output: {}, state_patch: {}, lease_fence: 1 }],
      ['fail', { error: 'x', lease_fence: 1 }],
      ['requeue', {}],
    ] as const) {
      const answer = await api.call({ path: `/work-items/${id}/${verb}`, body });
      t.is(answer.status, 404, verb);
      t.is(answer.error, `not found: work item ${id}`);
    }
  }
});

test('200: a dead-lettered item is listed', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop', { max_attempts: 1 }) });
  const item = await claim(api);
  const body = { error: 'out of stock', lease_fence: item.lease_fence };
  await api.call({ path: `/work-items/${item.id}/fail`, body });
  const { body: listed } = await api.call({ path: '/work-items?status=dead_lettered' });
  t.like(listed['work_items'], [
    { id: item.id, status: 'dead_lettered', error: 'out of stock', handled: false },
  ]);
  const past = await api.call({
    path: '/work-items?status=dead_lettered&before=2020-01-01T00:00:00Z',
  });
  t.deepEqual(past.body, { work_items: [], next_cursor: null });
});

for (const [how, handled, nodes] of [
  ['a fallback node', true, { fallback_node: 'other' }],
  ['nothing', false, {}],
  ['a condition that does not hold', false, { edge: { condition: 'state.n == 1' } }],
] as const) {
  test(`200: a dead letter whose failure goes to ${how} has handled ${handled}`, async (t) => {
    const { api } = t.context;
    const { edge, ...rest } = { edge: null, ...nodes };
    const lookup = {
      kind: { type: 'python_fn', module: 'shop', function: 'reserve' },
      retry_policy: { max_attempts: 1 },
      ...rest,
    };
    const ir = {
      workflow_id: `letters-${how.length}`,
      start_node: 'lookup',
      nodes: { lookup, other: { kind: { type: 'pass' } } },
      edges: edge === null ? [] : [{ from: 'lookup', to: 'other', on: 'failure', ...edge }],
    };
    await startWorkflow(api, { ir });
    const item = await claim(api);
    const body = { error: 'out of stock', lease_fence: item.lease_fence };
    await api.call({ path: `/work-items/${item.id}/fail`, body });
    const { body: listed } = await api.call({ path: '/work-items?status=dead_lettered' });
    t.like(listed['work_items'], [{ id: item.id, handled }]);
  });
}

test('400: no other status of work items can be listed', async (t) => {
  for (const query of ['', '?status=queued', '?status=']) {
    const answer = await t.context.api.call({ path: `/work-items${query}` });
    t.is(answer.status, 400);
  }
});

test('409: an item that is not dead-lettered cannot be requeued', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('shop') });
  const item = await claim(api);
  const answer = await api.call({ path: `/work-items/${item.id}/requeue`, method: 'POST' });
  t.is(answer.status, 409);
  t.regex(answer.error, /^conflict: /);
});
