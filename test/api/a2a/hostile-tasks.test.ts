import anyTest, { type TestFn } from 'ava';

import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  const api = await startTestApi();
  t.context = { api };
  const ir = { ...waiting('open'), expose: { a2a: true } };
  const answer = await api.call({ path: '/workflows', body: { ir } });
  if (answer.status !== 201) throw new Error(answer.error);
});

test.after.always((t) => t.context.api.close());

/** Inputs that start the workflow without a message of the protocol. */
const MESSAGES: readonly (readonly [string, JsonValue])[] = [
  ['null among its parts', { messageId: 'm', parts: [null] }],
  ['numbers for parts', { messageId: 'm', parts: [1, 'x', []] }],
  ['parts of no kind', { messageId: 'm', parts: [{ bogus: 1 }, { text: 5 }, { raw: {} }] }],
  ['a file of no text', { messageId: 'm', parts: [{ raw: 5 }, { url: null }, { file: 1 }] }],
  ['a role of its own', { messageId: 'm', role: { a: 1 }, parts: [] }],
  ['other lists', { messageId: 'm', parts: [], extensions: [null], referenceTaskIds: [{}] }],
  ['a list for metadata', { messageId: 'm', parts: [{ text: 'x', metadata: [1] }], metadata: 5 }],
  ['ids of other kinds', { messageId: 'm', contextId: 5, taskId: {}, parts: [] }],
];

for (const [what, message] of MESSAGES) {
  test(`200: a task whose input holds a message with ${what} is read and cancelled`, async (t) => {
    const { api } = t.context;
    const body = { workflow_id: 'open', input: { message } };
    const started = await api.call({ path: '/executions', body });
    const id = started.body['execution_id'] as string;
    for (const [method, version] of [
      ['GetTask', '1.0'],
      ['tasks/get', '0.3'],
      ['tasks/cancel', '0.3'],
    ] as const) {
      const answer = await fetch(`${api.url}/a2a/open`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${api.operatorToken}`,
          'a2a-version': version,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id } }),
      });
      const text = await answer.text();
      t.is(answer.status, 200, `${method}: ${text}`);
      t.like(JSON.parse(text), { result: { id } }, `${method}: ${text}`);
    }
  });
}
