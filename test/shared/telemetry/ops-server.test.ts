import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { createMetrics } from '../../../src/shared/telemetry/metrics.ts';
import { startOpsServer } from '../../../src/shared/telemetry/ops-server.ts';
import type { OpsServerOptions } from '../../../src/shared/telemetry/ops-server.ts';
import { freePort } from '../../support/servers/ports.ts';

test('200: /metrics serves the registry in the text format', async (t) => {
  const { get } = await start(t);
  const { status, headers, text } = await get('/metrics');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.regex(text, /^svc_build_info\{/m);
});

test('200: /health answers while the database is down', async (t) => {
  const { get } = await start(t, { ping: () => Promise.reject(new Error('down')) });
  const { status, text } = await get('/health');
  t.is(status, 200);
  t.deepEqual(JSON.parse(text), { status: 'ok', version: '1.2.3' });
});

test('200: /ready answers when the database does and no loop is stale', async (t) => {
  const { get } = await start(t, { loops: () => [{ name: 'fire-timers', stale: false }] });
  const { status, text } = await get('/ready?from=probe');
  t.is(status, 200);
  t.deepEqual(JSON.parse(text), { status: 'ok', version: '1.2.3', db: 'connected' });
});

test('without a registry there are probes and no metrics', async (t) => {
  const { get } = await start(t, { registry: null });
  t.is((await get('/health')).status, 200);
  t.is((await get('/ready')).status, 200);
  const { status, text } = await get('/metrics');
  t.is(status, 404);
  t.deepEqual(JSON.parse(text), { error: 'not found: route GET /metrics' });
});

test('503: /ready says that the database is disconnected', async (t) => {
  const { get } = await start(t, { ping: () => Promise.reject(new Error('down')) });
  const { status, text } = await get('/ready');
  t.is(status, 503);
  t.deepEqual(JSON.parse(text), { status: 'unavailable', version: '1.2.3', db: 'disconnected' });
});

test('503: /ready names the loops that have not succeeded lately', async (t) => {
  const loops = () => [
    { name: 'fire-timers', stale: true },
    { name: 'prune', stale: false },
  ];
  const { get } = await start(t, { loops });
  const { status, text } = await get('/ready');
  t.is(status, 503);
  t.like(JSON.parse(text), {
    status: 'unavailable',
    db: 'connected',
    stale_loops: ['fire-timers'],
  });
});

test('503: /ready says that the process is stopping', async (t) => {
  const { get } = await start(t, { draining: AbortSignal.abort() });
  const { status, text } = await get('/ready');
  t.is(status, 503);
  t.like(JSON.parse(text), { status: 'draining', db: 'connected' });
});

test('probes that come together ask the database once', async (t) => {
  let pings = 0;
  const ping = async () => void pings++;
  const { port } = await start(t, { ping });
  const probe = 'GET /ready HTTP/1.1\r\nHost: probe\r\n\r\n';
  const last = probe.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const answers = await exchange(port, probe + probe + last);
  t.is(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  t.is(pings, 1);
});

test('404: any other path, as JSON', async (t) => {
  const { get } = await start(t);
  const { status, text } = await get('/executions');
  t.is(status, 404);
  t.deepEqual(JSON.parse(text), { error: 'not found: route GET /executions' });
});

test('405: another method, with what is allowed', async (t) => {
  const { url } = await start(t);
  const response = await fetch(`${url}/metrics`, { method: 'POST', body: 'x' });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'GET, HEAD');
  t.deepEqual(await response.json(), { error: 'method not allowed: POST /metrics' });
});

test('400: a request that is not HTTP is answered with JSON', async (t) => {
  const { port } = await start(t);
  const answer = await exchange(port, 'nonsense\r\n\r\n');
  t.regex(answer, /^HTTP\/1\.1 400 [^]*\{"error":"bad request/);
});

test('500: a scrape that fails is an error in JSON, not a hanging connection', async (t) => {
  const registry = {
    contentType: 'text/plain',
    metrics: () => Promise.reject(new Error('a collector failed')),
  };
  const { get } = await start(t, { registry });
  const { status, text } = await get('/metrics');
  t.is(status, 500);
  t.deepEqual(JSON.parse(text), { error: 'internal error: a collector failed' });
});

test('a port in use is a clear error', async (t) => {
  const { port, options } = await start(t);
  await t.throwsAsync(startOpsServer({ ...options, port }), {
    message: new RegExp(`127\\.0\\.0\\.1 port ${port}: another process uses it; choose another`),
  });
});

test('closing ends open connections and may be done twice', async (t) => {
  const { get, server } = await start(t);
  await get('/health');
  await server.close();
  await server.close();
  await t.throwsAsync(get('/health'));
});

async function start(
  t: { teardown(action: () => Promise<void>): void },
  given: Partial<OpsServerOptions> = {},
) {
  const metrics = createMetrics({
    version: '1.2.3',
    role: 'scheduler',
    log: { error: () => undefined },
    now: Date.now,
  });
  const options: OpsServerOptions = {
    port: await freePort(),
    version: '1.2.3',
    registry: metrics.registry,
    ping: async () => undefined,
    draining: new AbortController().signal,
    ...given,
  };
  const server = await startOpsServer(options);
  t.teardown(() => server.close());
  const { url, port } = server;
  return {
    server,
    options,
    url,
    port,
    get: async (path: string) => {
      const response = await fetch(url + path);
      const { status, headers } = response;
      return { status, headers, text: await response.text() };
    },
  };
}

/** Sends bytes and reads until the server closes the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}
