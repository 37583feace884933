import { TaskState } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { about, asTask, connectA2a, say } from '../../support/servers/a2a-client.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  const api = await startTestApi({ settings: { streamHeartbeatMs: 20 } });
  t.context = { api };
  for (const ir of [waiting('open'), passing('quick')]) await register(api, expose(ir));
  await register(api, passing('hidden'));
});

test.after.always((t) => t.context.api.close());

function expose(ir: JsonObject): JsonObject {
  return { ...ir, expose: { a2a: true } };
}

async function register(api: TestApi, ir: JsonObject, token?: string): Promise<void> {
  const body = { ir };
  const answer = await api.call({
    path: '/workflows',
    body,
    ...(token !== undefined && { token }),
  });
  if (answer.status !== 201) throw new Error(answer.error);
}

const rpc = (method: string, params: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
});
const NEW = { 'a2a-version': '1.0' };
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };

test('200: the card is one that the SDK reads, and says where the agent is', async (t) => {
  const { api } = t.context;
  const url = `${api.url}/a2a/open`;
  const path = '/a2a/open/.well-known/agent-card.json';
  const read = await api.call({ path, headers: NEW });
  t.regex(read.headers.get('vary') ?? '', /^A2A-Version/);
  const card = new DefaultAgentCardResolver().normalizeAgentCard(read.body);
  const older = await api.call({ path });
  t.like(older.body, { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' });
  t.deepEqual(older.body['securitySchemes'], { bearer: { type: 'http', scheme: 'Bearer' } });
  t.deepEqual(
    card.supportedInterfaces.map(({ url: at, protocolVersion }) => [at, protocolVersion]),
    [
      [url, '1.0'],
      [url, '0.3'],
    ],
  );
  t.is(card.skills[0]?.id, 'open');
  t.true(card.capabilities?.streaming);
  const scheme = card.securitySchemes['bearer']?.scheme;
  t.is(scheme?.$case === 'httpAuthSecurityScheme' ? scheme.value.scheme : null, 'Bearer');
});

test('200: the runtime itself names the workflows that are exposed, of its own tenant', async (t) => {
  const api = await startTestApi();
  const token = await api.mint({ role: 'developer', tenant: 'discreet' });
  await register(api, expose(passing('secret')), token);
  for (const id of ['b', 'a']) await register(api, expose(passing(id)));
  await register(api, passing('hidden'));
  for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
    const { body } = await api.call({ path, token: null });
    const capabilities = body['capabilities'] as JsonObject;
    const skills = (body['skills'] ?? capabilities['skills']) as readonly JsonObject[];
    t.deepEqual(
      skills.map(({ id, name, url }) => [id ?? name, url]),
      [
        ['execute-workflow', undefined],
        ['a', `${api.url}/a2a/a`],
        ['b', `${api.url}/a2a/b`],
      ],
    );
  }
  await api.close();
});

test('404: a workflow that is not exposed, withdrawn, unknown, or of another tenant', async (t) => {
  const { api } = t.context;
  await register(api, { ...expose(passing('withdrawn')), version: '1' });
  await register(api, { ...passing('withdrawn'), version: '2' });
  const token = await api.mint({ role: 'operator', tenant: 'elsewhere' });
  const names = ['hidden', 'withdrawn', 'nothing', 'a%2Fb'].map(
    (name) => [name, undefined] as const,
  );
  for (const [name, as] of [...names, ['open', token] as const]) {
    const call = { path: `/a2a/${name}`, headers: NEW, ...(as !== undefined && { token: as }) };
    const sent = await api.call({ ...call, body: rpc('SendMessage', { message }) });
    t.is(sent.status, 404, name);
    t.regex(sent.error, /^not found: workflow /);
    const card = await api.call({ ...call, path: `${call.path}/.well-known/agent-card.json` });
    t.is(card.status, 404);
  }
});

test('401 and 403: nothing is disclosed without a token, and nothing starts without the role', async (t) => {
  const { api } = t.context;
  const viewer = await api.mint({ role: 'viewer' });
  const start = { path: '/a2a/quick', headers: NEW, body: rpc('SendMessage', { message }) };
  t.is((await api.call({ ...start, token: null })).status, 401);
  const card = '/a2a/quick/.well-known/agent-card.json';
  t.is((await api.call({ path: card, token: null })).status, 401);
  t.is((await api.call({ path: card, token: viewer })).status, 200);
  for (const method of ['SendMessage', 'SendStreamingMessage', 'CancelTask', 'message/send']) {
    const answer = await api.call({ ...start, body: rpc(method, { message }), token: viewer });
    t.is(answer.status, 403, method);
  }
  const client = await connectA2a(api, { workflowId: 'quick', token: api.operatorToken });
  const { id } = asTask(await client.sendMessage(say({ messageId: 'for the viewer' })));
  const asViewer = await connectA2a(api, { workflowId: 'quick', token: viewer });
  t.is((await asViewer.getTask(about(id))).id, id);
});

test('200: a task that an operator has paused is at work: the client is asked for nothing', async (t) => {
  const { api } = t.context;
  const client = await connectA2a(api, { workflowId: 'open', token: api.operatorToken });
  const { id } = asTask(await client.sendMessage(say({ messageId: 'paused' })));
  await api.advance(id);
  t.is((await client.getTask(about(id))).status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  await api.call({ path: `/executions/${id}/pause`, body: { reason: 'an outage' } });
  const { status } = await client.getTask(about(id));
  t.is(status?.state, TaskState.TASK_STATE_WORKING);
  t.is(status?.message, undefined);
  await api.call({ path: `/executions/${id}/resume`, body: {} });
  await api.advance(id);
  t.is((await client.getTask(about(id))).status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
});

test('200: a request that the protocol refuses is a JSON-RPC error', async (t) => {
  const { api } = t.context;
  const code = async (body: JsonObject, headers: Readonly<Record<string, string>> = NEW) => {
    const answer = await fetch(`${api.url}/a2a/quick`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${api.operatorToken}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
    t.is(answer.status, 200);
    const { error } = (await answer.json()) as { readonly error?: { readonly code: number } };
    return error?.code ?? 0;
  };
  t.is(await code(rpc('Nonsense')), -32601);
  t.is(await code({ jsonrpc: '1.0', id: 1, method: 'GetTask' }), -32600);
  t.is(await code(rpc('GetTask', { id: 'unknown' })), -32001);
  t.is(await code(rpc('tasks/get', { id: 'unknown' }), {}), -32001);
  t.is(await code(rpc('GetTask', { id: 'x' }), { 'a2a-version': '9.9' }), -32009);
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
    for (const id of [undefined, null, 5, {}]) {
      const params = id === undefined ? {} : { id };
      t.is(await code(rpc(method, params), {}), -32602, `${method} ${JSON.stringify(id)}`);
    }
  }
  t.is(
    await code(rpc('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'http://x' })),
    -32003,
  );
  for (const wrong of [
    {},
    { message: { ...message, messageId: '' } },
    { message: { ...message, messageId: 'x'.repeat(600) } },
    { message: { ...message, messageId: 'n', parts: [{ data: { big: 2 ** 60 } }] } },
    { message: { ...message, messageId: 'p', parts: [{ data: { constructor: 1 } }] } },
  ]) {
    t.true([-32600, -32602].includes(await code(rpc('SendMessage', wrong))));
  }
});

test('405: an agent is reached by POST alone', async (t) => {
  const { api } = t.context;
  t.is((await api.call({ method: 'GET', path: '/a2a/quick' })).status, 405);
});

test('a quiet stream reports that it is alive, and ends with the token', async (t) => {
  const { api } = t.context;
  await register(api, {
    workflow_id: 'working',
    expose: { a2a: true },
    nodes: { work: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
  });
  const minted = await api.call({ path: '/tokens', body: { name: 'short', role: 'developer' } });
  const response = await fetch(`${api.url}/a2a/working`, {
    method: 'POST',
    headers: {
      ...NEW,
      'content-type': 'application/json',
      authorization: `Bearer ${textOf(minted, 'token')}`,
    },
    body: JSON.stringify(rpc('SendStreamingMessage', { message })),
  });
  t.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const texts: string[] = [];
  const decoder = new TextDecoderStream();
  for await (const text of response.body?.pipeThrough(decoder) ?? []) {
    texts.push(text);
    if (texts.some((one) => one.includes(': waiting'))) {
      await api.call({ method: 'DELETE', path: `/tokens/${textOf(minted, 'token_id')}` });
    }
  }
  t.regex(texts[0] ?? '', /^data: .*"TASK_STATE_WORKING"/);
  t.true(texts.some((text) => text.includes(': waiting')));
});

test('400: expose says true or false, and nothing else', async (t) => {
  const { api } = t.context;
  for (const [wrong, pointer] of [
    [true, '/expose'],
    [{ a2a: 'true' }, '/expose/a2a'],
  ] as const) {
    const ir = { ...passing('wrong'), expose: wrong };
    const answer = await api.call({ path: '/workflows', body: { ir } });
    t.is(answer.status, 400);
    t.true(answer.error.includes(pointer), answer.error);
  }
});
