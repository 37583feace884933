import anyTest, { type TestFn } from 'ava';

import { createOpenAiEmbedder } from '../../../src/shared/clients/openai-embedder.ts';
import type { Embedder } from '../../../src/shared/ports/embedder.ts';
import {
  embed,
  PROVIDER_WORDS,
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../../support/servers/embedding-provider.ts';
import { freePort } from '../../support/servers/ports.ts';

const test = anyTest as TestFn<{
  provider: EmbeddingProvider;
  embedder: Embedder & { close(): Promise<void> };
}>;

test.before(async (t) => {
  const provider = await startEmbeddingProvider();
  const embedder = createOpenAiEmbedder({
    baseUrl: `${provider.url}/`,
    firstPauseMs: 1,
    random: () => 0.5,
  });
  t.context = { provider, embedder };
});

test.after.always(async (t) => {
  await t.context.embedder.close();
  await t.context.provider.close();
});

test('a text is embedded with the key and the one model there is', async (t) => {
  const { provider, embedder } = t.context;
  const embedding = await embedder.embed({ apiKey: 'sk-good', text: 'green tea' });
  t.deepEqual(embedding, { ok: true, values: embed('green tea') });
  const [request] = provider.requests.filter(({ key }) => key === 'sk-good');
  t.deepEqual(request, {
    path: '/v1/embeddings',
    key: 'sk-good',
    model: 'text-embedding-3-small',
    input: 'green tea',
  });
});

for (const [key, times, expected] of [
  ['sk-invalid', 1, { ok: false, reason: 'key_invalid' }],
  ['sk-forbidden', 1, { ok: false, reason: 'key_invalid' }],
  ['sk-limited', 1, { ok: false, reason: 'rate_limited', retryAfterSeconds: 7 }],
  ['sk-refused', 1, { ok: false, reason: 'text_refused' }],
  ['sk-moved', 1, unavailable('answered with status 307')],
  ['sk-broken', 4, unavailable('answered with status 500')],
  ['sk-short', 1, unavailable('gave an answer that is no embedding')],
  ['sk-words', 1, unavailable('gave an answer that is no embedding')],
  ['sk-html', 1, unavailable('gave an answer that is no embedding')],
  ['sk-endless', 1, unavailable('gave an answer that is no embedding')],
] as const) {
  test(`${key}: ${expected.reason} after ${times} requests, without the provider’s words`, async (t) => {
    const { provider, embedder } = t.context;
    const embedding = await embedder.embed({ apiKey: key, text: 'x' });
    t.deepEqual(embedding, expected);
    t.is(provider.timesOf(key), times);
    t.false(JSON.stringify(embedding).includes(PROVIDER_WORDS));
  });
}

test('a temporary failure is tried again', async (t) => {
  const { provider, embedder } = t.context;
  t.true((await embedder.embed({ apiKey: 'sk-flaky', text: 'x' })).ok);
  t.is(provider.timesOf('sk-flaky'), 3);
  t.true((await embedder.embed({ apiKey: 'sk-reset', text: 'x' })).ok);
  t.is(provider.timesOf('sk-reset'), 2);
});

test('a provider that says nothing is given up at the time limit', async (t) => {
  const { provider } = t.context;
  const embedder = createOpenAiEmbedder({
    baseUrl: provider.url,
    timeLimitMs: 100,
    random: () => 0.5,
  });
  const embedding = await embedder.embed({ apiKey: 'sk-silent', text: 'x' });
  t.deepEqual(embedding, unavailable('did not answer in time'));
  await embedder.close();
});

test('an unknown provider cannot be reached', async (t) => {
  const embedder = createOpenAiEmbedder({
    baseUrl: `http://127.0.0.1:${await freePort()}`,
    firstPauseMs: 1,
    random: () => 0.5,
  });
  const embedding = await embedder.embed({ apiKey: 'sk-good', text: 'x' });
  t.deepEqual(embedding, unavailable('cannot be reached'));
  await embedder.close();
});

test('a key that cannot stand in a header is never sent', async (t) => {
  const { provider, embedder } = t.context;
  for (const apiKey of ['', 'sk a', 'sk\r\nX: y', 'sk-ü']) {
    t.deepEqual(await embedder.embed({ apiKey, text: 'x' }), { ok: false, reason: 'key_invalid' });
  }
  t.is(provider.requests.filter(({ key }) => key === '').length, 0);
});

function unavailable(detail: string) {
  return { ok: false, reason: 'unavailable', detail } as const;
}
