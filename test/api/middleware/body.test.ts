import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import anyTest, { type TestFn } from 'ava';
import Koa from 'koa';

import type { ApiContext } from '../../../src/api/context.ts';
import { createReadBody } from '../../../src/api/middleware/body.ts';
import { freePort } from '../../support/servers/ports.ts';
import { sendAndLeave } from '../../support/servers/raw-http.ts';
import { rawCall } from '../support/raw-call.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;
const BYTES_MAX = 1024;
const CLAIM = { worker_id: 'w', queue_types: ['java_tool'] };

test.before(async (t) => {
  t.context.api = await startTestApi({ settings: { bodyBytesMax: BYTES_MAX } });
});

test.after.always((t) => t.context.api.close());

function ofBytes(count: number): string {
  const bare = JSON.stringify({ ...CLAIM, pad: '' });
  return JSON.stringify({ ...CLAIM, pad: 'x'.repeat(count - bare.length) });
}

test('a body up to the bound is taken, one byte more is a 413', async (t) => {
  const { api } = t.context;
  const path = '/work-items/claim';
  t.is((await api.call({ path, body: ofBytes(BYTES_MAX) })).status, 200);
  const larger = await api.call({ path, body: ofBytes(BYTES_MAX + 1) });
  t.is(larger.status, 413);
  t.is(
    larger.error,
    'payload too large: the body is larger than 1024 bytes: upload large values as artifacts',
  );
});

test('JSON by any of its names is taken', async (t) => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/vnd.worker+json',
  ]) {
    const headers = { 'content-type': type };
    const answer = await t.context.api.call({ path: '/work-items/claim', body: CLAIM, headers });
    t.is(answer.status, 200, type);
  }
});

test('a character whose bytes come apart is one character', async (t) => {
  const { port, operatorToken } = t.context.api;
  const body = Buffer.from('{"worker_id": "wörker 😀", "queue_types": ["java_tool"]}');
  const chunks = [...body].flatMap((byte) => ['1\r\n', Uint8Array.of(byte), '\r\n']);
  const answer = await rawCall(port, [
    `POST /work-items/claim HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    ...chunks,
    '0\r\n\r\n',
  ]);
  t.is(answer.status, 200);
  const { body: listed } = await t.context.api.call({ path: '/workers' });
  t.true(
    (listed['workers'] as { worker_id: string }[]).some((row) => row.worker_id === 'wörker 😀'),
  );
});

test('a client that left before its body was read is nobody’s bug', async (t) => {
  const readBody = createReadBody({ bodyBytesMax: BYTES_MAX });
  const { promise: read, resolve } = Promise.withResolvers<unknown>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const koa = new Koa();
  koa.silent = true;
  koa.use(async (ctx) => {
    begin();
    // Waits as long as the database takes to check the token.
    await new Promise((resolveClosed) => ctx.req.once('close', resolveClosed));
    resolve(await readBody(ctx as ApiContext).catch((error: unknown) => error));
  });
  const server = koa.listen(await freePort(), '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = await sendAndLeave(
    `http://127.0.0.1:${port}`,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  await begun;
  await client.leave();
  t.like(await read, { code: 'bad_request' });
});
