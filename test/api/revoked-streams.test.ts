import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import { SignJWT } from 'jose';
import test, { type ExecutionContext } from 'ava';

import { DEFAULT_CALLER_RECHECK_MS } from '../../src/api/deps.ts';
import { REMEMBER_MS } from '../../src/shared/security/authenticators/stored-tokens.ts';
import { createJsonWebTokens } from '../../src/shared/security/authenticators/json-web-token.ts';
import { TENANT_REMEMBER_MS } from '../../src/shared/engine/tenants/tenant-directory.ts';
import { followEvents } from '../../src/shared/clients/svc/follow-events.ts';
import { textOf } from './support/call-api.ts';
import { openStream, type TestStream } from './support/open-stream.ts';
import { startTestApi, type TestApi, type TestApiOptions } from './support/test-api.ts';
import { tooling } from './support/workflows.ts';

const WITHIN_MS = 5_000;
const TENANT = { 'x-tenant-id': 'acme' };

async function start(t: ExecutionContext, options: TestApiOptions = {}): Promise<TestApi> {
  const api = await startTestApi({
    ...options,
    settings: { callerRecheckMs: 20, streamHeartbeatMs: 60_000, ...options.settings },
  });
  t.teardown(() => api.close());
  await api.call({ path: '/tenants', body: { id: 'acme', name: 'Acme' } });
  return api;
}

async function startExposed(api: TestApi): Promise<string> {
  const ir = { ...tooling('followed'), expose: { a2a: true } };
  await api.call({ path: '/workflows', body: { ir }, headers: TENANT });
  const body = { workflow_id: 'followed', input: {} };
  return textOf(await api.call({ path: '/executions', body, headers: TENANT }), 'execution_id');
}

/** Sends events without a pause until `stop` is called, or the tenant accepts no more. */
function keepBusy(api: TestApi, executionId: string): { stop(): Promise<number> } {
  const ending = new AbortController();
  const writing = (async () => {
    let written = 0;
    while (!ending.signal.aborted) {
      const answer = await api.call({
        path: `/executions/${executionId}/external-event`,
        body: { correlation_key: 'other', payload: {} },
        headers: TENANT,
      });
      if (answer.status !== 200) return written;
      written += 1;
    }
    return written;
  })();
  return {
    stop: () => {
      ending.abort();
      return writing;
    },
  };
}

/** Revokes the access of a busy stream, and reads it to its end. */
async function endBusy(
  t: ExecutionContext,
  of: {
    readonly api: TestApi;
    readonly executionId: string;
    readonly stream: TestStream;
    readonly takeAway: () => Promise<unknown> | void;
  },
): Promise<string> {
  const { api, executionId, stream } = of;
  t.is(stream.status, 200);
  const busy = keepBusy(api, executionId);
  for (let seen = 0; seen < 20; seen += 1) await stream.next();
  const from = performance.now();
  await of.takeAway();
  const rest = await stream.rest();
  t.true(performance.now() - from < WITHIN_MS);
  await busy.stop();
  return rest;
}

const refused = (error: string, status: number) =>
  new RegExp(`event: error\\ndata: \\{"error":"${error}","status":${status}\\}\\n\\n$`);

test('the cache of tokens and tenants, and the time between two checks, last 5 seconds at most', (t) => {
  t.true(Math.max(REMEMBER_MS, TENANT_REMEMBER_MS) + DEFAULT_CALLER_RECHECK_MS < WITHIN_MS);
});

test('a busy stream of events ends with a revoked token', async (t) => {
  const api = await start(t);
  const created = await api.call({
    path: '/tokens',
    body: { name: 'reader', role: 'viewer' },
    headers: TENANT,
  });
  const executionId = await startExposed(api);
  const stream = await openStream(api, {
    path: `/executions/${executionId}/events`,
    token: textOf(created, 'token'),
  });
  const rest = await endBusy(t, {
    api,
    executionId,
    stream,
    takeAway: () =>
      api.call({
        method: 'DELETE',
        path: `/tokens/${textOf(created, 'token_id')}`,
        headers: TENANT,
      }),
  });
  t.regex(rest, refused('invalid or expired token', 401));
});

test('a quiet stream of events ends with a revoked token, and says so to our client', async (t) => {
  const api = await start(t);
  const created = await api.call({
    path: '/tokens',
    body: { name: 'reader', role: 'viewer' },
    headers: TENANT,
  });
  const executionId = await startExposed(api);
  const token = textOf(created, 'token');
  const following = followEvents({ url: api.url, token }, { executionId, after: 0 });
  await following.next();
  await api.call({
    method: 'DELETE',
    path: `/tokens/${textOf(created, 'token_id')}`,
    headers: TENANT,
  });
  const error = await t.throwsAsync(async () => {
    for await (const _ of following);
  });
  t.like(error, { status: 401, message: 'invalid or expired token' });
});

test('a busy stream of events ends when its tenant is archived', async (t) => {
  const api = await start(t);
  const executionId = await startExposed(api);
  const stream = await openStream(api, {
    path: `/executions/${executionId}/events`,
    token: await api.mint({ role: 'viewer', tenant: 'acme' }),
  });
  const rest = await endBusy(t, {
    api,
    executionId,
    stream,
    takeAway: () =>
      api.call({ method: 'PUT', path: '/tenants/acme', body: { status: 'archived' } }),
  });
  t.regex(rest, refused('tenant acme is archived', 403));
});

test('a busy stream of events ends with a JSON Web Token that expires', async (t) => {
  const pair = generateKeyPairSync('ed25519');
  let date = new Date();
  const tokens = createJsonWebTokens({
    issuer: 'https://issuer.example',
    audience: 'svc',
    roleClaim: 'role',
    tenantClaim: 'tenant',
    clockToleranceSeconds: 0,
    keys: { algorithms: ['EdDSA'], key: await publicKeyOf(pair.publicKey) },
    currentDate: () => date,
  });
  const api = await start(t, { auth: { method: { kind: 'jwt', acceptTokens: true, tokens } } });
  const executionId = await startExposed(api);
  const token = await new SignJWT({ role: 'viewer', tenant: 'acme' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('https://issuer.example')
    .setAudience('svc')
    .setSubject('ada')
    .setExpirationTime('1h')
    .sign(pair.privateKey);
  const stream = await openStream(api, { path: `/executions/${executionId}/events`, token });
  const rest = await endBusy(t, {
    api,
    executionId,
    stream,
    takeAway: () => void (date = new Date(Date.now() + 3_600_001)),
  });
  t.regex(rest, refused('invalid or expired token', 401));
});

for (const [what, method, params, takeAway, words] of [
  [
    'a busy task of A2A ends with a revoked token',
    'SubscribeToTask',
    (id: string) => ({ id }),
    (api: TestApi, tokenId: string) =>
      api.call({ method: 'DELETE', path: `/tokens/${tokenId}`, headers: TENANT }),
    'invalid or expired token',
  ],
  [
    'a stream that a message of A2A opened ends when its tenant is suspended',
    'SendStreamingMessage',
    () => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } }),
    (api: TestApi) =>
      api.call({ method: 'PUT', path: '/tenants/acme', body: { status: 'suspended' } }),
    'tenant acme is suspended and may only read',
  ],
] as const) {
  test(what, async (t) => {
    const api = await start(t);
    const executionId = await startExposed(api);
    const created = await api.call({
      path: '/tokens',
      body: { name: 'agent', role: 'developer' },
      headers: TENANT,
    });
    const stream = await openStream(api, {
      path: '/a2a/followed',
      token: textOf(created, 'token'),
      headers: { 'a2a-version': '1.0' },
      body: { jsonrpc: '2.0', id: 1, method, params: params(executionId) },
    });
    const first = JSON.parse((await stream.next())?.slice('data: '.length) ?? '') as {
      readonly result: { readonly task: { readonly id: string } };
    };
    const taskId = first.result.task.id;
    const rest = await endBusy(t, {
      api,
      executionId: taskId,
      stream,
      takeAway: () => takeAway(api, textOf(created, 'token_id')),
    });
    t.regex(rest, /event: error\ndata: [^\n]*\n\n$/);
    t.true(rest.includes(words), rest.slice(-300));
  });
}

test('a suspended tenant may read, so its event streams continue', async (t) => {
  const api = await start(t);
  const executionId = await startExposed(api);
  const stream = await openStream(api, {
    path: `/executions/${executionId}/events`,
    token: await api.mint({ role: 'viewer', tenant: 'acme' }),
  });
  await stream.next();
  await api.call({ method: 'PUT', path: '/tenants/acme', body: { status: 'suspended' } });
  await api.call({ method: 'PUT', path: '/tenants/acme', body: { status: 'active' } });
  await api.call({ path: `/executions/${executionId}/cancel`, body: {}, headers: TENANT });
  t.regex(await stream.rest(), /WorkflowCancelled[^\n]*\n\n$/);
});

test('an answer that waits ends with the right to it', async (t) => {
  const api = await start(t);
  const created = await api.call({
    path: '/tokens',
    body: { name: 'worker', role: 'developer' },
    headers: TENANT,
  });
  const waited = api.call({
    path: '/work-items/claim',
    body: { worker_id: 'w', queue_types: ['python_tool'], wait_ms: 20_000 },
    token: textOf(created, 'token'),
  });
  const from = performance.now();
  await api.call({
    method: 'DELETE',
    path: `/tokens/${textOf(created, 'token_id')}`,
    headers: TENANT,
  });
  await waited;
  t.true(performance.now() - from < WITHIN_MS);
});

test('a client that does not read is cut off once it may no longer', async (t) => {
  const api = await start(t);
  const created = await api.call({
    path: '/tokens',
    body: { name: 'reader', role: 'viewer' },
    headers: TENANT,
  });
  const executionId = await startExposed(api);
  const report = api.nextReport('/executions/:id/events');
  const socket = connect({ port: api.port, host: '127.0.0.1' });
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.pause();
  socket.write(
    [
      `GET /executions/${executionId}/events HTTP/1.1`,
      'Host: localhost',
      'Accept: text/event-stream',
      `Authorization: Bearer ${textOf(created, 'token')}`,
      '',
      '',
    ].join('\r\n'),
  );
  const big = { correlation_key: 'other', payload: { text: 'x'.repeat(60_000) } };
  const path = `/executions/${executionId}/external-event`;
  for (let sent = 0; sent < 100; sent += 1) await api.call({ path, body: big, headers: TENANT });
  await api.call({
    method: 'DELETE',
    path: `/tokens/${textOf(created, 'token_id')}`,
    headers: TENANT,
  });
  t.like(await report, { status: 200 });
});

async function publicKeyOf(key: ReturnType<typeof generateKeyPairSync>['publicKey']) {
  const { importSPKI } = await import('jose');
  return importSPKI(key.export({ type: 'spki', format: 'pem' }).toString(), 'EdDSA');
}
