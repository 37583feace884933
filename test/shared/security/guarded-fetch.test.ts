import type { RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { gzipSync } from 'node:zlib';

import { HttpError, type HttpErrorCode } from '../../../src/shared/domain/http-error.ts';
import { createGuardedFetch } from '../../../src/shared/security/guarded-fetch.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';
import { freePort } from '../../support/servers/ports.ts';
import { HOSTILE_URLS } from './hostile-urls.ts';

const strict = createGuardedFetch({
  allowPrivate: false,
  resolve: async () => {
    throw new Error('the resolver was asked');
  },
});
const local = createGuardedFetch({ allowPrivate: true, responseBytesMax: 64 * 1024 });

test(`${HOSTILE_URLS.length} hostile addresses are refused before anyone is asked for them`, async (t) => {
  for (const [url, code] of HOSTILE_URLS) await failsWith(t, code, strict(url), url);
});

test('a request goes out as a library made it, and the answer comes as one', async (t) => {
  const server = await startHttpServer((request, response) => {
    response.writeHead(201, { 'X-Many': ['a', 'b'], 'Content-Type': 'application/json' });
    request.pipe(response);
  });
  const response = await local(new URL(`${server.url}/v1/x?y=1`), {
    method: 'POST',
    headers: new Headers({ Authorization: 'Bearer k', 'Content-Type': 'application/json' }),
    body: JSON.stringify({ a: 1 }),
  });
  t.deepEqual([response.status, response.ok, response.redirected], [201, true, false]);
  t.is(response.url, `${server.url}/v1/x?y=1`);
  t.is(response.headers.get('x-many'), 'a, b');
  t.deepEqual(await response.json(), { a: 1 });
  const sent = server.requests[0];
  t.is(sent?.method, 'POST');
  t.like(sent?.headers, { authorization: 'Bearer k', 'content-length': '7' });
  await server.close();
});

test('a `Request`, form fields and bytes are sent, a method of its own making is not', async (t) => {
  const server = await startHttpServer((request, response) => request.pipe(response));
  const ask = async (body: NonNullable<RequestInit['body']>) =>
    (await local(new Request(server.url, { method: 'PUT', body }))).text();
  t.is(await ask(new URLSearchParams({ grant_type: 'client_credentials' })), FORM);
  t.is(await ask(new TextEncoder().encode('bytes')), 'bytes');
  await t.throwsAsync(local(server.url, { method: 'PURGE' }), { instanceOf: TypeError });
  await server.close();
});

test('a name is resolved once, and what it resolves to later is not connected to', async (t) => {
  const port = await freePort();
  const wanted = await startHttpServer(text('wanted'), { host: '127.0.0.1', port });
  const other = await startHttpServer(text('other'), { host: '127.0.0.2', port });
  let asked = 0;
  const resolve = async () => [['127.0.0.1'], ['127.0.0.2']][asked++] ?? [];
  const away = createGuardedFetch({ allowPrivate: true, resolve });
  const response = await away(`http://rebinding.example:${port}/`);
  t.is(await response.text(), 'wanted');
  t.deepEqual([asked, other.requests.length], [1, 0]);
  await Promise.all([wanted.close(), other.close()]);
});

test('a name is refused when one of its addresses is private', async (t) => {
  const away = createGuardedFetch({
    allowPrivate: false,
    resolve: async () => ['8.8.8.8', '127.0.0.1'],
  });
  await failsWith(t, 'refused_address', away('http://agent.example/'));
});

test('a redirect is judged again, and a fourth one is not followed', async (t) => {
  const server = await startHttpServer((request, response) => {
    const left = Number(request.url?.slice(1));
    const to = request.url === '/private' ? 'http://169.254.169.254/' : `/${left - 1}`;
    if (left === 0) response.end('arrived');
    else response.writeHead(307, { Location: to }).end();
  });
  const arrived = await local(`${server.url}/3`);
  t.deepEqual([await arrived.text(), arrived.redirected], ['arrived', true]);
  t.is(arrived.url, `${server.url}/0`);
  await failsWith(t, 'too_many_redirects', local(`${server.url}/4`));
  await failsWith(t, 'refused_address', local(`${server.url}/private`));
  const manual = await local(`${server.url}/3`, { redirect: 'manual' });
  t.is(manual.status, 307);
  await failsWith(t, 'unreachable', local(`${server.url}/3`, { redirect: 'error' }));
  await server.close();
});

test('another origin gets no header that could hold a key, and on demand no request', async (t) => {
  const other = await startHttpServer(text('other'));
  const server = await startHttpServer((_request, response) => {
    response.writeHead(307, { Location: other.url }).end();
  });
  const headers = { Authorization: 'Bearer k', 'X-Api-Key': 'k' };
  await (await local(server.url, { headers })).text();
  const sent = other.requests[0]?.headers ?? {};
  t.deepEqual([sent.authorization, sent['x-api-key']], [undefined, undefined]);
  const faithful = createGuardedFetch({ allowPrivate: true, redirects: 'same_origin' });
  await failsWith(t, 'refused_redirect', faithful(server.url, { method: 'POST', body: 'secret' }));
  t.is(other.requests.length, 1);
  await Promise.all([server.close(), other.close()]);
});

test('server-sent events arrive while the response is still open', async (t) => {
  const next = Promise.withResolvers<void>();
  const server = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: 1\n\n');
    void next.promise.then(() => response.end('data: 2\n\n'));
  });
  const { body } = await local(server.url);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  t.is((await reader?.read())?.value, 'data: 1\n\n');
  next.resolve();
  t.is((await reader?.read())?.value, 'data: 2\n\n');
  t.true((await reader?.read())?.done);
  await server.close();
});

test('an endless body is cut off at the limit, and the sender notices', async (t) => {
  const cut = Promise.withResolvers<void>();
  const server = await startHttpServer(endless(cut.resolve));
  const response = await local(server.url);
  await failsWith(t, 'too_large', response.text());
  await cut.promise;
  await server.close();
});

test('a body that is given up closes the connection', async (t) => {
  const cut = Promise.withResolvers<void>();
  const server = await startHttpServer(endless(cut.resolve));
  await (await local(server.url)).body?.cancel();
  await t.notThrowsAsync(cut.promise);
  await server.close();
});

test('the caller’s signal ends a call before, while waiting and within the body', async (t) => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const silent = await startHttpServer(() => controller.abort(reason));
  const { signal } = controller;
  t.is(await t.throwsAsync(local(silent.url, { signal })), reason);
  t.is(await t.throwsAsync(local(silent.url, { signal })), reason);
  t.is(silent.requests.length, 1);
  const late = new AbortController();
  const cut = Promise.withResolvers<void>();
  const server = await startHttpServer((_request, response) => {
    response.on('close', () => cut.resolve()).write('part');
  });
  const response = await local(server.url, { signal: late.signal });
  late.abort(reason);
  t.is(await t.throwsAsync(response.text()), reason);
  await cut.promise;
  await Promise.all([silent.close(), server.close()]);
});

test('silence ends a call, before the answer and within it', async (t) => {
  const hasty = createGuardedFetch({ allowPrivate: true, silenceMs: 50 });
  const silent = await startHttpServer(() => undefined);
  await failsWith(t, 'timed_out', hasty(silent.url));
  const stopping = await startHttpServer((_request, response) => void response.write('part'));
  const response = await hasty(stopping.url);
  await failsWith(t, 'timed_out', response.text());
  await Promise.all([silent.close(), stopping.close()]);
});

test('a resolver that never answers is not waited for', async (t) => {
  const away = createGuardedFetch({
    allowPrivate: true,
    resolve: () => new Promise(() => undefined),
    connectTimeoutMs: 50,
  });
  const timer = setInterval(() => undefined, 1000);
  await failsWith(t, 'timed_out', away('http://slow.example/'));
  clearInterval(timer);
});

test('compressed bodies, a missing server and a broken body are reported by their codes', async (t) => {
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  const packed = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
  });
  await failsWith(t, 'encoded', local(packed.url));
  await failsWith(t, 'unreachable', local(`http://127.0.0.1:${await freePort()}/`));
  const broken = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('12345', () => response.destroy());
  });
  const response = await local(broken.url);
  await failsWith(t, 'unreachable', response.text());
  await Promise.all([packed.close(), broken.close()]);
});

test('an answer without a body is one', async (t) => {
  const server = await startHttpServer((_request, response) => response.writeHead(204).end());
  const response = await local(server.url, { method: 'DELETE' });
  t.deepEqual([response.status, response.body], [204, null]);
  t.is((await local(server.url, { method: 'HEAD' })).body, null);
  await server.close();
});

const FORM = 'grant_type=client_credentials';

async function failsWith(
  t: ExecutionContext,
  code: HttpErrorCode,
  call: Promise<unknown>,
  message?: string,
): Promise<void> {
  const error = await t.throwsAsync(call, { instanceOf: HttpError }, message);
  t.is(error?.code, code, message);
}

function text(body: string): RequestListener {
  return (_request, response) => void response.end(body);
}

function endless(onClose: () => void): RequestListener {
  return (_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', send).on('close', onClose);
    send();
  };
}
