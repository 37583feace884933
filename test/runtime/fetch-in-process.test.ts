import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';

import { openRuntime } from '../../src/index.ts';
import { createFetchInProcess } from '../../src/runtime/fetch-in-process.ts';
import { createTestDatabase } from '../support/database.ts';

const KEY = 'k9Qm2vX7pL4tR8wZ1nB6yH3c';
const ANYWHERE = 'http://runtime.local';

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a request without a socket gets the answer that one with a socket gets`, async (t) => {
    const { runtime, send } = await open(t, dialect);
    const server = createServer(runtime.handler ?? undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const registered = await send('/workflows', { ir: HELLO });
    t.is(registered.status, 201);
    for (const path of ['/workflows', '/executions', '/nowhere', '/openapi.json', '/health']) {
      const [inside, outside] = await Promise.all([
        send(path),
        fetch(`http://127.0.0.1:${port}${path}`, { headers: HEADERS }),
      ]);
      t.is(inside.status, outside.status, path);
      t.is(inside.headers.get('content-type'), outside.headers.get('content-type'));
      t.deepEqual(withoutRequestId(await inside.json()), withoutRequestId(await outside.json()));
    }
  });
}

test('access rules hold without a socket', async (t) => {
  const { runtime } = await open(t, 'sqlite');
  const answer = await runtime.fetch?.(`${ANYWHERE}/workflows`);
  t.is(answer?.status, 401);
});

test('a body of several megabytes arrives whole', async (t) => {
  const { send } = await open(t, 'sqlite');
  const content = 'x'.repeat(3_000_000);
  const stored = await send('/artifacts', content);
  const { hash, size } = (await stored.json()) as { readonly hash: string; readonly size: number };
  t.is(size, content.length);
  t.is(await (await send(`/artifacts/${hash}`)).text(), content);
});

test('an event stream is read as it grows, and ends when its reader leaves', async (t) => {
  const { send } = await open(t, 'sqlite');
  await send('/workflows', { ir: WAITING });
  const started = await send('/executions', { workflow_id: 'waiting', input: {} });
  const { execution_id: id } = (await started.json()) as { readonly execution_id: string };
  const stream = await send(`/executions/${id}/events`, undefined, { accept: 'text/event-stream' });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('NodeScheduled')) text += (await reader?.read())?.value ?? '';
  const delivered = await send(`/executions/${id}/external-event`, {
    correlation_key: 'go',
    payload: {},
  });
  t.is(delivered.status, 200);
  while (!text.includes('WorkflowCompleted')) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  t.pass();
});

test('a request is the same however it is given', async (t) => {
  const seen: object[] = [];
  const served = createFetchInProcess((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
  });
  const url = `${ANYWHERE}/a%20b?c=d`;
  for (const init of [
    {},
    { method: 'DELETE', headers: [['X-One', '1']] as [string, string][] },
    { method: 'POST', body: '{"n":"ü"}', headers: { 'Content-Type': 'application/json' } },
    { method: 'PUT', body: 'text' },
    { method: 'POST', body: '' },
    { method: 'post', body: new TextEncoder().encode('bytes') },
  ]) {
    await served(url, init);
    await served(new URL(url), init);
    await served(new Request(url, init));
    const [text, other, request] = seen.splice(0);
    t.deepEqual([text, other], [request, request]);
  }
  await t.throwsAsync(served(url, { body: 'a GET has none' }), { instanceOf: TypeError });
  await t.throwsAsync(served('/no-origin'), { instanceOf: TypeError });
});

test('a caller that leaves is noticed by the handler, and told why', async (t) => {
  const closed = Promise.withResolvers<boolean>();
  const handler: RequestListener = (_request, response) => {
    response.once('close', () => closed.resolve(response.writableFinished));
  };
  const leaving = new AbortController();
  const reason = new Error('no longer needed');
  const answer = createFetchInProcess(handler)(ANYWHERE, { signal: leaving.signal });
  leaving.abort(reason);
  t.is(await t.throwsAsync(answer), reason);
  t.false(await closed.promise);
});

test('a caller that has left already sends nothing', async (t) => {
  const handler: RequestListener = () => t.fail('the request was served');
  const gone = { signal: AbortSignal.abort(new Error('gone')) };
  await t.throwsAsync(createFetchInProcess(handler)(ANYWHERE, gone), { message: 'gone' });
});

const HEADERS = { authorization: `Bearer ${KEY}` };
const HELLO = {
  workflow_id: 'hello',
  nodes: { greet: { kind: { type: 'pass', output: { text: 'Hello' } } } },
};
const WAITING = {
  workflow_id: 'waiting',
  nodes: { gate: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
};

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
  const database = await createTestDatabase(dialect);
  const runtime = await openRuntime({
    database: database.url,
    settings: { 'auth.api_key': KEY, 'logging.level': 'silent' },
  });
  t.teardown(async () => {
    await runtime.stop();
    await database.drop();
  });
  const { fetch } = runtime;
  if (fetch === null) throw new Error('a runtime of every role has an API');
  const send = (path: string, body?: object | string, headers: Record<string, string> = {}) =>
    fetch(ANYWHERE + path, {
      headers: { ...HEADERS, ...(typeof body === 'object' && JSON_BODY), ...headers },
      ...(body !== undefined && {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
  return { runtime, send };
}

const JSON_BODY = { 'content-type': 'application/json' };

function withoutRequestId(body: unknown): unknown {
  return { ...(body as object), request_id: null };
}
