import test from 'ava';

import type { Role } from '../../src/shared/domain/access.ts';
import { onBothStores, type Place } from '../support/both-stores.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openRequest, type ErrorBody } from '../support/http.ts';
import { runProgram } from '../support/processes.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { expectStatus, TestTenant } from '../support/tenant.ts';

/* Interface document: "Authentication"; tokens and tenants. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const ID = 'exec_00000000000070008000000000000000';
const ITEM = '01930000-0000-7000-8000-000000000000';

const ROLES: readonly Role[] = ['operator', 'developer', 'reviewer', 'viewer'];

const READS = [
  'GET /ready',
  'GET /workflows',
  'GET /workflows/w',
  'GET /executions',
  `GET /executions/${ID}`,
  `GET /executions/${ID}/events`,
  `GET /executions/${ID}/explain`,
  `GET /executions/${ID}/approvals`,
  'GET /workers',
  'GET /openapi.json',
];
const WRITES = [
  'POST /workflows',
  'POST /workflows/w/pause',
  'POST /workflows/w/resume',
  'POST /executions',
  `POST /executions/${ID}/cancel`,
  `POST /executions/${ID}/approve`,
  `POST /executions/${ID}/external-event`,
  'POST /work-items/claim',
  `POST /work-items/${ITEM}/heartbeat`,
  `POST /work-items/${ITEM}/complete`,
  `POST /work-items/${ITEM}/fail`,
  `POST /work-items/${ITEM}/requeue`,
  'GET /work-items?status=dead_lettered',
];
const OPERATIONS = ['GET /tokens', 'POST /tokens', `DELETE /tokens/${ITEM}`];
const DEVELOPER = 'insufficient role — developer or operator required';

interface Token {
  readonly token_id: string;
  readonly token: string;
  readonly tenant_id: string;
  readonly role: Role;
}

check('401: no route but health and the well-known ones without a token', async (t, _svc, at) => {
  for (const route of [...READS, ...WRITES, ...OPERATIONS]) {
    const reply = await ask(at.runtime, route, null);
    t.is(reply.status, 401, route);
    t.deepEqual(reply.body, { error: 'invalid or expired token' }, route);
    t.is(reply.headers.get('WWW-Authenticate'), 'Bearer', route);
  }
});

check(
  '401: an Authorization header that is malformed or holds nothing known',
  async (t, _svc, at) => {
    const { apiKey } = at.runtime;
    for (const header of [
      'Bearer',
      'Bearer ',
      `Basic ${apiKey}`,
      apiKey,
      `Bearer ${apiKey}x`,
      `Bearer ${apiKey.slice(1)}`,
      `Bearer ${apiKey.toUpperCase()}`,
      `Bearer ${apiKey} ${apiKey}`,
      `Bearer "${apiKey}"`,
      `Bearer ${'x'.repeat(5_000)}`,
      `Token ${apiKey}`,
    ]) {
      const reply = await at.runtime.request({
        path: '/executions',
        token: null,
        headers: { Authorization: header },
      });
      t.is(reply.status, 401, header);
    }
  },
);

check('200: the name of the scheme is not case-sensitive', async (t, _svc, { runtime }) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const headers = { Authorization: `${scheme} ${runtime.apiKey}` };
    const reply = await runtime.request({ path: '/executions', token: null, headers });
    t.is(reply.status, 200, scheme);
  }
});

check('403: each role may do what the table says, route by route', async (t, svc, { runtime }) => {
  for (const role of ROLES) {
    const { token } = await mint(runtime, { name: role, role }, svc.tenantId);
    for (const route of READS) {
      const { status } = await ask(runtime, route, token);
      t.false([401, 403].includes(status), `${role} ${route}: ${status}`);
    }
    for (const route of WRITES) {
      const reply = await ask(runtime, route, token);
      if (role === 'operator' || role === 'developer') {
        t.false([401, 403].includes(reply.status), `${role} ${route}: ${reply.status}`);
      } else {
        t.is(reply.status, 403, `${role} ${route}`);
        t.like(reply.body, { error: DEVELOPER, role });
      }
    }
    for (const route of OPERATIONS) {
      const reply = await ask(runtime, route, token);
      if (role === 'operator') t.false([401, 403].includes(reply.status), route);
      else t.is(reply.status, 403, `${role} ${route}`);
    }
  }
});

check('403: a role is judged before the body is', async (t, svc, { runtime }) => {
  const { token } = await mint(runtime, { name: 'viewer', role: 'viewer' }, svc.tenantId);
  const reply = await runtime.request({ path: '/executions', token, raw: '{' });
  t.is(reply.status, 403);
  t.is((await runtime.request({ path: '/executions', token: null, raw: '{' })).status, 401);
});

check('201: a token made through the command line works, and is listed', async (t, svc, place) => {
  const made = await createByCli(place, { name: 'ci', role: 'developer', tenant: svc.tenantId });
  t.like(made, { role: 'developer', tenant_id: svc.tenantId });
  const developer = actingWith(place.runtime, made.token);
  const id = await developer.run({ nodes: {} });
  t.is((await developer.events(id))[0]?.actor_id, 'token:ci');
  t.is((await svc.read(id)).status, 'completed');
  const list = await svc.get<{ tokens: readonly Record<string, unknown>[] }>('/tokens');
  t.deepEqual(
    list.body.tokens.map(({ token_id: tokenId, name, role }) => [tokenId, name, role]),
    [[made.token_id, 'ci', 'developer']],
  );
  t.false(JSON.stringify(list.body).includes(made.token));
});

check('401: a token that was revoked, from the moment of the answer on', async (t, svc, place) => {
  const { runtime } = place;
  const made = await mint(runtime, { name: 'leaver', role: 'developer' }, svc.tenantId);
  const acting = actingWith(runtime, made.token);
  t.is((await acting.get('/executions')).status, 200);
  const revoke = () =>
    runtime.request<{ revoked_at: string }>({
      method: 'DELETE',
      path: `/tokens/${made.token_id}`,
      tenantId: svc.tenantId,
    });
  const revoked = await revoke();
  t.is(revoked.status, 200);
  t.is((await acting.get('/executions')).status, 401);
  // Not the whole body: the last use is recorded with a delay, maybe only after the first answer.
  t.is((await revoke()).body.revoked_at, revoked.body.revoked_at);
  const other = { method: 'DELETE', path: `/tokens/${made.token_id}` };
  t.is((await runtime.request(other)).status, 404);
});

check('401: a token revoked elsewhere, within seconds', async (t, svc, place) => {
  const { runtime, database } = place;
  const made = await mint(runtime, { name: 'leaver', role: 'viewer' }, svc.tenantId);
  const acting = actingWith(runtime, made.token);
  t.is((await acting.get('/executions')).status, 200);
  const args = ['token', 'revoke', made.token_id, '--tenant', svc.tenantId];
  await runProgram({ entry: 'svc', args: [...args, '--database-url', database.url] });
  await untilRefused(acting);
});

check('401: a token that has expired', async (t, svc, { runtime }) => {
  const expiring = { name: 'guest', role: 'viewer', expires_in_seconds: 1 } as const;
  const acting = actingWith(runtime, (await mint(runtime, expiring, svc.tenantId)).token);
  const lasting = { name: 'staff', role: 'viewer', expires_in_seconds: 3_600 } as const;
  const staying = actingWith(runtime, (await mint(runtime, lasting, svc.tenantId)).token);
  await untilRefused(acting);
  t.is((await staying.get('/executions')).status, 200);
});

check('404: an execution of another tenant is unknown, everywhere', async (t, svc, { runtime }) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  const before = await svc.events(id);
  const other = await runtime.newTenant();
  for (const role of ['operator', 'developer'] as const) {
    const { token } = await mint(runtime, { name: role, role }, other.tenantId);
    const acting = actingWith(runtime, token);
    for (const path of ['', '/explain', '/events', '/approvals']) {
      const reply = await acting.get(`/executions/${id}${path}`);
      t.is(reply.status, 404, path);
      t.deepEqual(reply.body, { error: `not found: execution ${id}` });
    }
    for (const [verb, body] of [
      ['cancel', {}],
      ['approve', { decision: 'approved' }],
      ['external-event', { correlation_key: 'k', payload: {} }],
    ] as const) {
      t.is((await acting.post(`/executions/${id}/${verb}`, body)).status, 404, verb);
    }
    t.is((await acting.complete(item)).status, 404);
    t.is((await acting.fail(item)).status, 404);
    const beat = { worker_id: 'w', lease_fence: item.lease_fence };
    t.is((await acting.post(`/work-items/${item.id}/heartbeat`, beat)).status, 404);
    t.deepEqual(await acting.tryClaim(), { claimed: false });
    const list = await acting.get<{ executions: unknown[] }>('/executions');
    t.deepEqual(list.body.executions, []);
    const stream = await openRequest(runtime.url, {
      path: `/executions/${id}/events`,
      token,
      headers: { Accept: 'text/event-stream' },
    });
    t.is(stream.status, 404);
  }
  t.deepEqual(await svc.events(id), before);
});

check('403: only operators of the default tenant name another one', async (t, svc, { runtime }) => {
  const other = await runtime.newTenant();
  for (const role of ROLES) {
    const { token } = await mint(runtime, { name: role, role }, svc.tenantId);
    const named = (tenantId: string) => runtime.request({ path: '/executions', token, tenantId });
    t.is((await named(other.tenantId)).status, 403, role);
    t.is((await named('default')).status, 403, role);
    t.is((await named(svc.tenantId)).status, 200, role);
  }
  const { token } = await mint(runtime, { name: 'someone', role: 'developer' }, 'default');
  const asDeveloper = { path: '/executions', token, tenantId: other.tenantId };
  t.is((await runtime.request(asDeveloper)).status, 403);
});

check('400: a tenant id that is none', async (t, _svc, { runtime }) => {
  for (const tenantId of ['UPPER', 'a b', '-a', 'x'.repeat(64), 'a/b']) {
    const reply = await runtime.request<ErrorBody>({ path: '/executions', tenantId });
    t.is(reply.status, 400, tenantId);
    t.regex(reply.body.error, /^bad request: X-Tenant-Id/);
  }
});

check('400: a token without a name or role, or with a role there is not', async (t, svc) => {
  for (const body of [
    {},
    { name: 'a' },
    { role: 'viewer' },
    { name: 'a', role: 'admin' },
    { name: '', role: 'viewer' },
    { name: 'a', role: 'viewer', expires_in_seconds: 0 },
    { name: 'api-key', role: 'viewer' },
  ]) {
    t.is((await svc.post('/tokens', body)).status, 400, JSON.stringify(body));
  }
  t.deepEqual((await svc.get<{ tokens: unknown[] }>('/tokens')).body.tokens, []);
});

test('200: a reviewer may approve, and probes need no token, where so configured', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const runtime = await startRuntime({
    databaseUrl: database.url,
    env: { SVC_AUTH_REVIEWERS_MAY_APPROVE: 'true', SVC_AUTH_OPEN_READY: 'true' },
  });
  t.teardown(() => runtime.end('SIGKILL'));
  const svc = await runtime.newTenant();
  const id = await svc.run({ nodes: { ask: { kind: 'human_approval' } } });
  await svc.until(id, 'paused');
  const token = async (role: Role) =>
    (await mint(runtime, { name: role, role }, svc.tenantId)).token;
  const reviewer = actingWith(runtime, await token('reviewer'));
  const viewer = actingWith(runtime, await token('viewer'));
  const decision = { decision: 'approved' };
  t.is((await viewer.post(`/executions/${id}/approve`, decision)).status, 403);
  t.is((await reviewer.cancel(id)).status, 403);
  t.true((await reviewer.approve(id, decision)).accepted);
  t.is((await runtime.request({ path: '/ready', token: null })).status, 200);
});

async function untilRefused(acting: TestTenant): Promise<void> {
  await eventually(async () => {
    const { status } = await acting.get('/executions');
    if (status !== 401) throw new Error(`the token is still answered with ${status}`);
  });
}

function ask(runtime: Runtime, route: string, token: string | null) {
  const [method = '', path = ''] = route.split(' ');
  const hasBody = method === 'POST';
  return runtime.request<ErrorBody>({ method, path, token, ...(hasBody && { body: {} }) });
}

async function mint(
  runtime: Runtime,
  body: { readonly name: string; readonly role: Role },
  tenantId: string,
): Promise<Token> {
  return expectStatus(await runtime.request<Token>({ path: '/tokens', tenantId, body }), 201);
}

async function createByCli(
  { database }: Place,
  given: { readonly name: string; readonly role: Role; readonly tenant: string },
): Promise<Token> {
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const args = ['token', 'create', ...options, '--database-url', database.url, '--output', 'json'];
  return JSON.parse(await runProgram({ entry: 'svc', args })) as Token;
}

/** The tenant of a token, as its owner uses it: without a tenant header. */
function actingWith(runtime: Runtime, token: string): TestTenant {
  return new TestTenant({
    tenantId: '',
    request: ({ tenantId: _, ...request }) => runtime.request({ ...request, token }),
  });
}
