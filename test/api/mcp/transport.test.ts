import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import anyTest, { type TestFn } from 'ava';

import { startTestApi, type TestApi } from '../support/test-api.ts';
import { connectMcp } from './connect.ts';

const test = anyTest as TestFn<{ api: TestApi; open: TestApi }>;

test.before(async (t) => {
  t.context = { api: await startTestApi(), open: await startTestApi({ auth: { enabled: false } }) };
});

test.after.always(async (t) => {
  await t.context.api.close();
  await t.context.open.close();
});

const headers = { accept: 'application/json, text/event-stream' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function post(
  api: TestApi,
  options: {
    readonly token?: string | null;
    readonly body?: unknown;
    readonly headers?: object;
  } = {},
): Promise<Response> {
  const { token = api.operatorToken, body = list } = options;
  return fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function refusal(answer: Response): Promise<unknown> {
  return { status: answer.status, ...((await answer.json()) as object) };
}

test('200: a message is answered without a handshake, by any process', async (t) => {
  const answer = await post(t.context.api);
  t.is(answer.status, 200);
  t.is(answer.headers.get('mcp-session-id'), null);
  t.is(answer.headers.get('cache-control'), 'no-store');
  t.truthy(answer.headers.get('x-request-id'));
  t.regex(await answer.text(), /start_execution/);
});

test('202: a notification has no answer', async (t) => {
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const answer = await post(t.context.api, { body });
  t.is(answer.status, 202);
  t.is(await answer.text(), '');
});

test('400: a body that is neither a message nor a list of them', async (t) => {
  const { api } = t.context;
  for (const body of ['5', '"text"', 'null', '{', '']) {
    t.like(await refusal(await post(api, { body })), { status: 400 });
  }
});

test('400: a JSON object that is no message of the protocol, without a word about the inside', async (t) => {
  const answer = await post(t.context.api, { body: { hello: 'world' } });
  const text = await answer.text();
  t.is(answer.status, 400, text);
  t.notRegex(text, /node_modules|at .*\.m?[jt]s/);
});

test('200: a request without members that its method needs gets an explanation, and no internals', async (t) => {
  for (const [method, params] of [
    ['initialize', undefined],
    ['initialize', { protocolVersion: 1 }],
    ['tools/list', { cursor: 7 }],
    ['ping', []],
  ] as const) {
    const answer = await post(t.context.api, { body: { jsonrpc: '2.0', id: 'x', method, params } });
    t.deepEqual(await refusal(answer), {
      status: 200,
      jsonrpc: '2.0',
      id: 'x',
      error: { code: -32602, message: `Invalid ${method} request` },
    });
  }
});

test('401: without a token, with one that is unknown, and to the official client', async (t) => {
  const { api } = t.context;
  for (const token of [null, `svc_${'x'.repeat(43)}`]) {
    const answer = await post(api, { token });
    t.is(answer.headers.get('www-authenticate'), 'Bearer');
    t.deepEqual(await refusal(answer), { status: 401, error: 'invalid or expired token' });
    await t.throwsAsync(connectMcp(api, { token }));
  }
});

test('403: a page from elsewhere', async (t) => {
  const { api } = t.context;
  for (const origin of [
    'http://evil.example',
    'null',
    'http://127.0.0.1.evil.example:7700',
    'http://localhost:6274',
  ]) {
    const answer = await post(api, { headers: { origin } });
    t.like(await refusal(answer), { status: 403 }, origin);
  }
  for (const origin of [api.url]) {
    const answer = await post(api, { headers: { origin } });
    t.is(answer.status, 200, origin);
    await answer.text();
  }
});

test('403: a foreign name for this machine, where no token is asked for', async (t) => {
  const { api, open } = t.context;
  const refused = await postAs(open, `evil.example:${open.port}`);
  t.is(refused.statusCode, 403);
  t.deepEqual(await json(refused), {
    error: `forbidden: the host evil.example:${open.port} is not this service; set SVC_PUBLIC_URL if it is`,
  });
  for (const [server, host] of [
    [open, `localhost:${open.port}`],
    [api, 'svc.example'],
  ] as const) {
    const answer = await postAs(server, host);
    t.is(answer.statusCode, 200, host);
    answer.resume();
  }
});

/** `fetch` cannot do this: it always sends the host that it connects to. */
async function postAs(api: TestApi, host: string): Promise<IncomingMessage> {
  const authorization = `Bearer ${api.operatorToken}`;
  const sent = request(`${api.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization, host },
  });
  sent.end(JSON.stringify(list));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

test('405: the methods of sessions', async (t) => {
  const { api } = t.context;
  for (const method of ['GET', 'DELETE']) {
    const answer = await api.call({ method, path: '/mcp' });
    t.is(answer.status, 405);
    t.is(answer.headers.get('allow'), 'POST, OPTIONS');
  }
});

test('413: a message that is larger than a body may be', async (t) => {
  const answer = await post(t.context.api, {
    body: { ...list, params: { x: 'x'.repeat(70_000) } },
  });
  t.like(await refusal(answer), { status: 413 });
});

test('415: a message that is not called JSON', async (t) => {
  const answer = await post(t.context.api, { headers: { 'content-type': 'text/plain' } });
  t.like(await refusal(answer), { status: 415 });
});

test('404: where the configuration leaves it out', async (t) => {
  const api = await startTestApi({ settings: { mcp: false } });
  t.like(await refusal(await post(api)), { status: 404, error: 'not found: route POST /mcp' });
  await api.close();
});

test('503 and 500: a tool says no more than a caller should know', async (t) => {
  const api = await startTestApi();
  const mcp = await connectMcp(api, { token: api.operatorToken });
  await mcp.use('list_executions');
  await api.database.store.close();
  const told = await mcp.fail('list_executions');
  t.regex(told, /^(unavailable: |internal error: request [-0-9a-f]+$)/);
  t.true(api.troubles.some(({ message }) => message === 'tool call failed'));
  await mcp.client.close();
  await api.close();
});

test('404: 2026-07-28 has no method for subscriptions here, and no handshake', async (t) => {
  const { api } = t.context;
  const options = { token: api.operatorToken, revision: '2026-07-28' } as const;
  const { client } = await connectMcp(api, options);
  await t.throwsAsync(client.listen({ toolsListChanged: true }), { message: /Method not found/ });
  await client.close();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const clientInfo = { name: 'test', version: '1' };
  const handshake = { protocolVersion: '2026-07-28', capabilities: {}, clientInfo };
  for (const [method, params] of [
    ['subscriptions/listen', { _meta, notifications: { toolsListChanged: true } }],
    ['subscriptions/listen', { _meta, notifications: {} }],
    ['subscriptions/listen', { _meta }],
    ['initialize', { _meta }],
    ['initialize', { _meta, ...handshake }],
    ['ping', { _meta }],
  ] as const) {
    const answer = await post(api, {
      body: { jsonrpc: '2.0', id: 'x', method, params },
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    });
    t.like(
      await refusal(answer),
      { status: 404, jsonrpc: '2.0', id: 'x', error: { code: -32601 } },
      `${method} ${JSON.stringify(params)}`,
    );
  }
});

const BATCHES = [{}, { 'mcp-protocol-version': '2025-03-26' }] as const;
for (const given of BATCHES) {
  test(`200: a batch of 2025-03-26 is answered by a list: ${JSON.stringify(given)}`, async (t) => {
    const { api } = t.context;
    const call = { name: 'list_workflows', arguments: {} };
    const body = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: call },
      { jsonrpc: '2.0', id: 3, method: 'nonsense' },
      { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} },
      5,
    ];
    const answer = await post(api, { body, headers: given });
    t.is(answer.status, 200);
    t.is(answer.headers.get('content-type'), 'application/json');
    const answers = (await answer.json()) as readonly { readonly id: unknown }[];
    t.deepEqual(
      answers.map(({ id }) => id),
      [1, 'two', 3, 4, null],
    );
    const [pong, called, unknown, handshake, number] = answers;
    t.like(pong, { result: {} });
    t.like(called, { result: { structuredContent: { workflows: [] } } });
    t.like(unknown, { error: { code: -32601 } });
    t.like(handshake, { error: { code: -32600 } });
    t.like(number, { error: { code: -32600 } });
  });
}

test('202: a batch of notifications has no answer', async (t) => {
  const body = [1, 2].map(() => ({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  const answer = await post(t.context.api, { body });
  t.is(answer.status, 202);
  t.is(await answer.text(), '');
});

test('400: a batch that is empty, too long, or of a revision that has none', async (t) => {
  const { api } = t.context;
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const [body, given, words] of [
    [[], {}, /1 to 50/],
    [Array.from({ length: 51 }, () => ping), {}, /1 to 50/],
    [[ping], { 'mcp-protocol-version': '2025-06-18' }, /2025-06-18/],
    [[ping], { 'mcp-protocol-version': '2026-07-28' }, /2026-07-28/],
  ] as const) {
    const answer = await post(api, { body, headers: given });
    t.is(answer.status, 400);
    const told = (await answer.json()) as { readonly error: { readonly message: string } };
    t.like(told, { jsonrpc: '2.0', id: null, error: { code: -32600 } });
    t.regex(told.error.message, words);
  }
});

test('requests are counted under one route', async (t) => {
  const { api } = t.context;
  const reported = api.nextReport('/mcp');
  await (await post(api)).text();
  t.like(await reported, { route: '/mcp', method: 'POST', status: 200 });
});
