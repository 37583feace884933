import anyTest, { type TestFn } from 'ava';

import { routes } from '../../src/api/routes.ts';
import { ALL_METHODS, bodyOf } from './support/every-error.ts';
import { rawCall } from './support/raw-call.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';
import { claim, startWorkflow, tooling } from './support/workflows.ts';

/* Every error, in every part, is answered with JSON that has `error`. */

const test = anyTest as TestFn<{ api: TestApi; viewer: string }>;

test.before(async (t) => {
  const api = await startTestApi({ settings: { bodyBytesMax: 4_096 } });
  t.context = { api, viewer: await api.mint({ role: 'viewer' }) };
});

test.after.always((t) => t.context.api.close());

const OTHERS = [
  { method: 'POST', path: '/mcp' },
  { method: 'POST', path: '/a2a/none' },
  { method: 'GET', path: '/docs' },
] as const;

for (const { method, path } of [...routes, ...OTHERS]) {
  test(`${method} ${path}: every error says what is wrong`, async (t) => {
    const { api, viewer } = t.context;
    const url = `${api.url}${path.replaceAll(/:\w+/g, 'none')}`;
    const json = { 'content-type': 'application/json' };
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const operator = as(api.operatorToken);
    const bodied = (body: string, headers: object = json) =>
      method === 'GET' || method === 'DELETE'
        ? { method, headers: { ...operator } }
        : { method, headers: { ...operator, ...headers }, body };
    const other = ALL_METHODS.find(
      (candidate) => !routes.some((route) => route.path === path && route.method === candidate),
    );
    const attempts: readonly (readonly [string, RequestInit])[] = [
      ['', { method }],
      ['', { method, headers: as('svc_nobody') }],
      ['', { method, headers: as(viewer) }],
      ['', bodied('{')],
      ['', bodied('[]')],
      ['', bodied('{"x":1}')],
      ['', bodied('{}', { 'content-type': 'text/plain' })],
      ['', bodied(JSON.stringify({ x: 'x'.repeat(8_192) }))],
      ['', { method, headers: { ...operator, 'x-tenant-id': 'No Tenant' } }],
      ['?limit=x&cursor=x&after=x&nothing=%', bodied('{}')],
      ...(other === undefined ? [] : [['', { method: other, headers: operator }] as const]),
    ];
    for (const [query, init] of attempts) {
      const answer = await fetch(`${url}${query}`, init);
      const text = await answer.text();
      if (answer.status < 400) continue;
      const what = `${init.method} ${path}${query} answered ${answer.status} ${text}`;
      const { error } = bodyOf(text, what);
      // Once a request has reached them, both protocols use their own form of errors.
      const isProtocol = path === '/mcp' || path.startsWith('/a2a/');
      t.true(typeof error === 'string' || (isProtocol && typeof error === 'object'), what);
    }
  });
}

test('409: a lost lease is an error like any other, beside what the protocol says', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: tooling('lost') });
  const { id, lease_fence: fence } = await claim(api);
  const given = { worker_id: 'w1', output: {}, state_patch: {}, error: 'x' };
  for (const [verb, member] of [
    ['heartbeat', 'renewed'],
    ['complete', 'completed'],
    ['fail', 'failed'],
  ] as const) {
    const path = `/work-items/${id}/${verb}`;
    const { status, body } = await api.call({ path, body: { ...given, lease_fence: fence + 1 } });
    t.is(status, 409);
    t.is(body[member], false);
    const reason = body['reason'];
    t.is(body['error'], `conflict: ${typeof reason === 'string' ? reason : 'no text'}`);
  }
});

test('requests that Node refuses before the API sees them get an explanation, too', async (t) => {
  const { api } = t.context;
  for (const text of [
    'GET / HTTP/9.9\r\n\r\n',
    'nonsense\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(32_768)}\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    'GET /executions?x=%E0%A4%A HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n',
    'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n',
  ]) {
    const { status, body } = await rawCall(api.port, [text]);
    t.true(status >= 400, text.slice(0, 40));
    t.is(typeof body['error'], 'string', text.slice(0, 40));
  }
});
