import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';
import { createClient, type ClientOptions } from 'svc-sdk/client';

import { freePort } from '../../support/servers/ports.ts';
import { createCertificate } from '../../support/servers/self-signed-certificate.ts';
import {
  answer,
  breakOff,
  hang,
  lose,
  startScriptedServer,
  type Step,
} from './support/scripted-server.ts';

const LIST = answer(200, { executions: [], next_cursor: null });
const STARTED = answer(201, { execution_id: 'exec_1' });
const AWAY = answer(503, { error: 'unavailable: the database does not answer, try again' });
const BODY = { workflow_id: 'w', input: {} };

/**
 * A client whose waits are recorded and pass at once. The time limit of an attempt expires only
 * when a server hangs, however busy the machine is.
 */
async function open(t: ExecutionContext, steps: readonly Step[], options: ClientOptions = {}) {
  const limits = new Set<() => void>();
  let skippedMs = 0;
  const expire: Step = () => limits.forEach((action) => action());
  const server = await startScriptedServer(...steps.map((step) => (step === hang ? expire : step)));
  t.teardown(() => server.close());
  const waits: number[] = [];
  const client = createClient({
    url: server.url,
    ...options,
    environment: {
      random: () => 0.5,
      now: () => skippedMs,
      after: (ms, action) => {
        const pass = () => {
          skippedMs += ms;
          action();
        };
        if (ms >= LIMIT_MS_MIN) {
          limits.add(pass);
          return () => limits.delete(pass);
        }
        waits.push(ms);
        const timer = setTimeout(pass, 0);
        return () => clearTimeout(timer);
      },
      ...options.environment,
    },
  });
  return { server, client, waits };
}

/** Waits between attempts are shorter, time limits longer. */
const LIMIT_MS_MIN = 5_000;

test('a read is sent again after each failure that may pass, with growing waits', async (t) => {
  for (const failure of [AWAY, answer(502, 'bad gateway'), answer(504, ''), lose, hang, breakOff]) {
    const { server, client, waits } = await open(t, [failure, failure, LIST]);
    t.deepEqual(await client.executions.list().toArray(), []);
    t.is(server.seen.length, 3);
    t.deepEqual(waits, [50, 100]);
  }
});

test('the last failure is thrown when no attempt is left', async (t) => {
  const { server, client } = await open(t, [AWAY]);
  const error = await t.throwsAsync(client.executions.get('x'), { name: 'UnavailableError' });
  t.like(error, { status: 503, code: 'unavailable', requestId: 'req-1' });
  t.is(server.seen.length, 4);
});

test('a start is sent again under one Idempotency-Key, also when its answer is lost', async (t) => {
  const { server, client } = await open(t, [lose, AWAY, STARTED, STARTED]);
  t.is((await client.start('w', {})).id, 'exec_1');
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  t.is(keys.length, 3);
  t.is(new Set(keys).size, 1);
  await client.start('w', {});
  t.not(server.seen[3]?.headers['idempotency-key'], keys[0]);
});

test('the key of the caller is used, and a trace is passed on', async (t) => {
  const { server, client } = await open(t, [STARTED]);
  await client.start('w', {}, { idempotencyKey: 'order-7', traceparent: '00-1-2-01' });
  t.like(server.seen[0]?.headers, { 'idempotency-key': 'order-7', traceparent: '00-1-2-01' });
});

test('a request that may have taken effect is not sent again', async (t) => {
  for (const failure of [AWAY, lose, hang]) {
    const { server, client } = await open(t, [failure]);
    await t.throwsAsync(client.execution('x').signal('paid', {}));
    await t.throwsAsync(client.execution('x').approve());
    t.is(server.seen.length, 2);
  }
});

test('a request that a limit refuses is sent again, after the time that the service asks for', async (t) => {
  const limited = answer(
    429,
    { error: 'limit exceeded: x', limit: 'x', max: 1 },
    { 'retry-after': '2' },
  );
  const accepted = answer(200, { execution_id: 'x', accepted: true });
  const { server, client, waits } = await open(t, [limited, accepted]);
  t.true((await client.execution('x').signal('paid', {})).accepted);
  t.is(server.seen.length, 2);
  t.deepEqual(waits, [2_050]);
});

test('a service that asks to wait for longer than the policy allows is not asked again', async (t) => {
  const limited = answer(429, { error: 'limit exceeded: x' }, { 'retry-after': '11' });
  const { server, client } = await open(t, [limited]);
  const error = await t.throwsAsync(client.executions.get('x'), { name: 'LimitError' });
  t.like(error, { retryAfterMs: 11_000, status: 429, body: { error: 'limit exceeded: x' } });
  t.is(server.seen.length, 1);
});

test('a wrong request is not sent again', async (t) => {
  for (const [status, name] of [
    [400, 'ValidationError'],
    [401, 'AuthenticationError'],
    [402, 'LimitError'],
    [403, 'PermissionError'],
    [409, 'ConflictError'],
    [413, 'ValidationError'],
    [500, 'SvcError'],
  ] as const) {
    const { server, client } = await open(t, [answer(status, { error: 'no' })]);
    t.like(await t.throwsAsync(client.executions.start(BODY)), { name, status });
    t.is(server.seen.length, 1);
  }
});

test('the time of a call holds for all of its attempts', async (t) => {
  const { server, client } = await open(t, [hang], { attemptTimeout: '20s' });
  const error = await t.throwsAsync(client.executions.get('x', { timeout: '50s' }), {
    name: 'TimeoutError',
  });
  t.like(error, { code: 'timeout', executionId: null });
  // Two attempts of 20 seconds, and one with the remaining time.
  t.is(server.seen.length, 3);
});

test('an abort ends the call with its reason, at an attempt and between two', async (t) => {
  const reason = new Error('enough');
  const { client } = await open(t, [hang]);
  const leaving = new AbortController();
  const asked = client.executions.get('x', { signal: leaving.signal });
  leaving.abort(reason);
  t.is(await t.throwsAsync(asked), reason);
  const late = client.executions.get('x', { signal: leaving.signal });
  t.is(await t.throwsAsync(late), reason);
});

test('a signal that lives long keeps no listeners', async (t) => {
  const { client } = await open(t, [AWAY, LIST]);
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  await client.executions.list({}, { signal }).page();
  t.is(listeners, 0);
});

test('nobody at the address: also a change is tried again, and the error says what to do', async (t) => {
  const port = await freePort();
  let attempts = 0;
  const client = createClient({
    url: `http://127.0.0.1:${port}`,
    environment: {
      after: (ms, action) => {
        const timer = setTimeout(action, ms > 1_000 ? ms : 0);
        return () => clearTimeout(timer);
      },
      fetch: (input, init) => {
        attempts += 1;
        return fetch(input, init);
      },
    },
  });
  const error = await t.throwsAsync(client.execution('x').signal('paid', {}), {
    name: 'ConnectionError',
  });
  t.is(attempts, 4);
  t.regex(error.message, new RegExp(`127.0.0.1:${port}.*ECONNREFUSED.*check the address.*svc dev`));
});

test('an address without TLS, and a certificate that is not trusted, say what to change', async (t) => {
  const plain = await startScriptedServer();
  t.teardown(() => plain.close());
  const secure = createServer(createCertificate('localhost'));
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  t.teardown(() => void secure.close());
  const { port } = secure.address() as AddressInfo;
  for (const [url, advice] of [
    [
      plain.url.replace('http:', 'https:'),
      /: no TLS is spoken there; check the port, or use http:\/\/ in the url/,
    ],
    [`https://127.0.0.1:${port}`, /: its certificate is not trusted \(.*NODE_EXTRA_CA_CERTS$/],
  ] as const) {
    const client = createClient({ url, retry: { attempts: 1 } });
    const error = await t.throwsAsync(client.executions.get('x'), { name: 'ConnectionError' });
    t.regex(error.message, advice);
    t.like(error, { neverSent: true });
  }
});

test('something else than svc at the address is named', async (t) => {
  for (const other of [
    answer(404, 'Not Found'),
    answer(200, '<html>'),
    answer(404, { error: 'Not Found' }),
  ]) {
    const { server, client } = await open(t, [other]);
    const error = await t.throwsAsync(client.executions.get('x'), { name: 'ConnectionError' });
    t.regex(error.message, /is not svc: it gave .*check the address and the port/);
    t.like(error, { code: 'foreign_service' });
    t.is(server.seen.length, 1);
  }
});

test('a wrong token is distinguished from none', async (t) => {
  const refused = answer(401, { error: 'invalid or expired token' });
  const { client: without } = await open(t, [refused]);
  const one = await t.throwsAsync(without.executions.get('x'));
  t.regex(one.message, /no token was sent; pass createClient\(\{ token \}\) or set SVC_TOKEN/);
  const { server, client } = await open(t, [refused], {
    token: async () => 'secret',
    tenantId: 'acme',
  });
  const other = await t.throwsAsync(client.executions.get('x'));
  t.regex(other.message, /does not accept this token/);
  t.false(other.message.includes('secret'));
  t.like(server.seen[0]?.headers, { authorization: 'Bearer secret', 'x-tenant-id': 'acme' });
});

test('a token, an address and a time that cannot be are refused before anything is sent', async (t) => {
  t.throws(() => createClient({ url: 'localhost:7700' }), { message: /url must be an address/ });
  t.throws(() => createClient({ timeout: 'soon' }), {
    message: /timeout must be milliseconds or text/,
  });
  const { server, client } = await open(t, [LIST], { token: 'a\nb' });
  await t.throwsAsync(client.executions.get('x'), { message: /the token is empty, or has spaces/ });
  t.is(server.seen.length, 0);
});
