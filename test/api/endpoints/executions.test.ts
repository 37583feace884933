import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { approving, passing, startWorkflow, tooling, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;
const UNKNOWN = ['exec_00000000000000000000000000000000', 'nope', '1', 'exec_', '%20', 'a%2Fb'];

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('201: an execution is started, and its id has one form', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('start'), input: { n: 1 } });
  t.regex(executionId, /^exec_[0-9a-f]{32}$/);
  const bare = executionId.slice(5);
  const uuid = bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  for (const form of [executionId, bare, uuid, uuid.toUpperCase()]) {
    const { status, body } = await api.call({ path: `/executions/${form}` });
    t.is(status, 200);
    t.is(body['execution_id'], executionId);
  }
});

test('200: a read says what the contract says, and more', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('read'), input: { n: 1 } });
  const { body } = await api.call({ path: `/executions/${executionId}` });
  const { created_at: createdAt, updated_at: updatedAt, waiting_on: waitingOn, ...rest } = body;
  t.deepEqual(rest, {
    execution_id: executionId,
    workflow_id: 'read',
    workflow_version: '1',
    status: 'paused',
    state: { n: 1 },
    current_state: { n: 1 },
    input: { n: 1 },
    initial_input: { n: 1 },
    steps_executed: 0,
    started_at: createdAt as string,
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
  for (const time of [createdAt, updatedAt]) {
    t.regex(time as string, /^\d{4}-.*T.*\.\d{3}Z$/);
  }
  const [first] = waitingOn as { node_id: string; correlation_key: string }[];
  t.is(first?.node_id, 'pay');
  t.is(first?.correlation_key, 'paid');
});

test('201: workflow_version null is the version registered last', async (t) => {
  const { api } = t.context;
  for (const version of ['2', '1']) {
    await api.call({ path: '/workflows', body: { ir: { ...passing('latest'), version } } });
  }
  const body = { workflow_id: 'latest', workflow_version: null, input: {} };
  const started = await api.call({ path: '/executions', body });
  const read = await api.call({ path: `/executions/${textOf(started, 'execution_id')}` });
  t.is(read.body['workflow_version'], '1');
});

test('201: unknown fields are ignored', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('extra') } });
  const body = { workflow_id: 'extra', input: {}, unheard_of: true, tags: ['x'] };
  t.is((await api.call({ path: '/executions', body })).status, 201);
});

test('400: a misspelt rule or time is refused with the name that was meant', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('misspelt') } });
  const start = (more: JsonObject) =>
    api.call({ path: '/executions', body: { workflow_id: 'misspelt', input: {}, ...more } });
  const wrong: readonly (readonly [JsonObject, string])[] = [
    [{ concurency: { limit: 1 } }, '/concurency is unknown, did you mean "concurrency"?'],
    [{ rates: { limit: 1, per: '1s' } }, '/rates is unknown, did you mean "rate"?'],
    [{ Debounce: { wait: '1s' } }, '/Debounce is unknown, did you mean "debounce"?'],
    [{ startAfter: '1h' }, '/startAfter is unknown, did you mean "start_after"?'],
    [{ start_deadlin: 60 }, '/start_deadlin is unknown, did you mean "start_deadline"?'],
    [{ start_at: '2030-01-31T09:00:00Z' }, '/start_at is unknown, did you mean "start_after"?'],
    [{ delay: 60 }, '/delay is unknown, did you mean "start_after"?'],
    [{ deadline: '1h' }, '/deadline is unknown, did you mean "start_deadline"?'],
    [{ startBy: '1h' }, '/startBy is unknown, did you mean "start_deadline"?'],
  ];
  for (const [more, message] of wrong) {
    const answer = await start(more);
    t.deepEqual([answer.status, answer.error], [400, `bad request: ${message}`]);
  }
  // They look like no rule and no time.
  for (const more of [
    { date: '2030-01-31', start_date: '2030-01-31', started_after: '1h' },
    { match: { a: 1 } },
    { batches: 2 },
    { rates: [] },
    { deadline: { of: 'the order' } },
  ]) {
    t.is((await start(more)).status, 201);
  }
});

test('400: input must be there and be an object', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('input') } });
  for (const input of [undefined, null, [], 'x', 1, true]) {
    const answer = await api.call({ path: '/executions', body: { workflow_id: 'input', input } });
    t.is(answer.status, 400);
    t.regex(answer.error, /^bad request: input (is required|must be an object)$/);
  }
});

test('400: input against the state schema, with every violation', async (t) => {
  const { api } = t.context;
  const properties = { a: { type: 'string' }, b: { type: 'number' } };
  const ir = { ...passing('schema'), state_schema: { type: 'object', properties } };
  await api.call({ path: '/workflows', body: { ir } });
  const body = { workflow_id: 'schema', input: { a: 1, b: 'x' } };
  const answer = await api.call({ path: '/executions', body });
  t.is(answer.status, 400);
  t.regex(answer.error, /\/a.*\/b/s);
});

test('404: an unknown workflow or version', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('versions') } });
  for (const body of [
    { workflow_id: 'never registered', input: {} },
    { workflow_id: 'versions', workflow_version: '9', input: {} },
  ]) {
    t.is((await api.call({ path: '/executions', body })).status, 404);
  }
});

test('201: an Idempotency-Key gives the same execution, 409 with another body', async (t) => {
  const { api } = t.context;
  await api.call({ path: '/workflows', body: { ir: passing('once') } });
  const headers = { 'idempotency-key': 'order 7' };
  const start = (input: object) =>
    api.call({ path: '/executions', body: { workflow_id: 'once', input }, headers });
  const [first, second] = [await start({ a: 1 }), await start({ a: 1 })];
  t.is(first.status, 201);
  t.deepEqual(second.body, first.body);
  t.is((await start({ a: 2 })).status, 409);
});

test('400: an Idempotency-Key that is too long', async (t) => {
  const headers = { 'idempotency-key': 'k'.repeat(513) };
  const body = { workflow_id: 'once', input: {} };
  const answer = await t.context.api.call({ path: '/executions', body, headers });
  t.is(answer.status, 400);
});

test('404: unknown ids of any shape, on every route', async (t) => {
  const { api } = t.context;
  for (const id of UNKNOWN) {
    for (const call of [
      { path: `/executions/${id}` },
      { path: `/executions/${id}/events` },
      { path: `/executions/${id}/events`, headers: { accept: 'text/event-stream' } },
      { path: `/executions/${id}/approvals` },
      { path: `/executions/${id}/cancel`, method: 'POST' },
      { path: `/executions/${id}/approve`, body: { decision: 'approved' } },
      { path: `/executions/${id}/external-event`, body: { correlation_key: 'k', payload: {} } },
    ]) {
      const answer = await api.call(call);
      t.is(answer.status, 404, call.path);
      t.regex(answer.error, /^not found: execution /);
    }
  }
});

test('200: cancel answers cancelled, and again', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: tooling('cancel') });
  const cancel = { path: `/executions/${executionId}/cancel`, method: 'POST' };
  for (let times = 0; times < 2; times++) {
    const answer = await api.call(cancel);
    t.is(answer.status, 200);
    t.deepEqual(answer.body, { execution_id: executionId, status: 'cancelled' });
  }
  const read = await api.call({ path: `/executions/${executionId}` });
  t.is(read.body['status'], 'cancelled');
});

test('200: cancel needs no body and reads none', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('cancel-body') });
  const path = `/executions/${executionId}/cancel`;
  t.is((await api.call({ path, body: '{not JSON' })).status, 200);
});

test('400: cancel of a completed execution', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('completed') });
  const answer = await api.call({ path: `/executions/${executionId}/cancel`, method: 'POST' });
  t.is(answer.status, 400);
  t.is(answer.error, `bad request: execution ${executionId} is completed`);
});

test('200: an approval is accepted once, and listed before and after', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: approving('approve') });
  const path = `/executions/${executionId}`;
  const before = await api.call({ path: `${path}/approvals` });
  t.like(before.body, { pending: [{ node_id: 'sign', description: 'Sign it?' }], decided: [] });
  const decision = {
    decision: 'approved',
    user_id: 'u1',
    comment: null,
    state_patch: { ok: true },
  };
  const first = await api.call({ path: `${path}/approve`, body: decision });
  t.deepEqual(first.body, { execution_id: executionId, accepted: true, node_id: 'sign' });
  const second = await api.call({ path: `${path}/approve`, body: decision });
  t.is(second.status, 200);
  t.is(second.body['accepted'], false);
  await api.advance(executionId);
  const after = await api.call({ path: `${path}/approvals` });
  t.like(after.body, { pending: [], decided: [{ node_id: 'sign', user_id: 'u1' }] });
  const read = await api.call({ path });
  t.is(read.body['status'], 'completed');
  t.like(read.body['state'], { ok: true });
});

test('400: a decision other than approved or rejected', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: approving('decide') });
  const path = `/executions/${executionId}/approve`;
  for (const decision of ['maybe', 'Approved', '', 1, true]) {
    const answer = await api.call({ path, body: { decision } });
    t.is(answer.status, 400);
    t.is(answer.error, 'bad request: decision must be approved or rejected');
  }
  t.is((await api.call({ path, body: {} })).error, 'bad request: decision is required');
});

test('200: an external event is accepted while the execution lives', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('event') });
  const event = {
    path: `/executions/${executionId}/external-event`,
    body: { correlation_key: 'paid', payload: { amount: 3 } },
  };
  const first = await api.call(event);
  t.is(first.status, 200);
  t.deepEqual(first.body, { execution_id: executionId, accepted: true });
  await api.advance(executionId);
  t.deepEqual((await api.call(event)).body, { execution_id: executionId, accepted: false });
});

test('400: an external event without key or payload', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('keys') });
  for (const [body, message] of [
    [{ payload: {} }, 'correlation_key is required'],
    [{ correlation_key: '', payload: {} }, 'correlation_key must not be empty'],
    [{ correlation_key: 5, payload: {} }, 'correlation_key must be a string'],
    [
      { correlation_key: 'ä'.repeat(257), payload: {} },
      'correlation_key must be at most 512 bytes',
    ],
    [{ correlation_key: 'k' }, 'payload is required'],
  ] as const) {
    const answer = await api.call({ path: `/executions/${executionId}/external-event`, body });
    t.is(answer.status, 400);
    t.is(answer.error, `bad request: ${message}`);
  }
});
