import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';

import { eventually } from '../support/eventually.ts';
import { openStream, type TestStream } from './support/open-stream.ts';
import { startTestApi, type TestApi, type TestApiOptions } from './support/test-api.ts';
import { startWorkflow, tooling } from './support/workflows.ts';

const MAX = 2;

async function start(t: ExecutionContext, options: TestApiOptions = {}) {
  const api = await startTestApi({
    ...options,
    settings: { streamsPerToken: MAX, callerRecheckMs: 20, ...options.settings },
  });
  t.teardown(() => api.close());
  const ir = { ...tooling('streamed'), expose: { a2a: true } };
  const executionId = await startWorkflow(api, { ir });
  return { api, executionId, path: `/executions/${executionId}/events` };
}

/** Opens as many streams as the limit allows. */
async function fill(api: TestApi, path: string, token?: string): Promise<readonly TestStream[]> {
  const streams: TestStream[] = [];
  while (streams.length < MAX) {
    const stream = await openStream(api, { path, ...(token !== undefined && { token }) });
    await stream.next();
    streams.push(stream);
  }
  return streams;
}

const watching = (api: TestApi, path: string, token?: string) =>
  api.call({
    path,
    headers: { accept: 'text/event-stream' },
    ...(token !== undefined && { token }),
  });

test('429: one stream more than a token may have, which other tokens do not mind', async (t) => {
  const { api, path } = await start(t);
  await fill(api, path);
  const refused = await watching(api, path);
  t.is(refused.status, 429);
  t.deepEqual(refused.body, {
    error: `limit exceeded: this token has ${MAX} event streams open; close one, or raise api.streams_per_token`,
    limit: 'streams_per_token',
    max: MAX,
  });
  t.regex(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  // Another token with the same name and role has its own limit.
  await fill(api, path, await api.mint({ role: 'operator' }));
  t.is((await api.call({ path })).status, 200);
});

test('429: streams of A2A count too, and one too many starts nothing', async (t) => {
  const { api, path } = await start(t);
  await fill(api, path);
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
  for (const method of ['SendStreamingMessage', 'message/stream']) {
    const refused = await api.call({
      path: '/a2a/streamed',
      body: { jsonrpc: '2.0', id: 1, method, params: { message } },
      headers: { 'a2a-version': '1.0' },
    });
    t.like(refused, { status: 429, body: { limit: 'streams_per_token', max: MAX } });
  }
  const { body } = await api.call({ path: '/executions' });
  t.is((body['executions'] as readonly unknown[]).length, 1);
});

for (const [how, end] of [
  ['their clients leave', ({ streams }: Scene) => streams.forEach((stream) => stream.leave())],
  [
    'the execution ends',
    ({ api, executionId }: Scene) =>
      api.call({ path: `/executions/${executionId}/cancel`, body: {} }),
  ],
] as const) {
  test(`streams no longer count when ${how}`, async (t) => {
    const { api, executionId, path } = await start(t);
    const streams = await fill(api, path);
    const closed = () => api.reports.filter(({ route }) => route === '/executions/:id/events');
    await end({ api, executionId, streams });
    await eventually(() => assert.equal(closed().length, MAX));
    const after = await openStream(api, { path });
    t.is(after.status, 200);
    after.leave();
  });
}

test('streams that were refused, answered otherwise or cut off do not count', async (t) => {
  const { api, path } = await start(t);
  for (let tries = 0; tries < 3 * MAX; tries += 1) {
    t.is((await watching(api, '/executions/none/events')).status, 404);
    t.is((await watching(api, `${path}?after=x`)).status, 400);
    const report = api.nextReport('/executions/:id/events');
    const socket = connect({ port: api.port, host: '127.0.0.1' });
    socket.end(
      [
        `GET ${path} HTTP/1.1`,
        'Host: localhost',
        'Accept: text/event-stream',
        `Authorization: Bearer ${api.operatorToken}`,
        '',
        '',
      ].join('\r\n'),
    );
    socket.once('data', () => socket.resetAndDestroy());
    await report;
  }
  await fill(api, path);
  t.is((await watching(api, path)).status, 429);
});

interface Scene {
  readonly api: TestApi;
  readonly executionId: string;
  readonly streams: readonly TestStream[];
}
