import anyTest, { type TestFn } from 'ava';

import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { callAgent } from './call-agent.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context = { api: await startTestApi() };
});

test.after.always((t) => t.context.api.close());

/** An agent that has this under `reply` in its final state, and names that member as its result. */
async function answering(
  api: TestApi,
  id: string,
  reply: JsonValue,
): Promise<readonly JsonValue[]> {
  const ir = {
    workflow_id: id,
    expose: { a2a: true, result: '$.reply' },
    nodes: { a: { kind: { type: 'pass', output: { reply: { literal: reply } } } } },
  };
  const registered = await api.call({ path: '/workflows', body: { ir } });
  if (registered.status !== 201) throw new Error(registered.error);
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
  const configuration = { returnImmediately: true };
  const params = { message, configuration };
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
  const started = await callAgent(api, { workflowId: id, body });
  const { id: taskId } = (started.result as { readonly task: { readonly id: string } }).task;
  await api.advance(taskId);
  const read = await callAgent(api, {
    workflowId: id,
    body: { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: taskId } },
  });
  const { artifacts } = read.result as { readonly artifacts: readonly JsonObject[] };
  return artifacts[0]?.['parts'] as readonly JsonValue[];
}

const CASES: readonly (readonly [string, JsonValue, readonly JsonValue[]])[] = [
  ['text', 'Hello', [{ text: 'Hello', mediaType: 'text/plain' }]],
  ['data', { a: 1 }, [{ data: { a: 1 }, mediaType: 'application/json' }]],
  ['a number', 5, [{ data: 5, mediaType: 'application/json' }]],
  ['a list of data', [1, 2], [{ data: [1, 2], mediaType: 'application/json' }]],
  [
    'a file',
    { raw: 'aGk=', filename: 'hi.txt', mediaType: 'text/plain' },
    [{ raw: 'aGk=', filename: 'hi.txt', mediaType: 'text/plain' }],
  ],
  [
    'a file elsewhere',
    { url: 'https://example.com/a', mediaType: 'image/png' },
    [{ url: 'https://example.com/a', mediaType: 'image/png' }],
  ],
  [
    'several parts',
    ['One', { data: { two: 2 } }, { text: '3', mediaType: 'text/markdown' }],
    [
      { text: 'One', mediaType: 'text/plain' },
      { data: { two: 2 }, mediaType: 'application/json' },
      { text: '3', mediaType: 'text/markdown' },
    ],
  ],
  [
    'what looks like a part and is none',
    { text: 'x', raw: 'y' },
    [{ data: { text: 'x', raw: 'y' }, mediaType: 'application/json' }],
  ],
  [
    'a part with more to it',
    { text: 'x', author: 'me' },
    [{ data: { text: 'x', author: 'me' }, mediaType: 'application/json' }],
  ],
];

for (const [index, [what, reply, parts]] of CASES.entries()) {
  test(`the result is ${what}`, async (t) => {
    t.deepEqual(await answering(t.context.api, `case-${index}`, reply), parts);
  });
}

test('an artifact is a file, at the address where it is downloaded', async (t) => {
  const { api } = t.context;
  const uploaded = await fetch(`${api.url}/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.operatorToken}`, 'content-type': 'text/csv' },
    body: 'a,b',
  });
  const { hash = null, size = null, content_type = null } = (await uploaded.json()) as JsonObject;
  const [part] = await answering(api, 'file', { $artifact: hash, size, content_type });
  const { url } = part as { readonly url: string };
  t.like(part, { mediaType: 'text/csv' });
  const headers = { authorization: `Bearer ${api.operatorToken}` };
  const file = await fetch(url, { headers });
  t.is(await file.text(), 'a,b');
});

test('a missing result is the state as it ended', async (t) => {
  const [part] = await answering(t.context.api, 'nothing', null);
  t.like(part, { data: { text: 'x' } });
});

test('the card says what is taken and given', async (t) => {
  const { api } = t.context;
  const expose = { a2a: true, input_modes: ['image/*'], output_modes: ['text/markdown'] };
  const nodes = { a: { kind: 'pass' } };
  await api.call({ path: '/workflows', body: { ir: { workflow_id: 'modes', expose, nodes } } });
  const headers = { 'A2A-Version': '1.0' };
  const card = await api.call({ path: '/a2a/modes/.well-known/agent-card.json', headers });
  t.like(card.body, { defaultInputModes: ['image/*'], defaultOutputModes: ['text/markdown'] });
  const send = (mediaType: string) => {
    const parts = [{ raw: 'aGk=', mediaType }];
    const message = { messageId: mediaType, role: 'ROLE_USER', parts };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    return callAgent(api, { workflowId: 'modes', body });
  };
  t.is((await send('image/png')).error, undefined);
  t.is((await send('text/plain')).error?.code, -32005);
});

test('400: values that make no sense for a result or for modes are refused', async (t) => {
  const { api } = t.context;
  for (const [wrong, pointer] of [
    [{ result: 5 }, '/expose/result'],
    [{ result: 'reply' }, '/expose/result'],
    [{ result: '$output.reply' }, '/expose/result'],
    [{ input_modes: 'text/plain' }, '/expose/input_modes'],
    [{ input_modes: [] }, '/expose/input_modes'],
    [{ output_modes: ['text'] }, '/expose/output_modes'],
  ] as const) {
    const nodes = { a: { kind: 'pass' } };
    const ir = { workflow_id: 'wrong', expose: { a2a: true, ...wrong }, nodes };
    const answer = await api.call({ path: '/workflows', body: { ir } });
    t.is(answer.status, 400);
    t.true(answer.error.includes(pointer), answer.error);
  }
});
