import anyTest, { type TestFn } from 'ava';

import {
  PROVIDER_WORDS,
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../../support/servers/embedding-provider.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi; provider: EmbeddingProvider }>;
const PATH = '/v1/memory/settings';

test.before(async (t) => {
  const provider = await startEmbeddingProvider();
  const api = await startTestApi({ memory: { embeddingBaseUrl: provider.url } });
  t.context = { api, provider };
});

test.after.always(async (t) => {
  await t.context.api.close();
  await t.context.provider.close();
});

test('200: before anything is saved there is no provider, and memory is off', async (t) => {
  const { api } = t.context;
  const headers = await makeTenant(api, 'untouched');
  const answer = await api.call({ path: PATH, headers });
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { provider: null, enabled: false, configured: false });
});

test('200: saving enables, and the key is never shown', async (t) => {
  const { api } = t.context;
  const headers = await makeTenant(api, 'saving');
  const body = { provider: 'openai', api_key: 'sk-canary-save', enabled: true };
  const saved = await api.call({ path: PATH, body, headers });
  t.is(saved.status, 200);
  t.deepEqual(saved.body, { provider: 'openai', enabled: true, configured: true });
  t.deepEqual((await api.call({ path: PATH, headers })).body, saved.body);
  t.false(JSON.stringify(await api.database.contents()).includes('sk-canary-save'));
});

test('200: enabled may be left out, or be false', async (t) => {
  const { api } = t.context;
  const headers = await makeTenant(api, 'enabled');
  const body = { provider: 'openai', api_key: 'sk-a' };
  t.like((await api.call({ path: PATH, body, headers })).body, { enabled: true });
  const off = await api.call({ path: PATH, body: { ...body, enabled: false }, headers });
  t.like(off.body, { enabled: false, configured: true });
});

test('200: memory is switched off and on, and keeps its key', async (t) => {
  const { api } = t.context;
  const headers = await makeTenant(api, 'switching');
  await api.call({ path: PATH, body: { provider: 'openai', api_key: 'sk-a' }, headers });
  for (const enabled of [false, true]) {
    const changed = await api.call({ method: 'PATCH', path: PATH, body: { enabled }, headers });
    t.is(changed.status, 200);
    t.deepEqual(changed.body, { provider: 'openai', enabled, configured: true });
  }
});

test('400: a provider that is not supported, a key that cannot be one, a switch that is none', async (t) => {
  const { api } = t.context;
  const good = { provider: 'openai', api_key: 'sk-a', enabled: true };
  for (const [change, message] of [
    [{ provider: undefined }, /^bad request: provider is required$/],
    [{ provider: 'acme' }, /^bad request: provider must be openai$/],
    [{ api_key: undefined }, /^bad request: api_key is required$/],
    [{ api_key: '' }, /^bad request: api_key must be 1 to 512/],
    [{ api_key: 'sk canary' }, /^bad request: api_key must be 1 to 512/],
    [{ api_key: 'x'.repeat(513) }, /^bad request: api_key must be 1 to 512/],
    [{ enabled: 'yes' }, /^bad request: enabled must be a boolean$/],
  ] as const) {
    const answer = await api.call({ path: PATH, body: { ...good, ...change } });
    t.is(answer.status, 400);
    t.regex(answer.error, message);
    t.false(answer.error.includes('canary'));
  }
  for (const body of [{}, { enabled: 1 }, { enabled: null }]) {
    t.is((await api.call({ method: 'PATCH', path: PATH, body })).status, 400);
  }
});

test('400: without an encryption key nothing is saved, and the answer says how to make one', async (t) => {
  const api = await startTestApi({ memory: { encryptionKey: null } });
  const body = { provider: 'openai', api_key: 'sk-canary' };
  const answer = await api.call({ path: PATH, body });
  t.is(answer.status, 400);
  t.regex(answer.error, /SVC_ENCRYPTION_KEY .*openssl rand -base64 32/);
  t.like((await api.call({ path: PATH })).body, { configured: false });
  await api.close();
});

for (const [key, error] of [
  ['sk-good', undefined],
  ['sk-invalid', 'the provider does not accept this key'],
  [
    'sk-limited',
    'the provider limits the rate of requests with this key, or its credit is used up',
  ],
  ['sk-refused', 'the provider does not offer the embedding model to this key'],
  ['sk-broken', 'the embedding provider answered with status 500'],
] as const) {
  test(`200: a key is tried and nothing is kept: ${key}`, async (t) => {
    const { api } = t.context;
    const headers = await makeTenant(api, key);
    const body = { provider: 'openai', api_key: key };
    const answer = await api.call({ path: `${PATH}/test`, body, headers });
    t.is(answer.status, 200);
    t.deepEqual(answer.body, error === undefined ? { ok: true } : { ok: false, error });
    t.like((await api.call({ path: PATH, headers })).body, { configured: false });
    t.false(JSON.stringify([answer.body, api.troubles]).includes(PROVIDER_WORDS));
  });
}

test('400: a try needs provider and key', async (t) => {
  const { api } = t.context;
  const answer = await api.call({ path: `${PATH}/test`, body: { provider: 'openai' } });
  t.is(answer.status, 400);
  t.regex(answer.error, /api_key is required/);
});

async function makeTenant(api: TestApi, name: string): Promise<Readonly<Record<string, string>>> {
  await api.makeTenant(name);
  return { 'x-tenant-id': name };
}
