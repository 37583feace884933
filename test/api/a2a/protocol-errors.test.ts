import anyTest, { type TestFn } from 'ava';

import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, waiting } from '../support/workflows.ts';
import { callAgent, type AgentCall, type RpcAnswer } from './call-agent.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  const api = await startTestApi();
  t.context = { api };
  for (const ir of [waiting('open'), passing('quick'), passing('untouched')]) {
    await api.call({ path: '/workflows', body: { ir: { ...ir, expose: { a2a: true } } } });
  }
});

test.after.always((t) => t.context.api.close());

const ask = (api: TestApi, call: Partial<AgentCall>): Promise<RpcAnswer> =>
  callAgent(api, { workflowId: 'quick', ...call });

const request = (method: string, params: JsonValue): JsonObject => ({
  jsonrpc: '2.0',
  id: 'r1',
  method,
  params,
});
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };

for (const version of ['1.0', '0.3'] as const) {
  test(`-32700: a body that is no JSON has no id that could be named, in ${version}`, async (t) => {
    const { api } = t.context;
    for (const body of ['{', '', 'nonsense', '{"jsonrpc": "2.0",}', Buffer.from([0x22, 0xff])]) {
      const answer = await ask(api, { body, version });
      t.is(answer.status, 200);
      t.like(answer.body, { jsonrpc: '2.0', id: null, error: { code: -32700 } });
    }
  });

  test(`-32600: JSON that is no request says so under its id, in ${version}`, async (t) => {
    const { api } = t.context;
    const cases: readonly (readonly [JsonValue, JsonValue])[] = [
      [[], null],
      [[request('GetTask', { id: 'x' })], null],
      [JSON.stringify('text'), null],
      [5, null],
      [{}, null],
      [{ jsonrpc: '1.0', id: 7, method: 'GetTask' }, 7],
      [{ id: 'a', method: 'GetTask' }, 'a'],
      [{ jsonrpc: '2.0', id: 'a' }, 'a'],
      [{ jsonrpc: '2.0', id: 'a', method: 5 }, 'a'],
      [{ jsonrpc: '2.0', id: 'a', method: '' }, 'a'],
      [{ jsonrpc: '2.0', id: { a: 1 }, method: 'GetTask' }, null],
      [{ jsonrpc: '2.0', id: [1], method: 'GetTask' }, null],
      [{ ...request('GetTask', { id: 'x\0' }), id: 9 }, 9],
    ];
    for (const [body, id] of cases) {
      const answer = await ask(api, { body, version });
      t.is(answer.status, 200, JSON.stringify(body));
      t.like(answer.body, { jsonrpc: '2.0', id, error: { code: -32600 } }, JSON.stringify(body));
    }
  });

  test(`-32005: a body of another type is refused in the protocol's words, in ${version}`, async (t) => {
    const { api } = t.context;
    const body = request('GetTask', { id: 'x' });
    for (const contentType of [
      'text/plain',
      'application/xml',
      'application/json; charset=latin1',
    ]) {
      const answer = await ask(api, { body, version, contentType });
      t.is(answer.status, 200);
      t.like(answer.body, { jsonrpc: '2.0', id: null, error: { code: -32005 } }, contentType);
    }
  });

  test(`413: a body that is too large is refused in the protocol's shape, in ${version}`, async (t) => {
    const { api } = t.context;
    const body = request('GetTask', { id: 'x'.repeat(70_000) });
    const answer = await ask(api, { body, version });
    t.is(answer.status, 413);
    t.like(answer.body, { jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });
}

test('-32602: parameters that cannot be meant name what is wrong, and start nothing', async (t) => {
  const { api } = t.context;
  const send = (change: JsonObject, configuration: JsonObject = {}) => ({
    message: { ...message, ...change },
    configuration,
  });
  const cases: readonly (readonly [string, JsonValue, RegExp])[] = [
    ['SendMessage', {}, /message is required/],
    ['SendMessage', { message: 'x' }, /message/],
    ['SendMessage', send({ parts: [] }), /parts/],
    ['SendMessage', send({ parts: {} }), /parts/],
    ['SendMessage', send({ parts: [null] }), /parameters/],
    ['SendMessage', send({ parts: [{}] }), /parts\[0\]/],
    ['SendMessage', send({ parts: [{ text: 'a' }, { metadata: {} }] }), /parts\[1\]/],
    ['SendMessage', send({ role: 'ROLE_UNSPECIFIED' }), /role/],
    ['SendMessage', send({ role: 'nobody' }), /role/],
    ['SendMessage', send({ messageId: '' }), /messageId/],
    ['SendMessage', send({}, { historyLength: -1 }), /historyLength/],
    ['SendMessage', send({}, { historyLength: 1.5 }), /historyLength/],
    ['SendStreamingMessage', send({ parts: [] }), /parts/],
    ['SendStreamingMessage', send({}, { historyLength: -1 }), /historyLength/],
    ['GetTask', { id: 'x', historyLength: -1 }, /historyLength/],
    ['GetTask', { id: 'x', historyLength: 'many' }, /historyLength/],
    ['GetTask', [], /param/],
    ['GetTask', null, /param/],
    ['CancelTask', 'x', /param/],
    ['ListTasks', { historyLength: -1 }, /historyLength/],
    ['ListTasks', { pageSize: 0 }, /pageSize/],
    ['ListTasks', { pageSize: 101 }, /pageSize/],
    ['ListTasks', { status: 'TASK_STATE_RUNNING' }, /status/],
    ['ListTasks', { pageToken: 'nonsense' }, /pageToken/],
    ['ListTasks', { statusTimestampAfter: 'yesterday' }, /statusTimestampAfter/],
  ];
  for (const [method, params, words] of cases) {
    const body = request(method, params);
    const answer = await ask(api, { workflowId: 'untouched', body });
    const told = `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer.body)}`;
    t.is(answer.status, 200, told);
    t.like(answer.body, { id: 'r1', error: { code: -32602 } }, told);
    t.regex(answer.error?.message ?? '', words, told);
  }
  const after = await api.call({ path: '/executions?workflow_id=untouched' });
  t.deepEqual(after.body['executions'], []);
});

test('-32602: the same holds for a client of 0.3', async (t) => {
  const { api } = t.context;
  const older = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
  for (const [method, params] of [
    ['message/send', { message: { ...older, parts: [] } }],
    ['message/send', { message: { ...older, parts: [null] } }],
    ['message/send', { message: { ...older, parts: [{ kind: 'nothing' }] } }],
    ['message/send', { message: { ...older, role: 'nobody' } }],
    ['message/send', { message: older, configuration: { historyLength: -1 } }],
    ['message/send', { message: 5 }],
    ['message/send', {}],
    ['message/stream', { message: { ...older, parts: [] } }],
    ['tasks/get', { id: 'x', historyLength: -1 }],
  ] as const) {
    const answer = await ask(api, { body: request(method, params), version: '0.3' });
    const told = `${method} ${JSON.stringify(params)}: ${JSON.stringify(answer.body)}`;
    t.like(answer.body, { id: 'r1', error: { code: -32602 } }, told);
  }
});

test('-32005: a file of a type that the agent does not name is refused', async (t) => {
  const { api } = t.context;
  const parts = [{ raw: 'dGNr', mediaType: 'application/x-unknown' }];
  const body = request('SendMessage', { message: { ...message, messageId: 'file', parts } });
  const answer = await ask(api, { body });
  t.like(answer.body, { error: { code: -32005 } });
  t.regex(answer.error?.message ?? '', /application\/x-unknown.*text\/plain/);
});

test('-32004: a task that has ended takes no message, and says what to do instead', async (t) => {
  const { api } = t.context;
  const started = await ask(api, {
    workflowId: 'open',
    body: request('SendMessage', {
      message: { ...message, messageId: 'ended' },
      configuration: { returnImmediately: true },
    }),
  });
  const { id } = (started.result as { readonly task: { readonly id: string } }).task;
  await api.call({ path: `/executions/${id}/cancel`, body: {} });
  const late = { ...message, messageId: 'late', taskId: id };
  for (const method of ['SendMessage', 'SendStreamingMessage']) {
    const body = request(method, { message: late });
    const answer = await ask(api, { workflowId: 'open', body });
    t.like(answer.body, { error: { code: -32004 } }, JSON.stringify(answer.body));
    t.regex(answer.error?.message ?? '', /cancelled.*without a taskId/);
  }
  const older = {
    messageId: 'late',
    role: 'user',
    parts: [{ kind: 'text', text: 'x' }],
    taskId: id,
  };
  const answer = await ask(api, {
    workflowId: 'open',
    body: request('message/send', { message: older }),
    version: '0.3',
  });
  t.like(answer.body, { error: { code: -32004 } });
});

test('a message sent again gives its task; another message under its id is a different one', async (t) => {
  const { api } = t.context;
  const sent = { ...message, messageId: 'again' };
  const send = async (change: JsonObject) =>
    ask(api, {
      body: request('SendMessage', {
        message: { ...sent, ...change },
        configuration: { returnImmediately: true },
      }),
    });
  const idOf = ({ result }: RpcAnswer) =>
    (result as { readonly task: { readonly id: string } }).task.id;
  const first = idOf(await send({}));
  t.is(idOf(await send({})), first);
  const other = await send({ parts: [{ text: 'y' }] });
  t.like(other.body, { error: { code: -32602 } });
  const { message: words = '' } = other.error ?? {};
  t.regex(words, /messageId again/);
  t.regex(words, new RegExp(first));
  t.notRegex(words, /Idempotency/);
});

test('the address with a slash at its end is the same agent', async (t) => {
  const { api } = t.context;
  const answer = await ask(api, { slash: true, body: request('GetTask', { id: 'unknown' }) });
  t.is(answer.status, 200);
  t.like(answer.body, { error: { code: -32001 } });
  const { status, headers } = await api.call({ method: 'GET', path: '/a2a/quick/' });
  t.is(status, 405);
  t.is(headers.get('allow'), 'POST, OPTIONS');
  const unknown = await api.call({ path: '/a2a/nothing/', body: request('GetTask', {}) });
  t.is(unknown.status, 404);
});
