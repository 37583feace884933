import { generateKeyPairSync, randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { importSPKI, SignJWT } from 'jose';

import { createIds } from '../../src/shared/clients/system-ids.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import { createJsonWebTokens } from '../../src/shared/security/authenticators/json-web-token.ts';
import { createToken } from '../../src/shared/engine/tokens/create-token.ts';
import { startTestApi, type TestApi, type TestApiOptions } from './support/test-api.ts';
import { passing } from './support/workflows.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const GHOST = { 'x-tenant-id': 'ghost' };
const UNKNOWN = { error: 'not found: tenant ghost' };
const NOBODY_MADE =
  'tenant ghost does not exist: an operator of tenant default makes it with POST /tenants';

async function start(t: ExecutionContext, options: TestApiOptions = {}): Promise<TestApi> {
  const api = await startTestApi(options);
  t.teardown(() => api.close());
  return api;
}

for (const dialect of DIALECTS) {
  test(`${dialect}: 404: nothing is read or written in a tenant that nobody made`, async (t) => {
    const api = await start(t, { dialect });
    const before = await api.database.contents();
    for (const call of [
      { path: '/executions' },
      { path: '/workflows', body: { ir: passing('w') } },
      { path: '/tokens', body: { name: 'theirs', role: 'operator' } },
      { path: '/work-items/claim', body: { worker_id: 'w', queue_types: ['python_tool'] } },
      { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      { path: '/ready' },
    ]) {
      const answer = await api.call({ ...call, headers: GHOST });
      t.is(answer.status, 404, call.path);
      t.deepEqual(answer.body, UNKNOWN);
    }
    t.deepEqual(await api.database.contents(), before);
  });

  test(`${dialect}: 200: a tenant is served as soon as it is made, here and elsewhere`, async (t) => {
    const api = await start(t, { dialect });
    const read = () => api.call({ path: '/executions', headers: GHOST });
    t.is((await read()).status, 404);
    t.is((await api.call({ path: '/tenants', body: { id: 'ghost', name: 'G' } })).status, 201);
    t.is((await read()).status, 200);

    const headers = { 'x-tenant-id': 'elsewhere' };
    t.is((await api.call({ path: '/executions', headers })).status, 404);
    // Another process creates it, and does not notify this one.
    const { tenants } = api.database.store;
    await tenants.create({ tenantId: 'elsewhere' as TenantId, name: 'E', actorId: 'token:other' });
    t.is((await api.call({ path: '/executions', headers })).status, 200);
  });

  test(`${dialect}: 403: a token of a tenant that nobody made says what to do`, async (t) => {
    const api = await start(t, { dialect });
    const token = await mintPastTheTenants(api);
    for (const call of [
      { path: '/executions' },
      { path: '/executions', headers: GHOST },
      { path: '/workflows', body: { ir: passing('w') } },
    ]) {
      const refused = await api.call({ ...call, token });
      t.is(refused.status, 403);
      t.deepEqual(refused.body, { error: NOBODY_MADE });
    }
    await api.call({ path: '/tenants', body: { id: 'ghost', name: 'Ghost' } });
    t.is((await api.call({ path: '/executions', token })).status, 200);
  });
}

test('401, 403, 400: a caller who may not name a tenant does not learn which exist', async (t) => {
  const api = await start(t);
  await api.call({ path: '/tenants', body: { id: 'made', name: 'M' } });
  const callers = [
    { token: null, status: 401 },
    { token: `svc_${'x'.repeat(43)}`, status: 401 },
    { token: await api.mint({ role: 'viewer' }), status: 403 },
    { token: await api.mint({ role: 'operator', tenant: 'acme' }), status: 403 },
  ];
  for (const { token, status } of callers) {
    const asked = ['ghost', 'made', 'No Tenant'].map(async (tenant) => {
      const headers = { 'x-tenant-id': tenant };
      const answer = await api.call({ path: '/executions', token, headers });
      return { status: answer.status, body: answer.body };
    });
    const [ghost, ...others] = await Promise.all(asked);
    t.is(ghost?.status, status);
    for (const other of others) t.deepEqual(other, ghost);
  }
  const headers = { 'x-tenant-id': 'No Tenant' };
  t.is((await api.call({ path: '/executions', headers })).status, 400);
});

test('200: the tenant default exists without being made', async (t) => {
  const api = await start(t, { auth: { enabled: false } });
  t.is((await api.call({ path: '/executions', token: null })).status, 200);
  const headers = { 'x-tenant-id': 'default' };
  t.is((await api.call({ path: '/executions', token: null, headers })).status, 200);
  t.is((await api.call({ path: '/executions', token: null, headers: GHOST })).status, 404);
});

test('403: a JSON Web Token whose tenant nobody made says what to do', async (t) => {
  const pair = generateKeyPairSync('ed25519');
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const tokens = createJsonWebTokens({
    issuer: 'https://issuer.example',
    audience: 'svc',
    roleClaim: 'role',
    tenantClaim: 'tenant',
    clockToleranceSeconds: 0,
    keys: { algorithms: ['EdDSA'], key: await importSPKI(pem, 'EdDSA') },
    currentDate: () => new Date(),
  });
  const api = await start(t, { auth: { method: { kind: 'jwt', acceptTokens: true, tokens } } });
  const token = await new SignJWT({ role: 'operator', tenant: 'ghost' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('https://issuer.example')
    .setAudience('svc')
    .setSubject('ada')
    .setExpirationTime('1h')
    .sign(pair.privateKey);
  const refused = await api.call({ path: '/executions', token });
  t.is(refused.status, 403);
  t.deepEqual(refused.body, { error: NOBODY_MADE });
  await api.call({ path: '/tenants', body: { id: 'ghost', name: 'Ghost' } });
  t.is((await api.call({ path: '/executions', token })).status, 200);
});

/** A token of a version that accepted any tenant. */
async function mintPastTheTenants(api: TestApi): Promise<string> {
  const { store } = api.database;
  const ids = createIds({ now: Date.now, randomBytes });
  const { plaintext } = await createToken(
    { store, ids, randomBytes },
    { tenantId: 'ghost' as TenantId, actorId: 'token:test' },
    { name: 'early', role: 'operator', expiresInMs: null },
  );
  return plaintext;
}
