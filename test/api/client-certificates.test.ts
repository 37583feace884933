import { Agent } from 'node:https';
import anyTest, { type TestFn } from 'ava';

import type { TenantId } from '../../src/shared/domain/ids.ts';
import { createAuthority } from '../support/servers/certificate-authority.ts';
import { requestOverTls, type Shown, type TlsRequest } from './support/request-over-tls.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';
import { waiting } from './support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi; lenient: TestApi }>;

const authority = createAuthority('Test authority');
const elsewhere = createAuthority('Test authority');
const server = authority.issue({
  subject: [['CN', 'svc']],
  dnsNames: ['localhost'],
  addresses: [[127, 0, 0, 1]],
});
const tls = {
  certificate: server.certificate,
  key: server.key,
  clientAuthorities: authority.certificate,
};
const SUBJECTS = [
  { subject: 'CN=worker', role: 'developer', tenantId: 'acme' as TenantId },
  { subject: 'O=Acme,CN=admin', role: 'operator', tenantId: 'default' as TenantId },
  { subject: 'URI:spiffe://acme/viewer', role: 'viewer', tenantId: 'acme' as TenantId },
  { subject: 'CN=stray', role: 'operator', tenantId: 'ghost' as TenantId },
] as const;

test.before(async (t) => {
  const method = { kind: 'mtls', subjects: SUBJECTS, currentDate: () => new Date() } as const;
  t.context.api = await startTestApi({
    tls,
    auth: { method: { ...method, acceptTokens: false } },
  });
  t.context.lenient = await startTestApi({
    tls,
    auth: { method: { ...method, acceptTokens: true } },
  });
  await t.context.api.makeTenant('acme');
  await t.context.lenient.makeTenant('acme');
});

test.after.always(async (t) => {
  await t.context.api.close();
  await t.context.lenient.close();
});

const worker = authority.issue({ subject: [['CN', 'worker']] });
const admin = authority.issue({
  subject: [
    ['O', 'Acme'],
    ['CN', 'admin'],
  ],
});

test('200: a certificate of the table is its role and tenant', async (t) => {
  const { api } = t.context;
  t.is((await call(api, { path: '/executions', shown: worker })).status, 200);
  const denied = await call(api, { path: '/tokens', shown: worker });
  t.is(denied.status, 403);
  const all = await call(api, { path: '/tenants', shown: admin });
  t.is(all.status, 200);
  const viewer = authority.issue({ subject: [], uris: ['spiffe://acme/viewer'] });
  t.is((await call(api, { path: '/executions', shown: viewer })).status, 200);
  t.is((await call(api, { method: 'POST', path: '/executions', shown: viewer })).status, 403);
});

test('403: a certificate whose tenant nobody made says what to do', async (t) => {
  const { api } = t.context;
  const stray = authority.issue({ subject: [['CN', 'stray']] });
  const refused = await call(api, { path: '/executions', shown: stray });
  t.is(refused.status, 403);
  t.deepEqual(JSON.parse(refused.body), {
    error: 'tenant ghost does not exist: an operator of tenant default makes it with POST /tenants',
  });
});

test('200: open routes need no certificate', async (t) => {
  const { api } = t.context;
  t.is((await call(api, { path: '/health' })).status, 200);
  const stranger = elsewhere.issue({ subject: [['CN', 'worker']] });
  t.is((await call(api, { path: '/health', shown: stranger })).status, 200);
});

for (const [title, make] of [
  ['none', () => undefined],
  [
    'one of another authority of the same name',
    () => elsewhere.issue({ subject: [['CN', 'worker']] }),
  ],
  ['one that the table does not know', () => authority.issue({ subject: [['CN', 'other']] })],
  [
    'one that has expired',
    () => authority.issue({ subject: [['CN', 'worker']], expiresInMs: -60_000 }),
  ],
  [
    'one with two common names',
    () =>
      authority.issue({
        subject: [
          ['CN', 'worker'],
          ['CN', 'worker'],
        ],
      }),
  ],
  ['one whose name holds a line end', () => authority.issue({ subject: [['O', 'x\nCN=worker']] })],
  [
    'one whose DNS name holds a URI',
    () => authority.issue({ subject: [], dnsNames: ['x, URI:spiffe://acme/viewer, y'] }),
  ],
] as const) {
  test(`401: a certificate: ${title}`, async (t) => {
    const answer = await call(t.context.api, { path: '/executions', shown: make() });
    t.is(answer.status, 401);
    t.is(answer.body, '{"error":"invalid or expired token"}');
  });
}

test('401: a token, unless tokens are accepted as well', async (t) => {
  const { api, lenient } = t.context;
  const ask = (of: TestApi, token: string, shown?: Shown) =>
    call(of, { path: '/executions', headers: { authorization: `Bearer ${token}` }, shown });
  t.is((await ask(api, api.operatorToken)).status, 401);
  t.is((await ask(lenient, lenient.operatorToken)).status, 200);
  // A certificate does not make a bad token valid.
  t.is((await ask(lenient, 'svc_unknown', worker)).status, 401);
  t.is((await call(lenient, { path: '/executions', shown: worker })).status, 200);
});

test('nothing is heard of TLS before 1.2, or in plain text', async (t) => {
  const { api } = t.context;
  await t.throwsAsync(call(api, { path: '/health', maxVersion: 'TLSv1.1' }));
  await t.throwsAsync(fetch(`http://127.0.0.1:${api.port}/health`));
  t.is((await call(api, { path: '/health', maxVersion: 'TLSv1.2' })).status, 200);
});

test('401: a certificate that expires while its connection is open, in a stream and after', async (t) => {
  let date = new Date();
  const api = await startTestApi({
    tls,
    auth: {
      method: { kind: 'mtls', subjects: SUBJECTS, currentDate: () => date, acceptTokens: true },
    },
    settings: { callerRecheckMs: 20 },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => {
    agent.destroy();
    return api.close();
  });
  const send = (path: string, body: object) =>
    call(api, { method: 'POST', path, shown: admin, body });
  await send('/workflows', { ir: waiting('certified') });
  const started = await send('/executions', { workflow_id: 'certified', input: {} });
  const { execution_id: id } = JSON.parse(started.body) as { readonly execution_id: string };
  const stream = call(api, {
    path: `/executions/${id}/events`,
    shown: admin,
    headers: { accept: 'text/event-stream' },
    agent,
    onOpen: () => (date = new Date(Date.now() + 3 * 24 * 3_600_000)),
  });
  t.regex(
    (await stream).body,
    /event: error\ndata: .*"invalid or expired token","status":401}\n\n$/,
  );
  const next = await call(api, { path: '/executions', shown: admin, agent });
  t.is(next.status, 401);
});

function call(api: TestApi, given: Omit<TlsRequest, 'port' | 'authority'>) {
  return requestOverTls({ ...given, port: api.port, authority: authority.certificate });
}
