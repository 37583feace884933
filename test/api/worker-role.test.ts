import test, { type ExecutionContext } from 'ava';

import { accessMatrix } from '../../src/api/access-matrix.ts';
import { routes } from '../../src/api/routes.ts';
import { textOf } from './support/call-api.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';
import { startWorkflow, tooling } from './support/workflows.ts';

async function start(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
  const api = await startTestApi({ dialect });
  t.teardown(() => api.close());
  const token = await api.mint({ role: 'worker' });
  return { api, token };
}

async function claim(api: TestApi, token: string) {
  const body = { worker_id: 'w1', queue_types: ['python_tool'] };
  const { status, body: answer } = await api.call({ path: '/work-items/claim', body, token });
  if (status !== 200) throw new Error(`claim: ${status}`);
  return answer['work_item'] as unknown as Item;
}

interface Item {
  readonly id: string;
  readonly lease_fence: number;
  readonly idempotency_key: string;
}

async function keep(api: TestApi, content: string, token = api.operatorToken): Promise<string> {
  const response = await fetch(`${api.url}/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: content,
  });
  return ((await response.json()) as { readonly hash: string }).hash;
}

async function statusOf(api: TestApi, path: string, token: string): Promise<number> {
  const response = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

test('a worker does work items and artifacts, and nothing else', (t) => {
  const allowed = accessMatrix(routes)
    .filter(({ needsToken, roles }) => needsToken && roles.includes('worker'))
    .map(({ method, path }) => `${method} ${path}`);
  t.deepEqual(allowed, [
    'GET /whoami',
    'POST /work-items/claim',
    'POST /work-items/report',
    'POST /work-items/:id/heartbeat',
    'POST /work-items/:id/steps',
    'POST /work-items/:id/suspend',
    'POST /work-items/:id/continue',
    'GET /work-items/:id/journal',
    'POST /work-items/:id/complete',
    'POST /work-items/:id/fail',
    'POST /work-items/:id/release',
    'POST /artifacts',
    'GET /artifacts/:hash',
  ]);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`200: a worker claims, renews, hands in, completes and fails (${dialect})`, async (t) => {
    const { api, token } = await start(t, dialect);
    await startWorkflow(api, { ir: tooling('worked') });
    await startWorkflow(api, { ir: tooling('worked') });
    const [done, failed] = [await claim(api, token), await claim(api, token)];
    const post = (path: string, body: object) => api.call({ path, body, token });
    const { id, lease_fence, idempotency_key } = done;
    const renewed = await post(`/work-items/${id}/heartbeat`, { worker_id: 'w1', lease_fence });
    t.is(renewed.status, 200);
    const output = { report: { $artifact: await keep(api, 'a result', token) } };
    const settled = await post(`/work-items/${id}/complete`, {
      output,
      state_patch: {},
      lease_fence,
      idempotency_key,
    });
    t.like(settled, { status: 200, body: { completed: true } });
    const given = { error: 'no', lease_fence: failed.lease_fence };
    t.is((await post(`/work-items/${failed.id}/fail`, given)).status, 200);
  });

  test(`404: a worker reads the artifacts of items that are out, and no others (${dialect})`, async (t) => {
    const { api, token } = await start(t, dialect);
    const [mine, other] = [await keep(api, 'mine'), await keep(api, 'somebody’s')];
    const input = { file: { $artifact: mine } };
    await startWorkflow(api, { ir: tooling('reading'), input });
    const path = `/artifacts/${mine}`;
    t.is(await statusOf(api, path, token), 404);
    const item = await claim(api, token);
    t.is(await statusOf(api, path, token), 200);
    t.is(await statusOf(api, path.replace('sha256:', ''), token), 200);
    t.is(await statusOf(api, `/artifacts/${other}`, token), 404);
    t.is(await statusOf(api, '/artifacts/a', token), 404);
    const elsewhere = await api.mint({ role: 'worker', tenant: 'elsewhere' });
    t.is(await statusOf(api, path, elsewhere), 404);
    await api.call({
      path: `/work-items/${item.id}/complete`,
      body: { output: {}, state_patch: {}, lease_fence: item.lease_fence },
      token,
    });
    t.is(await statusOf(api, path, token), 404);
    t.is(await statusOf(api, path, api.operatorToken), 200);
  });
}

test('403: neither MCP nor A2A is a way around it', async (t) => {
  const { api, token } = await start(t, 'sqlite');
  const ir = { ...tooling('exposed'), expose: { a2a: true } };
  await api.call({ path: '/workflows', body: { ir } });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const accept = 'application/json, text/event-stream';
  t.is((await api.call({ path: '/mcp', body: list, token, headers: { accept } })).status, 403);
  const get = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } };
  t.is((await api.call({ path: '/a2a/exposed', body: get, token })).status, 403);
  const docs = await fetch(`${api.url}/docs`, { headers: { authorization: `Bearer ${token}` } });
  t.is(docs.status, 403);
});

test('201: an operator makes a token for a worker', async (t) => {
  const { api } = await start(t, 'sqlite');
  const made = await api.call({ path: '/tokens', body: { name: 'w', role: 'worker' } });
  t.is(made.status, 201);
  t.is((await api.call({ path: '/executions', token: textOf(made, 'token') })).status, 403);
});
