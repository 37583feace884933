import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import test from 'ava';

import { startApiServer } from '../../src/api/server.ts';
import { freePort } from '../support/servers/ports.ts';
import { openStream } from './support/open-stream.ts';
import { rawCall } from './support/raw-call.ts';
import { textOf } from './support/call-api.ts';
import { startTestApi } from './support/test-api.ts';
import { startWorkflow, waiting } from './support/workflows.ts';

const NO_API = { handle() {}, leave() {}, drain() {}, close: async () => {} };

test('a port that is taken is named, with what to do', async (t) => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  await t.throwsAsync(startApiServer({ api: NO_API, host: '127.0.0.1', port }), {
    message: new RegExp(`^cannot listen on 127.0.0.1 port ${port}: another process .*SVC_PORT$`),
  });
  other.close();
});

test('an address that this machine has not is named', async (t) => {
  const port = await freePort();
  await t.throwsAsync(startApiServer({ api: NO_API, host: '203.0.113.1', port }), {
    message: /^cannot listen on 203\.0\.113\.1 port \d+: .*SVC_BIND/,
  });
});

test('an IPv6 address stands in brackets in the URL', async (t) => {
  const port = await freePort();
  const server = await startApiServer({ api: NO_API, host: '::1', port });
  t.is(server.url, `http://[::1]:${port}`);
  await server.close({ deadlineMs: 0 });
});

test('closing ends long polls and streams, answers what is under way, and accepts no more', async (t) => {
  const api = await startTestApi();
  const executionId = await startWorkflow(api, { ir: waiting('closing') });
  const stream = await openStream(api, { path: `/executions/${executionId}/events` });
  await stream.next();
  const body = { worker_id: 'w', queue_types: ['java_tool'], wait_ms: 20_000 };
  const polling = api.call({ path: '/work-items/claim', body });
  // The poll is waiting once its worker is listed.
  await workerSeen(api);
  const began = performance.now();
  const closing = api.close({ deadlineMs: 60_000 });
  const polled = await polling;
  t.deepEqual(polled.body, { claimed: false });
  t.is(polled.headers.get('connection'), 'close');
  await stream.rest();
  await closing;
  t.true(performance.now() - began < 30_000, 'connections kept alive held it up');
  await t.throwsAsync(api.call({ path: '/health' }));
});

test('closing cuts what is left after the deadline', async (t) => {
  const api = await startTestApi();
  const reported = api.nextReport('/executions');
  const socket = connect({ port: api.port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  socket.write(
    `POST /executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.operatorToken}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  await once(socket, 'connect');
  await api.call({ path: '/health' });
  await api.close({ deadlineMs: 50 });
  t.is((await reported).status, 499);
  t.deepEqual(api.troubles, []);
});

test('408: a body that trickles in for too long', async (t) => {
  const api = await startTestApi({ requestTimeoutMs: 300 });
  const answer = await rawCall(api.port, [
    `POST /executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.operatorToken}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  ]);
  t.is(answer.status, 408);
  t.regex(textOf(answer, 'error'), /^request timeout: /);
  await api.close();
});

test('408: headers that never end', async (t) => {
  const api = await startTestApi({ requestTimeoutMs: 300 });
  const answer = await rawCall(api.port, ['GET /health HTTP/1.1\r\nHost: x\r\nX-A: ']);
  t.is(answer.status, 408);
  await api.close();
});

test('a request that comes after the answer 408 is not carried out', async (t) => {
  const handled: string[] = [];
  const server = await startApiServer({
    api: {
      ...NO_API,
      handle: ({ url }, response) => {
        handled.push(url ?? '');
        response.end();
      },
    },
    host: '127.0.0.1',
    port: await freePort(),
    headersTimeoutMs: 300,
  });
  t.teardown(() => server.close({ deadlineMs: 0 }));
  // A client may open a connection early, and send its request just after the timeout.
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  const [answer] = (await once(socket, 'data')) as [Buffer];
  t.regex(answer.toString(), /^HTTP\/1\.1 408 /);
  socket.end('POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  await once(socket, 'close');
  // The server has read everything that was sent before this request.
  await fetch(`${server.url}/next`);
  t.deepEqual(handled, ['/next']);
});

async function workerSeen(api: Awaited<ReturnType<typeof startTestApi>>): Promise<void> {
  for (;;) {
    const { body } = await api.call({ path: '/workers' });
    if ((body['workers'] as unknown[]).length > 0) return;
  }
}
