import anyTest, { type TestFn } from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import { eventsTopic } from '../../../src/shared/engine/wake/wake-for.ts';
import { openStream } from '../support/open-stream.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, startWorkflow, waiting } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

interface Row {
  readonly sequence: number;
  readonly kind: string;
}

test.before(async (t) => {
  t.context.api = await startTestApi({ settings: { streamHeartbeatMs: 20 } });
});

test.after.always((t) => t.context.api.close());

function sequences(text: string): readonly number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
}

async function deliver(api: TestApi, executionId: string): Promise<void> {
  const body = { correlation_key: 'paid', payload: {} };
  await api.call({ path: `/executions/${executionId}/external-event`, body });
  await api.advance(executionId);
}

test('200: all events, in order, with the contract’s fields and more', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('all') });
  const answer = await api.call({ path: `/executions/${executionId}/events` });
  const events = answer.body['events'] as unknown as Row[];
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  t.like(events[0], {
    kind: 'WorkflowStarted',
    node_id: null,
    event_id: `${executionId}:1`,
    execution_id: executionId,
    actor_id: 'token:test operator',
  });
  t.is(events.at(-1)?.kind, 'WorkflowCompleted');
});

test('200: after and limit cut a page', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('page') });
  const page = async (query: string) => {
    const { body } = await api.call({ path: `/executions/${executionId}/events${query}` });
    return (body['events'] as unknown as Row[]).map(({ sequence }) => sequence);
  };
  t.deepEqual(await page('?after=1&limit=2'), [2, 3]);
  t.deepEqual(await page('?limit=1'), [1]);
  t.deepEqual(await page('?after=100'), []);
});

test('400: after and limit that are no numbers', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('bad-page') });
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=1.5']) {
    const answer = await api.call({ path: `/executions/${executionId}/events?${query}` });
    t.is(answer.status, 400, query);
  }
});

test('200: a stream brings what has happened, then what happens, then ends', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('live') });
  const stream = await openStream(api, { path: `/executions/${executionId}/events` });
  t.is(stream.status, 200);
  t.regex(stream.headers.get('content-type') ?? '', /^text\/event-stream\b/);
  t.is(await stream.next(), ': events\nretry: 1000\n\n');
  const first = (await stream.next()) ?? '';
  t.regex(first, /^id: 1\ndata: \{.*"kind":"WorkflowStarted".*\}\n\n$/);
  await deliver(api, executionId);
  const rest = await stream.rest();
  const { body } = await api.call({ path: `/executions/${executionId}/events` });
  const all = (body['events'] as unknown as Row[]).map(({ sequence }) => sequence);
  t.deepEqual([1, ...sequences(rest)], all);
  t.regex(rest, /"kind":"WorkflowCompleted"[^\n]*\n\n$/);
});

test('200: Last-Event-ID goes before after, and nothing comes twice', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('resume') });
  const path = `/executions/${executionId}/events`;
  const whole = sequences(await (await openStream(api, { path })).rest());
  const headers = { 'last-event-id': '2' };
  const resumed = await openStream(api, { path: `${path}?after=1`, headers });
  t.deepEqual(sequences(await resumed.rest()), whole.slice(2));
  const later = await openStream(api, { path: `${path}?after=3` });
  t.deepEqual(sequences(await later.rest()), whole.slice(3));
});

test('204: a client that has everything of an ended execution need not come again', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('complete') });
  const path = `/executions/${executionId}/events`;
  const last = sequences(await (await openStream(api, { path })).rest()).at(-1);
  const headers = { 'last-event-id': String(last) };
  t.is((await openStream(api, { path, headers })).status, 204);
});

test('400: a Last-Event-ID that is no sequence', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('bad-id') });
  const headers = { 'last-event-id': 'x' };
  const stream = await openStream(api, { path: `/executions/${executionId}/events`, headers });
  t.is(stream.status, 400);
});

test('200: JSON for a client that asks for no stream', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: passing('accept') });
  for (const accept of ['*/*', 'application/json', 'text/event-stream;q=0.5, application/json']) {
    const answer = await api.call({
      path: `/executions/${executionId}/events`,
      headers: { accept, 'last-event-id': 'x' },
    });
    t.is(answer.status, 200, accept);
  }
});

test('a quiet stream is kept alive by comments', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('quiet') });
  const path = `/executions/${executionId}/events?after=100`;
  const stream = await openStream(api, { path });
  t.is(await stream.next(), ': events\nretry: 1000\n\n');
  t.is(await stream.next(), ': waiting\n\n');
  t.is(await stream.next(), ': waiting\n\n');
  stream.leave();
});

test('a stream ends when its token is no longer accepted', async (t) => {
  let now = 0;
  const api = await startTestApi({ settings: { streamHeartbeatMs: 20 }, now: () => now });
  const created = await api.call({ path: '/tokens', body: { name: 'reader', role: 'viewer' } });
  const executionId = await startWorkflow(api, { ir: waiting('revoked') });
  const stream = await openStream(api, {
    path: `/executions/${executionId}/events`,
    token: textOf(created, 'token'),
  });
  await stream.next();
  await api.call({ method: 'DELETE', path: `/tokens/${textOf(created, 'token_id')}` });
  now += 60_000;
  t.false((await stream.rest()).includes('WorkflowCompleted'));
  await api.close();
});

test('a client that leaves its stream is reported once and is no trouble', async (t) => {
  const api = await startTestApi();
  const executionId = await startWorkflow(api, { ir: waiting('leave') });
  const report = api.nextReport('/executions/:id/events');
  const stream = await openStream(api, { path: `/executions/${executionId}/events` });
  await stream.next();
  stream.leave();
  t.is((await report).status, 200);
  t.deepEqual(api.troubles, []);
  await api.close();
});

test('HEAD opens no stream', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('head') });
  const answer = await api.call({
    method: 'HEAD',
    path: `/executions/${executionId}/events`,
    headers: { accept: 'text/event-stream' },
  });
  t.is(answer.status, 200);
});

test('a server that closes ends its streams and logs nothing', async (t) => {
  const api = await startTestApi();
  const executionId = await startWorkflow(api, { ir: waiting('close') });
  const path = `/executions/${executionId}/events`;
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(api, { path })));
  for (const stream of streams) await stream.next();
  // A look at the execution is under way.
  api.wake.notify([eventsTopic(executionId as ExecutionId)]);
  const ended = Promise.all(streams.map((stream) => stream.rest()));
  await api.close();
  t.is((await ended).length, streams.length);
  t.deepEqual(api.troubles, []);
});

test('a client that reads slowly gets a long history whole', async (t) => {
  const { api } = t.context;
  const executionId = await startWorkflow(api, { ir: waiting('slow') });
  const path = `/executions/${executionId}/external-event`;
  const body = { correlation_key: 'other', payload: { text: 'x'.repeat(50_000) } };
  for (let sent = 0; sent < 200; sent += 1) await api.call({ path, body });
  const stream = await openStream(api, { path: `/executions/${executionId}/events` });
  await stream.next();
  await deliver(api, executionId);
  const { body: whole } = await api.call({ path: `/executions/${executionId}/events` });
  const all = (whole['events'] as unknown as Row[]).map(({ sequence }) => sequence);
  t.deepEqual(sequences(await stream.rest()), all);
});
