import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import {
  PROVIDER_WORDS,
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../../support/servers/embedding-provider.ts';
import { textOf, type ApiAnswer } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi; provider: EmbeddingProvider }>;
const QUOTA = 5;
const AGENT = '0198f3a2-7c11-7d22-8e33-0123456789ab';
const OTHER_AGENT = '0198f3a2-7c11-7d22-8e33-0123456789ac';

test.before(async (t) => {
  const provider = await startEmbeddingProvider();
  const api = await startTestApi({
    memory: { embeddingBaseUrl: provider.url, quotas: { free: QUOTA } },
  });
  t.context = { api, provider };
});

test.after.always(async (t) => {
  await t.context.api.close();
  await t.context.provider.close();
});

test('200: a fact is added, listed, counted and recalled', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  const body = {
    content: 'Ada likes green tea',
    agent_id: AGENT.toUpperCase(),
    end_user_id: 'ada',
    metadata: { source: 'chat', n: [1, null] },
  };
  const added = await tenant.post('/add', body);
  t.is(added.status, 200);
  const fields = ['agent_id', 'content', 'created_at', 'end_user_id', 'id'];
  t.deepEqual(Object.keys(added.body).toSorted(), fields);
  t.like(added.body, { content: body.content, agent_id: AGENT, end_user_id: 'ada' });
  const fact = { ...added.body, metadata: body.metadata };
  t.deepEqual((await tenant.get('/facts')).body, { facts: [fact] });
  t.deepEqual((await tenant.get('/stats')).body, { count: 1, quota: 5, tier: 'free', live: 1 });
  const scope = { agent_id: AGENT, end_user_id: 'ada' };
  const recalled = await tenant.post('/recall', { query: 'tea', ...scope });
  t.is(recalled.status, 200);
  const [found] = recalled.body['facts'] as readonly JsonObject[];
  t.like(found, fact);
  t.true(Number(found?.['similarity']) > 0.3);
  t.true(Number(found?.['similarity']) < 1);
});

test('400: a fact or a recall that is not as it must be', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  for (const [body, message] of [
    [{}, /content is required/],
    [{ content: '' }, /content must not be empty/],
    [{ content: 7 }, /content must be a string/],
    [{ content: 'x'.repeat(131_073) }, /content must be at most|larger than/],
    [{ content: 'x', agent_id: 'nobody' }, /agent_id must be a UUID or null/],
    [{ content: 'x', end_user_id: '' }, /end_user_id must not be empty/],
    [{ content: 'x', metadata: [] }, /metadata must be an object/],
    [{ content: 'x', ingestion_key: 'k'.repeat(513) }, /ingestion_key must be at most 512 bytes/],
  ] as const) {
    const answer = await tenant.post('/add', body);
    t.true([400, 413].includes(answer.status));
    t.regex(answer.error, message);
  }
  for (const [body, message] of [
    [{}, /query is required/],
    [{ query: 'x', k: 1.5 }, /k must be an integer/],
    [{ query: 'x', k: '10' }, /k must be a number|k must be an integer/],
  ] as const) {
    const answer = await tenant.post('/recall', body);
    t.is(answer.status, 400);
    t.regex(answer.error, message);
  }
});

test('400: without a key nothing is embedded', async (t) => {
  const tenant = await openTenant(t.context.api, {});
  await tenant.call('PATCH', '/settings', { enabled: true });
  for (const answer of [
    await tenant.post('/add', { content: 'x' }),
    await tenant.post('/recall', { query: 'x' }),
  ]) {
    t.is(answer.status, 400);
    t.is(answer.body['code'], 'embedding_key_missing');
    t.regex(answer.error, /^bad request: no embedding key is configured/);
  }
});

test('403: memory that was switched off, before anything else is looked at', async (t) => {
  const { api } = t.context;
  const tenants = [await openTenant(api, { key: 'sk-invalid' }), await openTenant(api, {})];
  for (const tenant of tenants) {
    await tenant.call('PATCH', '/settings', { enabled: false });
    for (const answer of [
      await tenant.post('/add', { content: 'x' }),
      await tenant.post('/recall', { query: 'x' }),
    ]) {
      t.is(answer.status, 403);
      t.is(answer.body['code'], 'memory_disabled');
    }
    t.is((await tenant.post('/add', {})).status, 400);
    t.is((await tenant.get('/facts')).status, 200);
    t.is((await tenant.post('/forget', { end_user_id: 'u', reason: 'r' })).status, 200);
  }
});

test('403: memory that nobody has configured is off, and says so', async (t) => {
  const tenant = await openTenant(t.context.api, {});
  t.like((await tenant.get('/settings')).body, { enabled: false, configured: false });
  const answer = await tenant.post('/add', { content: 'x' });
  t.is(answer.status, 403);
  t.is(answer.body['code'], 'memory_disabled');
});

for (const [key, status, code] of [
  ['sk-invalid-canary', 400, 'embedding_key_invalid'],
  ['sk-limited-canary', 429, 'embedding_rate_limited'],
  ['sk-broken-canary', 502, 'embedding_failed'],
  ['sk-short-canary', 502, 'embedding_failed'],
  ['sk-zero-canary', 502, 'embedding_failed'],
] as const) {
  test(`${status}: ${code}, in our words, and nothing is counted: ${key}`, async (t) => {
    const { api } = t.context;
    const tenant = await openTenant(api, { key });
    for (const answer of [
      await tenant.post('/add', { content: 'x' }),
      await tenant.post('/recall', { query: 'x' }),
    ]) {
      t.is(answer.status, status);
      t.is(answer.body['code'], code);
      t.is(answer.headers.get('retry-after'), status === 429 ? '7' : null);
      t.regex(answer.error, /, (?:save another with POST|try again)/);
      const said = JSON.stringify([answer.body, [...answer.headers], api.troubles]);
      t.false(said.includes(PROVIDER_WORDS));
      t.false(said.includes(key));
    }
    t.like((await tenant.get('/stats')).body, { count: 0, live: 0 });
  });
}

test('400: a text that the provider refuses', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-refused' });
  const answer = await tenant.post('/add', { content: 'x' });
  t.is(answer.status, 400);
  t.regex(answer.error, /^bad request: content is not accepted by the embedding provider/);
});

test('402: the quota is used up, and nothing is embedded', async (t) => {
  const { api, provider } = t.context;
  const key = 'sk-quota';
  const tenant = await openTenant(api, { key });
  for (let index = 0; index < QUOTA; index += 1) await tenant.add({ content: `fact ${index}` });
  const answer = await tenant.post('/add', { content: 'one more' });
  t.is(answer.status, 402);
  t.like(answer.body, { code: 'memory_quota_exceeded', dimension: 'memory' });
  t.regex(answer.error, /an operator can give the limits of the tenant a larger memory_tier$/);
  t.regex(answer.error, /^memory quota exceeded: all 5 facts/);
  t.is(provider.timesOf(key), QUOTA);
});

test('402: forgetting gives nothing back, and recalls continue', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  for (let index = 0; index < QUOTA; index += 1) {
    await tenant.add({ content: 'x', end_user_id: 'u' });
  }
  await tenant.post('/forget', { end_user_id: 'u', reason: 'left' });
  t.is((await tenant.post('/add', { content: 'x' })).status, 402);
  t.is((await tenant.post('/recall', { query: 'x' })).status, 200);
  t.deepEqual((await tenant.get('/stats')).body, { count: 5, quota: 5, tier: 'free', live: 0 });
});

test('402: three of twenty adds for the last three places succeed, and no more are embedded', async (t) => {
  const { api, provider } = t.context;
  const key = 'sk-race';
  const tenant = await openTenant(api, { key });
  for (let index = 0; index < QUOTA - 3; index += 1) await tenant.add({ content: 'x' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => tenant.post('/add', { content: `fact ${index}` })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  t.deepEqual([count(200), count(402)], [3, 17]);
  t.like((await tenant.get('/stats')).body, { count: QUOTA, live: QUOTA });
  t.is(provider.timesOf(key), QUOTA);
});

test('200: a failed embedding gives its place back', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-broken' });
  for (let index = 0; index < QUOTA + 1; index += 1) {
    t.is((await tenant.post('/add', { content: 'x' })).status, 502);
  }
  await tenant.call('POST', '/settings', { provider: 'openai', api_key: 'sk-a' });
  for (let index = 0; index < QUOTA; index += 1) await tenant.add({ content: 'x' });
  t.is((await tenant.post('/add', { content: 'x' })).status, 402);
});

test('200: an ingestion key gives the first fact, nothing is embedded and nothing counted', async (t) => {
  const { api, provider } = t.context;
  const key = 'sk-ingestion';
  const tenant = await openTenant(api, { key });
  const first = await tenant.add({ content: 'first', ingestion_key: 'mail-7' });
  for (let index = 1; index < QUOTA; index += 1) await tenant.add({ content: 'x' });
  const again = await tenant.post('/add', { content: 'second', ingestion_key: 'mail-7' });
  t.is(again.status, 200);
  t.deepEqual(again.body, first.body);
  t.is(provider.timesOf(key), QUOTA);
  t.like((await tenant.get('/stats')).body, { count: QUOTA });
});

test('200: twenty adds under one ingestion key make one fact', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  const answers = await Promise.all(
    Array.from({ length: QUOTA }, () => tenant.add({ content: 'x', ingestion_key: 'same' })),
  );
  t.is(new Set(answers.map((answer) => textOf(answer, 'id'))).size, 1);
  t.like((await tenant.get('/stats')).body, { count: 1, live: 1 });
});

test('200: a recall finds the facts of its cascade alone, nearest first', async (t) => {
  const { api } = t.context;
  const tenant = await openTenant(api, { key: 'sk-a' });
  const elsewhere = await openTenant(api, { key: 'sk-a' });
  await elsewhere.add({ content: 'green tea' });
  await tenant.add({ content: 'green tea with milk', agent_id: AGENT, end_user_id: 'ada' });
  await tenant.add({ content: 'green tea with sugar and milk', agent_id: AGENT });
  await tenant.add({ content: 'green tea', agent_id: OTHER_AGENT });
  await tenant.add({ content: 'green tea', end_user_id: 'eve' });
  await tenant.add({ content: 'the weather' });
  const recalled = async (body: JsonObject) => {
    const answer = await tenant.post('/recall', { query: 'green tea', ...body });
    return (answer.body['facts'] as readonly JsonObject[]).map(({ content }) => content);
  };
  t.deepEqual(await recalled({ agent_id: AGENT, end_user_id: 'ada' }), [
    'green tea with milk',
    'green tea with sugar and milk',
    'the weather',
  ]);
  t.deepEqual(await recalled({ agent_id: AGENT, end_user_id: 'ada', k: 1 }), [
    'green tea with milk',
  ]);
  t.deepEqual(await recalled({ agent_id: AGENT, end_user_id: 'ada', k: 0 }), [
    'green tea with milk',
  ]);
  t.deepEqual(await recalled({ agent_id: AGENT }), [
    'green tea with sugar and milk',
    'the weather',
  ]);
  t.deepEqual(await recalled({ end_user_id: 'eve', agent_id: null, k: 1000 }), [
    'green tea',
    'the weather',
  ]);
  t.deepEqual(await recalled({}), ['the weather']);
});

test('200: a forgotten fact is gone at once, and forgetting it again changes nothing', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  const id = textOf(await tenant.add({ content: 'tea' }), 'id');
  const found = (await tenant.post('/recall', { query: 'tea' })).body['facts'];
  t.is((found as readonly JsonObject[]).length, 1);
  const body = { id: id.toUpperCase(), reason: 'wrong' };
  t.deepEqual((await tenant.post('/forget', body)).body, { count: 1 });
  t.deepEqual((await tenant.post('/forget', body)).body, { count: 0 });
  t.deepEqual((await tenant.post('/recall', { query: 'tea' })).body, { facts: [] });
  t.deepEqual((await tenant.get('/facts')).body, { facts: [] });
});

test('200: unknown facts, and those of another tenant, are forgotten zero times', async (t) => {
  const { api } = t.context;
  const tenant = await openTenant(api, { key: 'sk-a' });
  const other = await openTenant(api, { key: 'sk-a' });
  const id = textOf(await other.add({ content: 'x', end_user_id: 'u' }), 'id');
  for (const what of [{ id }, { id: 'nonsense' }, { end_user_id: 'u' }]) {
    const answer = await tenant.post('/forget', { ...what, reason: 'r' });
    t.is(answer.status, 200);
    t.deepEqual(answer.body, { count: 0 });
  }
  t.like((await other.get('/stats')).body, { live: 1 });
});

test('400: forgetting needs a reason, and either a fact or a user', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  for (const [body, message] of [
    [{ id: AGENT }, /reason is required/],
    [{ id: AGENT, reason: ' ' }, /reason must not be empty/],
    [{ reason: 'r' }, /exactly one of id and end_user_id/],
    [{ id: AGENT, end_user_id: 'u', reason: 'r' }, /exactly one of id and end_user_id/],
    [{ id: null, end_user_id: null, reason: 'r' }, /exactly one of id and end_user_id/],
  ] as const) {
    const answer = await tenant.post('/forget', body);
    t.is(answer.status, 400);
    t.regex(answer.error, message);
  }
});

test('200: facts are read newest first, on from the last one', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  for (const content of ['a', 'b', 'c']) await tenant.add({ content });
  const read = async (query: string) =>
    (await tenant.get(`/facts${query}`)).body['facts'] as readonly JsonObject[];
  const all = await read('');
  t.deepEqual(
    all.map(({ content }) => content),
    ['c', 'b', 'a'],
  );
  t.deepEqual(await read('?limit=2'), all.slice(0, 2));
  t.deepEqual(await read('?limit=1000'), all);
  const before = textOf({ body: all[1] ?? {} }, 'created_at');
  t.deepEqual(await read(`?before=${before}`), all.slice(2));
});

test('400: a limit or an instant that is none', async (t) => {
  const tenant = await openTenant(t.context.api, { key: 'sk-a' });
  for (const query of ['limit=0', 'limit=-1', 'limit=x', 'before=yesterday']) {
    t.is((await tenant.get(`/facts?${query}`)).status, 400);
  }
});

let tenants = 0;

/** A new tenant, with a saved key if given. */
async function openTenant(api: TestApi, { key }: { readonly key?: string }) {
  const tenantId = `memory-${(tenants += 1)}`;
  await api.makeTenant(tenantId);
  const headers = { 'x-tenant-id': tenantId };
  const call = (method: string, path: string, body?: JsonObject): Promise<ApiAnswer> =>
    api.call({ method, path: `/v1/memory${path}`, headers, ...(body && { body }) });
  const post = (path: string, body: JsonObject) => call('POST', path, body);
  if (key !== undefined) await post('/settings', { provider: 'openai', api_key: key });
  return {
    call,
    post,
    get: (path: string) => call('GET', path),
    async add(body: JsonObject): Promise<ApiAnswer> {
      const added = await post('/add', body);
      if (added.status !== 200) throw new Error(`${added.status}: ${added.error}`);
      return added;
    },
  };
}
