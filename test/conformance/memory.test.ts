import { randomBytes } from 'node:crypto';
import test from 'ava';

import { onBothStores } from '../support/both-stores.ts';
import {
  PROVIDER_WORDS,
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../support/servers/embedding-provider.ts';
import type { Reply } from '../support/http.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';

/* Interface document: "Memory fact", "Memory settings", "Memory". */

const AGENT = '0198f3a2-7c11-7d22-8e33-0123456789ab';
const OTHER_AGENT = '0198f3a2-7c11-7d22-8e33-0123456789ac';
const KEY = 'sk-canary-conformance';

const provider: EmbeddingProvider = await startEmbeddingProvider();
const check = onBothStores({
  env: {
    SVC_MEMORY_EMBEDDING_BASE_URL: provider.url,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  },
});

test.after.always('stop the provider', () => provider.close());

check('200: settings from nothing to enabled, off and on', async (t, tenant, { runtime }) => {
  const read = async () => (await tenant.get('/v1/memory/settings')).body;
  t.deepEqual(await read(), { provider: null, enabled: false, configured: false } as never);
  const saved = await save(tenant);
  t.deepEqual(saved.body, { provider: 'openai', enabled: true, configured: true });
  t.deepEqual(await read(), saved.body as never);
  for (const enabled of [false, true]) {
    const changed = await runtime.request({
      method: 'PATCH',
      path: '/v1/memory/settings',
      tenantId: tenant.tenantId,
      body: { enabled },
    });
    t.is(changed.status, 200);
    t.deepEqual(changed.body, { provider: 'openai', enabled, configured: true });
  }
  t.false(runtime.stdout().includes(KEY));
});

check('200: a key is tried and not kept', async (t, tenant, { runtime }) => {
  const attempt = (apiKey: string) =>
    tenant.post<unknown>('/v1/memory/settings/test', { provider: 'openai', api_key: apiKey });
  t.deepEqual((await attempt(KEY)).body, { ok: true });
  t.deepEqual((await attempt('sk-invalid-canary')).body, {
    ok: false,
    error: 'the provider does not accept this key',
  });
  const settings = await tenant.get<unknown>('/v1/memory/settings');
  t.deepEqual(settings.body, { provider: null, enabled: false, configured: false });
  t.false(runtime.stdout().includes(PROVIDER_WORDS));
  t.false(runtime.stdout().includes('canary'));
});

check('200: a fact is added, recalled, listed, counted and forgotten', async (t, tenant) => {
  await save(tenant);
  const content = 'Ada likes green tea';
  const given = { content, agent_id: AGENT, end_user_id: 'ada', metadata: { a: [1, null] } };
  const added = expectStatus(await add(tenant, given), 200);
  t.regex(added.id, /^[0-9a-f-]{36}$/);
  t.regex(added.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { metadata, ...scope } = given;
  t.deepEqual(added, { ...scope, id: added.id, created_at: added.created_at });
  const fact = { ...added, metadata };
  const [recalled] = await recall(tenant, { agent_id: AGENT, end_user_id: 'ada' });
  const similarity = recalled?.similarity ?? 0;
  t.deepEqual(recalled, { ...fact, similarity });
  t.true(similarity > 0 && similarity < 1);
  t.deepEqual((await tenant.get<unknown>('/v1/memory/facts')).body, { facts: [fact] });
  t.deepEqual(await stats(tenant), { count: 1, quota: 10_000, tier: 'free', live: 1 });
  t.deepEqual(await forget(tenant, { id: added.id, reason: 'wrong' }), { count: 1 });
  t.deepEqual(await forget(tenant, { id: added.id, reason: 'wrong' }), { count: 0 });
  t.deepEqual(await recall(tenant, { agent_id: AGENT, end_user_id: 'ada' }), []);
  t.deepEqual(await stats(tenant), { count: 1, quota: 10_000, tier: 'free', live: 0 });
  return similarity.toFixed(12);
});

check('200: the cascade, for every pair of agent and user', async (t, tenant) => {
  await save(tenant);
  const scopes = [AGENT, OTHER_AGENT, null].flatMap((agent) =>
    ['u', 'v', null].map((user) => ({ agent, user })),
  );
  for (const { agent, user } of scopes) {
    const content = `green tea ${agent} ${user}`;
    expectStatus(await add(tenant, { content, agent_id: agent, end_user_id: user }), 200);
  }
  for (const { agent, user } of scopes) {
    const facts = await recall(tenant, { agent_id: agent, end_user_id: user, k: 100 });
    const expected = scopes
      .filter((scope) => scope.agent === null || scope.agent === agent)
      .filter((scope) => scope.user === null || scope.user === user)
      .map((scope) => `green tea ${scope.agent} ${scope.user}`);
    t.deepEqual(facts.map(({ content }) => content).toSorted(), expected.toSorted());
    const similarities = facts.map(({ similarity }) => similarity);
    t.deepEqual(
      similarities,
      similarities.toSorted((left, right) => right - left),
    );
  }
});

check('200: a user is forgotten with the facts of every agent', async (t, tenant, { runtime }) => {
  const other = await runtime.newTenant();
  await save(tenant);
  await save(other);
  for (const scope of [{ end_user_id: 'u' }, { end_user_id: 'u', agent_id: AGENT }, {}]) {
    expectStatus(await add(tenant, { content: 'tea', ...scope }), 200);
  }
  expectStatus(await add(other, { content: 'tea', end_user_id: 'u' }), 200);
  t.deepEqual(await forget(tenant, { end_user_id: 'u', reason: 'left' }), { count: 2 });
  t.deepEqual(await forget(tenant, { end_user_id: 'u', reason: 'left' }), { count: 0 });
  t.is((await recall(tenant, { end_user_id: 'u', agent_id: AGENT })).length, 1);
  t.is((await recall(other, { end_user_id: 'u' })).length, 1);
  const { items } = expectStatus(
    await tenant.get<{ items: readonly { payload: { count: number } }[] }>(
      '/audit?event_type=memory_user_forgotten',
    ),
    200,
  );
  t.is(items.filter(({ payload }) => payload.count === 2).length, 1);
});

check('200: an ingestion key gives the first fact', async (t, tenant) => {
  await save(tenant);
  const given = { content: 'first', ingestion_key: 'mail-7' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => add(tenant, given)));
  const first = expectStatus(await add(tenant, { ...given, content: 'second' }), 200);
  t.is(first.content, 'first');
  for (const answer of answers) t.deepEqual(answer.body, first);
  t.deepEqual(await stats(tenant), { count: 1, quota: 10_000, tier: 'free', live: 1 });
});

check(
  '400, 403, 429, 502: each error by its code, the first that holds',
  async (t, tenant, place) => {
    const { runtime } = place;
    const codeOf = async (body: object = { content: 'x' }) => {
      const { status, body: answer } = await tenant.post<Failure>('/v1/memory/add', body);
      return [status, answer.code ?? null];
    };
    t.deepEqual(await codeOf(), [403, 'memory_disabled']);
    const path = '/v1/memory/settings';
    await tenant.send({ method: 'PATCH', path, body: { enabled: true } });
    t.deepEqual(await codeOf(), [400, 'embedding_key_missing']);
    await save(tenant, { enabled: false, api_key: 'sk-invalid-canary' });
    t.deepEqual(await codeOf(), [403, 'memory_disabled']);
    t.deepEqual(await codeOf({}), [400, null]);
    await save(tenant, { api_key: 'sk-invalid-canary' });
    t.deepEqual(await codeOf(), [400, 'embedding_key_invalid']);
    await save(tenant, { api_key: 'sk-limited-canary' });
    t.deepEqual(await codeOf(), [429, 'embedding_rate_limited']);
    await save(tenant, { api_key: 'sk-short-canary' });
    t.deepEqual(await codeOf(), [502, 'embedding_failed']);
    t.deepEqual(await stats(tenant), { count: 0, quota: 10_000, tier: 'free', live: 0 });
    t.false(runtime.stdout().includes('canary'));
    t.false(runtime.stdout().includes(PROVIDER_WORDS));
  },
);

interface Fact {
  readonly id: string;
  readonly content: string;
  readonly created_at: string;
}

interface Failure {
  readonly error: string;
  readonly code?: string;
}

function save(tenant: TestTenant, changes: object = {}): Promise<Reply<unknown>> {
  const body = { provider: 'openai', api_key: KEY, ...changes };
  return tenant.post<unknown>('/v1/memory/settings', body);
}

function add(tenant: TestTenant, body: object): Promise<Reply<Fact>> {
  return tenant.post<Fact>('/v1/memory/add', body);
}

async function recall(
  tenant: TestTenant,
  scope: object,
): Promise<readonly (Fact & { readonly similarity: number })[]> {
  const reply = await tenant.post<{
    readonly facts: readonly (Fact & { readonly similarity: number })[];
  }>('/v1/memory/recall', { query: 'green tea', ...scope });
  return expectStatus(reply, 200).facts;
}

async function forget(tenant: TestTenant, body: object): Promise<unknown> {
  return expectStatus(await tenant.post<unknown>('/v1/memory/forget', body), 200);
}

async function stats(tenant: TestTenant): Promise<unknown> {
  return expectStatus(await tenant.get<unknown>('/v1/memory/stats'), 200);
}
