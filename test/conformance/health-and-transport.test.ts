import { readFileSync } from 'node:fs';

import { onBothStores } from '../support/both-stores.ts';
import type { ErrorBody } from '../support/http.ts';
import { sendRaw } from '../support/servers/raw-http.ts';

/* Interface document: "Transport", "Health and federation", "Errors". */

const check = onBothStores();
const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string };

check('200: the root says what this is, without a token', async (t, _tenant, place) => {
  const reply = await place.runtime.request({ path: '/', token: null });
  t.is(reply.status, 200);
  t.deepEqual(reply.body, {
    name: 'svc',
    version,
    docs: '/docs',
    openapi: '/openapi.json',
    health: '/health',
  });
});

check('200: health needs no token and tells version and database', async (t, _tenant, place) => {
  const reply = await place.runtime.request({ path: '/health', token: null });
  t.is(reply.status, 200);
  t.deepEqual(reply.body, { status: 'ok', version, db: 'connected' });
});

check('200: ready takes any valid token', async (t, _tenant, { runtime }) => {
  const reply = await runtime.request({ path: '/ready' });
  t.is(reply.status, 200);
  t.deepEqual(reply.body, { status: 'ok', version, db: 'connected' });
  t.is((await runtime.request({ path: '/ready', token: null })).status, 401);
});

check('404: an unknown route is named, for every method', async (t, _tenant, { runtime }) => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const reply = await runtime.request({ method, path: '/nothing/here' });
    t.is(reply.status, 404);
    t.deepEqual(reply.body, { error: `not found: route ${method} /nothing/here` });
  }
});

check('404: paths are case-sensitive', async (t, _tenant, { runtime }) => {
  for (const path of ['/Health', '/HEALTH', '/Executions', '/executions/x/Events']) {
    t.is((await runtime.request({ path })).status, 404, path);
  }
});

check('404: a trailing or doubled slash is another path', async (t, _tenant, { runtime }) => {
  for (const path of ['/health/', '/executions/', '/executions/x/events/', '//health', '//']) {
    t.is((await runtime.request({ path })).status, 404, path);
  }
});

check('404: an unknown route says so without a token too', async (t, _tenant, { runtime }) => {
  const reply = await runtime.request({ path: '/nothing', token: null });
  t.is(reply.status, 404);
});

check('405: a known path with another method names those it has', async (t, _tenant, place) => {
  for (const [method, path, allow] of [
    ['DELETE', '/health', ['GET']],
    ['PUT', '/executions', ['GET', 'POST']],
    ['GET', '/work-items/claim', ['POST']],
    ['POST', '/executions/x/events', ['GET']],
  ] as const) {
    const reply = await place.runtime.request<ErrorBody>({ method, path });
    t.is(reply.status, 405, path);
    t.regex(reply.body.error, /^method not allowed: /);
    const allowed = (reply.headers.get('Allow') ?? '').split(', ');
    for (const name of allow) t.true(allowed.includes(name), `${path}: ${allowed.join()}`);
    t.false(allowed.includes(method), path);
  }
});

check('204: OPTIONS names the methods of that very path', async (t, _tenant, { runtime }) => {
  for (const [path, allow] of [
    ['/agents/discover', 'POST, OPTIONS'],
    ['/executions/batch', 'POST, OPTIONS'],
    ['/executions/bulk', 'POST, OPTIONS'],
    ['/executions/import', 'POST, OPTIONS'],
    ['/executions/x', 'HEAD, GET, OPTIONS'],
    ['/tokens', 'POST, HEAD, GET, OPTIONS'],
  ] as const) {
    const reply = await runtime.request({ method: 'OPTIONS', path });
    t.is(reply.status, 204, path);
    t.is(reply.headers.get('Allow'), allow, path);
  }
  const refused = await runtime.request({ method: 'PUT', path: '/agents/discover', body: {} });
  t.is(refused.status, 405);
  t.is(refused.headers.get('Allow'), 'POST, OPTIONS');
});

check('400: a body that is no JSON object', async (t, _tenant, { runtime }) => {
  for (const raw of ['', '{', '[]', '"text"', '1', 'null', '{"a":1} x', '\ufeff{', '{"a":01}']) {
    const reply = await runtime.request<ErrorBody>({ path: '/executions', raw });
    t.is(reply.status, 400, raw);
    t.regex(reply.body.error, /^bad request: /, raw);
  }
});

check('400: a body that is not UTF-8', async (t, _tenant, { runtime }) => {
  const bytes = Buffer.concat([
    Buffer.from('{"workflow_id":"'),
    Buffer.of(0xff),
    Buffer.from('"}'),
  ]);
  const reply = await runtime.request<ErrorBody>({
    path: '/executions',
    raw: new Uint8Array(bytes),
  });
  t.is(reply.status, 400);
  t.regex(reply.body.error, /UTF-8/);
});

check('400: a query that is not percent-encoded UTF-8', async (t, _tenant, { runtime }) => {
  for (const path of ['/executions?workflow_id=%ff', '/executions?workflow_id=%zz']) {
    const reply = await runtime.request<ErrorBody>({ path });
    t.is(reply.status, 400, path);
    t.regex(reply.body.error, /^bad request: /);
  }
});

check('415: a body that is not declared as JSON', async (t, _tenant, { runtime }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const reply = await runtime.request<ErrorBody>({
      path: '/executions',
      raw: '{}',
      headers: { 'Content-Type': type },
    });
    t.is(reply.status, 415, type);
    t.regex(reply.body.error, /^unsupported media type: /);
  }
});

check('415: a compressed body', async (t, _tenant, { runtime }) => {
  const reply = await runtime.request<ErrorBody>({
    path: '/executions',
    raw: '{}',
    headers: { 'Content-Encoding': 'gzip' },
  });
  t.is(reply.status, 415);
});

check('404: a JSON body may be declared with a charset or a suffix', async (t, tenant) => {
  for (const type of ['application/json; charset=utf-8', 'application/vnd.api+json']) {
    const body = { workflow_id: 'unknown', input: {} };
    const reply = await tenant.post('/executions', body, { 'Content-Type': type });
    t.is(reply.status, 404, type);
    t.deepEqual(reply.body, { error: 'not found: workflow unknown' });
  }
});

check('413: a body above 4 MiB, announced or not', async (t, tenant, { runtime }) => {
  const body = { workflow_id: 'w', input: { text: 'x'.repeat(4 * 1024 * 1024) } };
  const announced = await tenant.post('/executions', body);
  t.is(announced.status, 413);
  t.regex(announced.body.error, /^payload too large: /);

  const chunk = 'x'.repeat(64 * 1024);
  const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(70);
  const chunked = await sendRaw(
    runtime.url,
    [
      'POST /executions HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${runtime.apiKey}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      `${chunks}0\r\n\r\n`,
    ].join('\r\n'),
  );
  t.is(chunked.status, 413);
});

check('400: a request that is not HTTP gets JSON too', async (t, _tenant, { runtime }) => {
  for (const bytes of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
  ]) {
    const answer = await sendRaw(runtime.url, bytes);
    t.is(answer.status, 400, bytes);
    t.regex((answer.body as ErrorBody).error, /^bad request: /, bytes);
    t.regex(answer.head, /content-type: application\/json/i, bytes);
  }
});

check('431: headers without end', async (t, _tenant, { runtime }) => {
  const request = `GET /health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`;
  const answer = await sendRaw(runtime.url, request);
  t.is(answer.status, 431);
  t.regex((answer.body as ErrorBody).error, /headers/);
});

check('200: a request id is taken over, or made', async (t, _tenant, { runtime }) => {
  const idOf = async (given?: string) => {
    const headers: Record<string, string> = given === undefined ? {} : { 'X-Request-Id': given };
    const reply = await runtime.request({ path: '/health', headers });
    return reply.headers.get('X-Request-Id');
  };
  t.is(await idOf('abc-123'), 'abc-123');
  t.regex((await idOf()) ?? '', /^[0-9a-f-]{36}$/);
  t.regex((await idOf('x'.repeat(200))) ?? '', /^[0-9a-f-]{36}$/);
  const missing = await runtime.request({ path: '/nothing', headers: { 'X-Request-Id': 'r-1' } });
  t.is(missing.headers.get('X-Request-Id'), 'r-1');
});

check('200: no answer may be cached', async (t, _tenant, { runtime }) => {
  t.is((await runtime.request({ path: '/health' })).headers.get('Cache-Control'), 'no-store');
});
