import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../support/test-api.ts';
import { claim, startWorkflow, tooling, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;
const ROUTE = '/executions/:id/result';

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('400: a wait that is no duration', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('durations') });
  for (const wait of ['', 'soon', '-1s', '1w', '1s1', '30 s s']) {
    const path = `/executions/${executionId}/result?wait=${encodeURIComponent(wait)}`;
    const answer = await api.call({ path });
    t.is(answer.status, 400, wait);
    t.regex(answer.error, /^bad request: wait must be a duration such as 500ms, 30s or 1m$/);
  }
});

test('202: a duration has a unit, or is in seconds', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('units') });
  for (const wait of ['0', '0s', '20ms', '0.02', '0.02s']) {
    const { status, body } = await api.call({
      path: `/executions/${executionId}/result?wait=${wait}`,
    });
    t.is(status, 202, wait);
    t.deepEqual(body, { execution_id: executionId, status: 'paused' });
  }
});

test('404: an unknown execution, at once, for any wait', async (t) => {
  const { api } = t.context;
  for (const id of ['exec_00000000000000000000000000000000', 'nope']) {
    const answer = await api.call({ path: `/executions/${id}/result?wait=1m` });
    t.is(answer.status, 404);
    t.is(answer.error, `not found: execution ${id}`);
  }
});

test('200: a failure has a message, a class and a node', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: tooling('breaking', { max_attempts: 1 }) });
  const item = await claim(api);
  await api.call({
    path: `/work-items/${item.id}/fail`,
    body: { error: 'no stock', lease_fence: item.lease_fence },
  });
  await api.advance(executionId);
  const { status, body } = await api.call({ path: `/executions/${executionId}/result` });
  t.is(status, 200);
  t.deepEqual(body, {
    execution_id: executionId,
    status: 'failed',
    output: null,
    error: { message: 'node reserve failed: no stock', class: 'error', node_id: 'reserve' },
    continued_as: null,
  });
});

test('429: one waiter more than a token may have, and nothing is started by it', async (t) => {
  const { api, executionId } = await withWaiter(t, { settings: { resultWaitsPerToken: 1 } });
  const refused = await api.call({ path: `/executions/${executionId}/result?wait=1m` });
  t.is(refused.status, 429);
  t.deepEqual(refused.body, {
    error:
      'limit exceeded: this token has 1 requests that wait for a result; ask with a shorter ' +
      'wait, or raise api.result_waits_per_token',
    limit: 'result_waits_per_token',
    max: 1,
  });
  t.regex(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const body = { workflow_id: 'awaited', input: {} };
  t.is((await api.call({ path: '/executions?wait=1m', body })).status, 429);
  const { executions } = (await api.call({ path: '/executions' })).body;
  t.is((executions as readonly unknown[]).length, 1);
  t.is((await api.call({ path: `/executions/${executionId}/result` })).status, 202);
  const token = await api.mint({ role: 'viewer' });
  t.is((await api.call({ path: `/executions/${executionId}/result?wait=1ms`, token })).status, 202);
});

test('a caller that leaves makes room for the next', async (t) => {
  const { api, executionId, leave, waiting } = await withWaiter(t, {
    settings: { resultWaitsPerToken: 1 },
  });
  const left = api.nextReport(ROUTE);
  leave();
  await t.throwsAsync(waiting);
  t.is((await left).status, 499);
  const { status } = await api.call({ path: `/executions/${executionId}/result?wait=1ms` });
  t.is(status, 202);
});

test('202: a server that closes answers those who wait', async (t) => {
  const { api, executionId, waiting } = await withWaiter(t);
  const body = { workflow_id: 'awaited', input: {} };
  const starting = api.call({ path: '/executions?wait=1m', body });
  await eventually(async () => {
    const { executions } = (await api.call({ path: '/executions' })).body;
    if ((executions as readonly unknown[]).length < 2) throw new Error('not started yet');
  });
  await api.close({ deadlineMs: 5_000 });
  t.like(await waiting, { status: 202, body: { execution_id: executionId, status: 'paused' } });
  t.is((await starting).status, 202);
});

test('401: a token that is revoked while it waits', async (t) => {
  const { api, executionId } = await withWaiter(t, { settings: { callerRecheckMs: 20 } });
  const made = await api.call({ path: '/tokens', body: { name: 'leaver', role: 'viewer' } });
  const { token, token_id: tokenId } = made.body as { token: string; token_id: string };
  const path = `/executions/${executionId}/result`;
  t.is((await api.call({ path, token })).status, 202);
  const isWaiting = nextWait(api, executionId);
  const waiting = api.call({ path: `${path}?wait=1m`, token });
  await isWaiting;
  await api.call({ method: 'DELETE', path: `/tokens/${tokenId}` });
  t.is((await waiting).status, 401);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`200: a result is shown as the data policy says (${dialect})`, async (t) => {
    const api = await startTestApi({ dialect });
    t.teardown(() => api.close());
    const output = { text: 'write to ann@mail.example', ssn: '1' };
    const nodes = { a: { kind: { type: 'pass', output: { literal: output } }, output_key: 'out' } };
    const ends = async (workflow_id: string, more: JsonObject) => {
      const ir = { workflow_id, version: '1', nodes, edges: [], ...more };
      const executionId = await startWorkflow(api, { ir });
      const { body } = await api.call({ path: `/executions/${executionId}/result?state=true` });
      const state = body['state'] as JsonObject;
      t.deepEqual(state['out'] ?? null, body['output'] ?? null);
      return body['output'];
    };
    t.deepEqual(await ends('open', {}), output);
    const data_policy = { pii_fields: ['out.ssn'], pii_detectors: ['email'] };
    t.deepEqual(await ends('masked', { data_policy }), { text: 'write to [email]', ssn: '***' });
    t.is(await ends('hidden', { data_policy: { retain_outputs: false } }), null);
  });

  test(`200: an error is shown as the data policy says (${dialect})`, async (t) => {
    const api = await startTestApi({ dialect });
    t.teardown(() => api.close());
    const ir = {
      ...tooling('masked', { max_attempts: 1 }),
      data_policy: { pii_detectors: ['email'] },
    };
    const executionId = await startWorkflow(api, { ir });
    const item = await claim(api);
    const body = { error: 'no ann@mail.example', lease_fence: item.lease_fence };
    await api.call({ path: `/work-items/${item.id}/fail`, body });
    await api.advance(executionId);
    const answer = await api.call({ path: `/executions/${executionId}/result` });
    t.like(answer.body['error'], { message: 'node reserve failed: no [email]' });
  });
}

/** An API with one request that waits for the end of an execution. */
async function withWaiter(
  t: { teardown(action: () => Promise<void>): void },
  options: TestApiOptions = {},
) {
  const api = await startTestApi(options);
  t.teardown(() => api.close());
  const executionId = await startWorkflow(api, { ir: waiting('awaited') });
  const leaving = new AbortController();
  const isWaiting = nextWait(api, executionId);
  const path = `/executions/${executionId}/result?wait=1m`;
  const asked = api.call({ path, signal: leaving.signal });
  asked.catch(() => undefined);
  await isWaiting;
  return { api, executionId, waiting: asked, leave: () => leaving.abort() };
}

/** Resolves when a request begins to wait for the end of this execution. */
function nextWait(api: TestApi, executionId: string): Promise<void> {
  return new Promise((resolve) => {
    const end = api.wake.subscribe(`awaited:${executionId}`, () => {
      end();
      resolve();
    });
  });
}
