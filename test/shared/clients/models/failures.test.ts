import { inspect } from 'node:util';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { ServerResponse } from 'node:http';

import type { ModelFailure } from '../../../../src/shared/ports/models.ts';
import {
  MODEL_PROVIDER_WORDS,
  startFakeModelProvider,
  type FakeModelProvider,
  type FakeReply,
} from '../../../support/servers/fake-model-provider.ts';
import { renderAnswer } from '../../../support/servers/model-protocols.ts';
import { freePort } from '../../../support/servers/ports.ts';
import { failed, MODEL_KEY, openModelClient } from './open-client.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

const test = anyTest as TestFn<{
  provider: FakeModelProvider;
  models: ReturnType<typeof openModelClient>;
}>;

test.before(async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: provider.baseUrls, now: () => NOW });
  t.context = { provider, models };
});

test.after.always(async (t) => {
  await t.context.models.close();
  await t.context.provider.close();
});

const limited = (headers: Readonly<Record<string, string>>, error = {}): FakeReply => ({
  status: 429,
  headers,
  error,
});
const json = (body: string, type = 'application/json') => ({
  take: (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  },
});

const ANSWER = JSON.stringify(renderAnswer('openai', 'm', { text: 'Hello' }));

type Expected = readonly [
  name: string,
  reply: FakeReply,
  errorClass: ModelFailure['errorClass'],
  more?: { readonly final?: boolean; readonly retryAfterMs?: number },
];

const CASES: readonly Expected[] = [
  ['401', { status: 401 }, 'unauthorized', { final: true }],
  ['403', { status: 403 }, 'unauthorized', { final: true }],
  ['429', { status: 429 }, 'rate_limited'],
  ['429 with seconds', limited({ 'retry-after': '7' }), 'rate_limited', { retryAfterMs: 7000 }],
  [
    '429 with a date',
    limited({ 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' }),
    'rate_limited',
    { retryAfterMs: 30_000 },
  ],
  [
    '429 with milliseconds',
    limited({ 'retry-after-ms': '1500', 'retry-after': '2' }),
    'rate_limited',
    { retryAfterMs: 1500 },
  ],
  [
    '429 with a limit of its own that is used up',
    limited({
      'x-ratelimit-remaining-requests': '4',
      'x-ratelimit-reset-requests': '9m',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m2.5s',
    }),
    'rate_limited',
    { retryAfterMs: 62_500 },
  ],
  [
    '429 with an instant as Anthropic tells it',
    limited({
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-21T10:00:12Z',
    }),
    'rate_limited',
    { retryAfterMs: 12_000 },
  ],
  [
    '429 with a delay as Google tells it',
    limited({}, { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '34s' }] }),
    'rate_limited',
    { retryAfterMs: 34_000 },
  ],
  [
    '429 for a day',
    limited({ 'retry-after': '86400' }),
    'rate_limited',
    { retryAfterMs: 3_600_000 },
  ],
  ['429 at once', limited({ 'retry-after': '0' }), 'rate_limited', { retryAfterMs: 1000 }],
  [
    '429 with a date that is over',
    limited({ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }),
    'rate_limited',
    { retryAfterMs: 1000 },
  ],
  [
    '429 with two limits that are used up',
    limited({
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '3s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '20s',
    }),
    'rate_limited',
    { retryAfterMs: 20_000 },
  ],
  ['429 with nonsense', limited({ 'retry-after': 'soon' }), 'rate_limited'],
  [
    '429 without quota',
    limited({ 'retry-after': '7' }, { code: 'insufficient_quota' }),
    'rate_limited',
    { final: true },
  ],
  ['400', { status: 400 }, 'http_4xx', { final: true }],
  [
    '400 for the prompt',
    { status: 400, error: { code: 'content_filter' } },
    'content_filter',
    { final: true },
  ],
  ['404', { status: 404, error: { code: 'model_not_found' } }, 'http_4xx', { final: true }],
  ['408', { status: 408 }, 'timeout'],
  ['409', { status: 409 }, 'http_4xx'],
  ['422', { status: 422 }, 'http_4xx', { final: true }],
  ['500', { status: 500 }, 'http_5xx'],
  ['529', { status: 529, error: { type: 'overloaded_error' } }, 'http_5xx'],
  [
    'redirect',
    { status: 307, headers: { location: '/elsewhere' } },
    'refused_address',
    { final: true },
  ],
  ['garbage', json('{"choices":'), 'invalid_response'],
  ['other JSON', json('{"hello":"world"}'), 'invalid_response'],
  ['no choices', json('{"id":"1","choices":[]}'), 'invalid_response'],
  ['an answer called text', json(ANSWER, 'text/plain'), 'invalid_response'],
  ['HTML', json('<html></html>', 'text/html'), 'invalid_response'],
  ['an empty body', json(''), 'invalid_response'],
  ['a broken connection', { take: (response) => void response.destroy() }, 'unreachable'],
];

for (const [name, reply, errorClass, { final = false, retryAfterMs } = {}] of CASES) {
  for (const way of ['whole', 'streamed'] as const) {
    test(`${name}, ${way}: ${errorClass}, after one request, in our words`, async (t) => {
      const { models, provider } = t.context;
      const model = `${name}-${way}`.replaceAll(/\W+/g, '-');
      provider.answer(model, reply);
      const onText = way === 'streamed' ? async () => undefined : null;
      const failure = failed(await models.call({ model, onText }));
      t.like(failure, { errorClass, final });
      t.is(failure.retryAfterMs, retryAfterMs);
      t.is(provider.requestsFor(model).length, 1);
      tellsNothing(t, failure);
    });
  }
}

test('a known code explains the error, and distinguishes a missing model from a wrong address', async (t) => {
  const { models, provider } = t.context;
  provider.answer('unknown', { status: 404, error: { code: 'model_not_found' } });
  t.is(
    failed(await models.call({ model: 'unknown' })).error,
    'provider openai answered 404: no such model',
  );
});

test('a provider that says nothing is given up in time', async (t) => {
  const { models, provider } = t.context;
  provider.answer('silent', { take: () => undefined });
  const failure = failed(await models.call({ model: 'silent', timeoutMs: 200 }));
  t.is(failure.errorClass, 'timeout');
});

test('a stream without an end is given up in time, or when nobody wants it', async (t) => {
  const { models, provider } = t.context;
  const closed = Promise.withResolvers<void>();
  provider.answer('endless', {
    take(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.on('close', closed.resolve);
      const chunk = { id: '1', choices: [{ index: 0, delta: { content: 'more ' } }] };
      const more = (): void => {
        if (response.closed) return;
        response.write(`data: ${JSON.stringify(chunk)}\n\n`, () => setImmediate(more));
      };
      more();
    },
  });
  const late = models.call({ model: 'endless', timeoutMs: 300, onText: async () => undefined });
  t.is(failed(await late).errorClass, 'timeout');
  const giveUp = new AbortController();
  const unwanted = models.call({
    model: 'endless',
    signal: giveUp.signal,
    onText: async () => giveUp.abort(new Error('enough')),
  });
  await t.throwsAsync(unwanted, { message: 'enough' });
  await closed.promise;
});

test('a huge answer is read no further than its bound', async (t) => {
  const { models, provider } = t.context;
  provider.answer('huge', { text: 'x'.repeat(9 * 1024 * 1024) });
  const failure = failed(await models.call({ model: 'huge' }));
  t.is(failure.errorClass, 'too_large');
  provider.answer('huge-stream', {
    take(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const content = 'x'.repeat(1024 * 1024);
      const chunk = { id: '1', choices: [{ index: 0, delta: { content } }] };
      response.end(`data: ${JSON.stringify(chunk)}\n\n`.repeat(10));
    },
  });
  const onText = async () => undefined;
  t.is(failed(await models.call({ model: 'huge-stream', onText })).errorClass, 'too_large');
});

for (const [name, events, errorClass] of [
  [
    'ends without a reason',
    [{ choices: [{ index: 0, delta: { content: 'hal' } }] }],
    'invalid_response',
  ],
  ['holds an error', [{ error: { message: `${MODEL_PROVIDER_WORDS} x` } }], 'http_5xx'],
  ['holds no JSON', ['{"choices":'], 'invalid_response'],
] as const) {
  test(`a stream that ${name} fails as ${errorClass}`, async (t) => {
    const { models, provider } = t.context;
    const model = `stream-${name.replaceAll(' ', '-')}`;
    const texts = events.map((event) =>
      typeof event === 'string' ? event : JSON.stringify(event),
    );
    const body = texts.map((text) => `data: ${text}\n\n`).join('');
    provider.answer(model, json(body, 'text/event-stream'));
    const failure = failed(await models.call({ model, onText: async () => undefined }));
    t.is(failure.errorClass, errorClass);
    tellsNothing(t, failure);
  });
}

test('an unknown provider cannot be reached', async (t) => {
  const nowhere = openModelClient({
    baseUrls: { openai: `http://127.0.0.1:${await freePort()}/v1` },
  });
  t.teardown(() => nowhere.close());
  t.is(failed(await nowhere.call({ model: 'x' })).errorClass, 'unreachable');
});

test('keys, prompts and what the provider wrote are in no failure, however it is looked at', async (t) => {
  const { models, provider } = t.context;
  provider.answer('secret', { status: 400 });
  const failure = await models.call({
    model: 'secret',
    messages: [{ role: 'user', text: 'my secret prompt' }],
  });
  tellsNothing(t, failure);
  t.false(inspect(failure, { depth: null, showHidden: true }).includes('my secret prompt'));
});

function tellsNothing(t: ExecutionContext, failure: unknown): void {
  const shown = inspect(failure, { depth: null, showHidden: true });
  for (const words of [MODEL_KEY, MODEL_PROVIDER_WORDS]) {
    t.false(shown.includes(words));
  }
}
