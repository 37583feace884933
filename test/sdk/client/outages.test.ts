import test, { type ExecutionContext } from 'ava';
import { createClient, type ExecutionEvent } from 'svc-sdk/client';

import { answer, hang, lose, startScriptedServer, type Step } from './support/scripted-server.ts';

/* Long waits for a result and for events, while the service repeatedly fails. */

const PENDING = answer(202, { execution_id: 'exec_1', status: 'running' });
const AWAY = answer(503, { error: 'unavailable: draining' });
const ENDED = answer(200, {
  execution_id: 'exec_1',
  status: 'completed',
  output: 7,
  error: null,
  continued_as: null,
});
const [FIRST, SECOND, LAST] = ['WorkflowStarted', 'NodeScheduled', 'WorkflowCompleted'].map(
  (kind, index) => ({ sequence: index + 1, kind, node_id: null, created_at: '', payload: {} }),
);

/** A stream that sends these events, and then breaks, ends, or stays open. */
const stream =
  (events: readonly unknown[], end: 'ends' | 'breaks' | 'stays', chunk = Infinity): Step =>
  (to) => {
    to.writeHead(200, { 'content-type': 'text/event-stream' });
    const lines = events.map((event) => {
      const { sequence } = event as ExecutionEvent;
      return `id: ${sequence}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`;
    });
    const text = `: events\nretry: 1000\n\n${lines.join('')}`;
    for (let from = 0; from < text.length; from += chunk) to.write(text.slice(from, from + chunk));
    if (end === 'ends') to.end();
    if (end === 'breaks') to.write(': on its way', () => to.socket?.destroy());
  };

/** Each wait of the client passes at once and advances its clock. */
async function open(t: ExecutionContext, ...steps: readonly Step[]) {
  const server = await startScriptedServer(...steps);
  t.teardown(() => server.close());
  let skippedMs = 0;
  const client = createClient({
    url: server.url,
    retry: { attempts: 2 },
    environment: {
      random: () => 0.5,
      now: () => performance.now() + skippedMs,
      after: (ms, action) => {
        // Time limits of attempts are longer than any wait between two attempts.
        const isWait = ms <= 5_000;
        const timer = setTimeout(
          () => {
            if (isWait) skippedMs += ms;
            action();
          },
          isWait ? 0 : ms,
        );
        return () => clearTimeout(timer);
      },
    },
  });
  return { server, client };
}

test('the client asks for a result until it exists, through every interruption', async (t) => {
  const { server, client } = await open(
    t,
    PENDING,
    AWAY,
    AWAY,
    AWAY,
    lose,
    lose,
    lose,
    PENDING,
    ENDED,
  );
  t.is(await client.execution('exec_1').result({ timeout: '10m' }), 7);
  t.is(server.seen.length, 9);
  t.is(server.seen[0]?.path, '/executions/exec_1/result?wait=30000ms');
});

test('a service that answers at once without a result is not asked without a rest', async (t) => {
  const { server, client } = await open(t, PENDING);
  const error = await t.throwsAsync(client.execution('exec_1').result({ timeout: '2m' }), {
    name: 'TimeoutError',
  });
  t.like(error, { executionId: 'exec_1' });
  // Waits grow to at most five seconds; with this random number they are half of that.
  t.true(server.seen.length < 60, `${server.seen.length} requests`);
});

test('the last wait for a result is no longer than what is left of the time', async (t) => {
  const { server, client } = await open(t, PENDING);
  await t.throwsAsync(client.execution('exec_1').result({ timeout: 5_000 }));
  const waits = server.seen.map(({ path }) => Number(/wait=(\d+)ms/.exec(path)?.[1]));
  t.is(waits[0], 5_000);
  t.true(waits.every((wait, index) => index === 0 || wait < (waits[index - 1] ?? 0)));
});

test('an outage of more than a minute ends a wait without a time limit', async (t) => {
  const { client } = await open(t, PENDING, AWAY);
  await t.throwsAsync(client.execution('exec_1').result(), { name: 'UnavailableError' });
});

test('a service that hangs does not stretch the time of a wait', async (t) => {
  const { client } = await open(t, hang);
  const handle = client.execution('exec_1');
  const error = await t.throwsAsync(handle.result({ timeout: 500 }), { name: 'TimeoutError' });
  t.like(error, { executionId: 'exec_1' });
  await t.throwsAsync(client.run('w', {}, { timeout: 500 }), { name: 'TimeoutError' });
});

test('a permanent error ends a wait at once', async (t) => {
  const gone = answer(404, { error: 'not found: execution exec_1' });
  const { server, client } = await open(t, PENDING, gone);
  await t.throwsAsync(client.execution('exec_1').result(), { name: 'NotFoundError' });
  t.is(server.seen.length, 2);
});

test('run starts once and waits on, under one key', async (t) => {
  const { server, client } = await open(t, lose, PENDING, PENDING, ENDED);
  t.is(await client.run('w', {}), 7);
  t.deepEqual(
    server.seen.map(({ method, path }) => `${method} ${path}`),
    [
      'POST /executions?wait=30000ms',
      'POST /executions?wait=30000ms',
      'GET /executions/exec_1/result?wait=30000ms',
      'GET /executions/exec_1/result?wait=30000ms',
    ],
  );
  t.is(new Set(server.seen.slice(0, 2).map(({ headers }) => headers['idempotency-key'])).size, 1);
});

test('events continue where the stream broke, each once', async (t) => {
  for (const chunk of [1, 7, Infinity]) {
    const { server, client } = await open(
      t,
      stream([FIRST], 'breaks', chunk),
      AWAY,
      stream([FIRST, SECOND], 'ends', chunk),
      lose,
      stream([LAST], 'stays', chunk),
    );
    const kinds: string[] = [];
    for await (const { kind } of client.execution('exec_1').events()) kinds.push(kind);
    t.deepEqual(kinds, ['WorkflowStarted', 'NodeScheduled', 'WorkflowCompleted']);
    t.deepEqual(
      server.seen.map(({ headers }) => headers['last-event-id']),
      [undefined, '1', '1', '2', '2'],
    );
    t.is(server.seen[0]?.headers.accept, 'text/event-stream');
  }
});

test('a stream that has nothing more ends', async (t) => {
  const { client } = await open(t, (to) => to.writeHead(204).end());
  const events = client.execution('exec_1').events({ after: 3 });
  t.deepEqual(await events.next(), { done: true, value: undefined });
});

test('the last words of a stream are its error', async (t) => {
  const refusing: Step = (to) => {
    to.writeHead(200, { 'content-type': 'text/event-stream' });
    to.end('event: error\ndata: {"error":"invalid or expired token","status":401}\n\n');
  };
  const { server, client } = await open(t, refusing);
  await t.throwsAsync(client.execution('exec_1').events().next(), { name: 'AuthenticationError' });
  t.is(server.seen.length, 1);
});

test('a stream that is silent for too long is opened again', async (t) => {
  const server = await startScriptedServer(stream([FIRST], 'stays'), stream([LAST], 'ends'));
  t.teardown(() => server.close());
  const silences = new Set<() => void>();
  const client = createClient({
    url: server.url,
    environment: {
      after: (ms, action) => {
        if (ms === 45_000) {
          silences.add(action);
          return () => silences.delete(action);
        }
        const timer = setTimeout(action, ms);
        return () => clearTimeout(timer);
      },
    },
  });
  const kinds: string[] = [];
  for await (const { kind } of client.execution('exec_1').events()) {
    kinds.push(kind);
    for (const passes of silences) passes();
  }
  t.deepEqual(kinds, ['WorkflowStarted', 'WorkflowCompleted']);
});

test('something else than a stream is named', async (t) => {
  const { client } = await open(t, answer(200, '<html>'));
  const error = await t.throwsAsync(client.execution('exec_1').events().next());
  t.regex(error.message, /is not svc: it gave text\/html for an event stream/);
});

test('an abort ends a wait for a result, with its reason', async (t) => {
  const { client } = await open(t, hang);
  const leaving = new AbortController();
  const reason = new Error('enough');
  const waiting = client.execution('exec_1').result({ signal: leaving.signal });
  leaving.abort(reason);
  t.is(await t.throwsAsync(waiting), reason);
});
