import anyTest, { type TestFn } from 'ava';

import {
  startFakeModelProvider,
  type FakeModelProvider,
} from '../../../support/servers/fake-model-provider.ts';
import { answered, failed, MODEL_KEY, openModelClient } from './open-client.ts';

const test = anyTest as TestFn<{
  provider: FakeModelProvider;
  models: ReturnType<typeof openModelClient>;
}>;

const WEATHER = {
  name: 'weather',
  description: 'The weather at a place.',
  inputSchema: {
    type: 'object',
    properties: { place: { type: 'string' } },
    required: ['place'],
    additionalProperties: false,
  },
} as const;
const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const;
const PROVIDERS = ['openai', 'anthropic', 'google', 'ollama'] as const;

test.before(async (t) => {
  const provider = await startFakeModelProvider();
  t.context = { provider, models: openModelClient({ baseUrls: provider.baseUrls }) };
});

test.after.always(async (t) => {
  await t.context.models.close();
  await t.context.provider.close();
});

for (const provider of PROVIDERS) {
  const model = (of: string) => `${of}-${provider}`;

  test(`${provider}: a question is answered, with usage and the reason it ended`, async (t) => {
    const { models, provider: fake } = t.context;
    const answer = answered(
      await models.call({
        provider,
        model: model('plain'),
        system: 'You are terse.',
        temperature: 0.5,
        maxTokens: 100,
        idempotencyKey: 'key-1',
      }),
    );
    t.is(answer.text, `Hello from ${model('plain')}`);
    t.is(answer.finishReason, 'stop');
    t.deepEqual(answer.usage, { inputTokens: 11, outputTokens: 7, costUsd: null });
    t.is(answer.object, null);
    t.true(answer.model.startsWith(model('plain')));
    const [request] = fake.requestsFor(model('plain'));
    const headers = request?.headers ?? {};
    t.is(
      headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization,
      provider === 'openai' || provider === 'ollama' ? `Bearer ${MODEL_KEY}` : MODEL_KEY,
    );
    t.is(headers['idempotency-key'], provider === 'google' ? undefined : 'key-1');
    t.is(headers['user-agent'], 'svc');
    const sent = JSON.stringify(request?.body);
    t.true(sent.includes('You are terse.') && sent.includes('Say hello.') && sent.includes('0.5'));
    t.true(/"(max_tokens|max_completion_tokens|maxOutputTokens)":100/.test(sent));
  });

  test(`${provider}: tools are offered, and the calls it asks for come back`, async (t) => {
    const { models, provider: fake } = t.context;
    const input = '{"place":"Riga"}';
    fake.answer(model('tools'), { toolCalls: [{ id: 'call_1', name: 'weather', input }] });
    const answer = answered(
      await models.call({
        provider,
        model: model('tools'),
        tools: [WEATHER],
        messages: [
          { role: 'user', text: 'How is the weather?' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [{ id: 'call_0', name: 'weather', arguments: { place: 'Oslo' } }],
          },
          { role: 'tool', toolCallId: 'call_0', name: 'weather', result: { celsius: 3 } },
        ],
      }),
    );
    t.is(answer.finishReason, 'tool_calls');
    const [call] = answer.toolCalls;
    t.deepEqual(call && { name: call.name, arguments: call.arguments }, {
      name: 'weather',
      arguments: { place: 'Riga' },
    });
    t.not(call?.id, '');
    const sent = JSON.stringify(fake.requestsFor(model('tools'))[0]?.body);
    for (const part of ['The weather at a place.', 'Oslo', 'celsius']) t.true(sent.includes(part));
  });

  test(`${provider}: an answer by a schema comes as a value`, async (t) => {
    const { models, provider: fake } = t.context;
    fake.answer(model('person'), (request) => {
      // Anthropic's older models must answer through a tool of that name.
      const isTool = JSON.stringify(request.body).includes('"name":"json"');
      const text = '{"name":"Ada","age":36}';
      return isTool ? { toolCalls: [{ id: 't', name: 'json', input: text }] } : { text };
    });
    const answer = answered(
      await models.call({ provider, model: model('person'), schema: PERSON }),
    );
    t.deepEqual(answer.object, { name: 'Ada', age: 36 });
    t.deepEqual(answer.toolCalls, []);
  });

  test(`${provider}: an answer that is streamed comes in pieces, then whole, with usage`, async (t) => {
    const { models, provider: fake } = t.context;
    const text = 'The quick brown fox jumps over the lazy dog.';
    fake.answer(model('stream'), { text, inputTokens: 21, outputTokens: 9 });
    const pieces: string[] = [];
    const answer = answered(
      await models.call({
        provider,
        model: model('stream'),
        onText: async (piece) => void pieces.push(piece),
      }),
    );
    t.true(pieces.length > 3);
    t.is(pieces.join(''), text);
    t.is(answer.text, text);
    t.is(answer.finishReason, 'stop');
    t.deepEqual(answer.usage, { inputTokens: 21, outputTokens: 9, costUsd: null });
    t.true(fake.requestsFor(model('stream'))[0]?.isStreamed);
  });

  test(`${provider}: tool calls come in a stream too`, async (t) => {
    const { models, provider: fake } = t.context;
    const input = '{"place":"Riga"}';
    fake.answer(model('stream-tools'), { toolCalls: [{ id: 'call_1', name: 'weather', input }] });
    const answer = answered(
      await models.call({
        provider,
        model: model('stream-tools'),
        tools: [WEATHER],
        onText: async () => undefined,
      }),
    );
    t.deepEqual(answer.toolCalls[0]?.arguments, { place: 'Riga' });
  });
}

test('openai: a schema that it takes as a strict one is sent as such, any other is not', async (t) => {
  const { models, provider } = t.context;
  const loose = { type: 'object', properties: { name: { type: 'string' } } };
  provider.answer('strict', { text: '{"name":"Ada","age":36}' });
  for (const schema of [PERSON, loose]) await models.call({ model: 'strict', schema });
  const formats = provider.requestsFor('strict').map(({ body }) => body['response_format']);
  t.like(formats[0], { json_schema: { strict: true } });
  t.like(formats[1], { json_schema: { strict: false } });
});

test('openai and others: the most tokens are asked for by the name each of them takes', async (t) => {
  const { models, provider } = t.context;
  await models.call({ model: 'most-a', maxTokens: 5 });
  await models.call({ provider: 'ollama', model: 'most-b', maxTokens: 5 });
  t.is(provider.requestsFor('most-a')[0]?.body['max_completion_tokens'], 5);
  t.is(provider.requestsFor('most-b')[0]?.body['max_tokens'], 5);
});

test('known costs are counted in dollars', async (t) => {
  const { models, provider } = t.context;
  provider.answer('gpt-4o-mini', { text: 'x', inputTokens: 1_000_000, outputTokens: 500_000 });
  const answer = answered(await models.call({ model: 'gpt-4o-mini' }));
  t.is(answer.usage.costUsd, 0.45);
});

for (const [name, text] of [
  ['no JSON', 'Certainly! Here is Ada.'],
  ['of another shape', '{"name":"Ada"}'],
  ['with a number too large to keep', '{"name":"Ada","age":9007199254740993}'],
  ['with text no store keeps', '{"name":"A\\u0000da","age":36}'],
  ['with a key that reaches a prototype', '{"name":"Ada","age":36,"__proto__":{}}'],
] as const) {
  test(`an answer that is ${name} fails as invalid, and has cost its tokens`, async (t) => {
    const { models, provider } = t.context;
    const model = `schema-${name.replaceAll(' ', '-')}`;
    provider.answer(model, { text });
    const failure = failed(await models.call({ model, schema: PERSON }));
    t.is(failure.errorClass, 'invalid_response');
    t.false(failure.final);
    t.is(failure.usage?.outputTokens, 7);
    t.false(failure.error.includes('Ada'));
  });
}

test('JSON between fences is taken', async (t) => {
  const { models, provider } = t.context;
  provider.answer('fenced', { text: '```json\n{"name":"Ada","age":36}\n```' });
  const answer = answered(await models.call({ model: 'fenced', schema: PERSON }));
  t.deepEqual(answer.object, { name: 'Ada', age: 36 });
});

test('text is kept without what the stores cannot hold', async (t) => {
  const { models, provider } = t.context;
  provider.answer('odd', { text: 'a\u0000b\ud800c' });
  t.is(answered(await models.call({ model: 'odd' })).text, 'ab\ufffdc');
});

for (const [name, call] of [
  ['a tool that was not offered', { name: 'delete_all', input: '{}' }],
  ['arguments that are no object', { name: 'weather', input: '[1]' }],
  ['arguments that are no JSON', { name: 'weather', input: '{"place":' }],
] as const) {
  test(`a call with ${name} is not passed on`, async (t) => {
    const { models, provider } = t.context;
    const model = `calls-${name.replaceAll(' ', '-')}`;
    provider.answer(model, { toolCalls: [{ id: 'c', ...call }] });
    const failure = failed(await models.call({ model, tools: [WEATHER] }));
    t.is(failure.errorClass, 'invalid_response');
    t.false(failure.error.includes('delete_all'));
  });
}

test('an answer that a filter withheld fails permanently', async (t) => {
  const { models, provider } = t.context;
  provider.answer('filtered', { text: 'I', finishReason: 'content_filter' });
  for (const name of PROVIDERS) {
    const failure = failed(await models.call({ provider: name, model: 'filtered' }));
    t.is(failure.errorClass, 'content_filter');
    t.true(failure.final);
  }
});

test('an answer that was cut off says so', async (t) => {
  const { models, provider } = t.context;
  provider.answer('cut', { text: 'half a sen', finishReason: 'length' });
  t.is(answered(await models.call({ model: 'cut' })).finishReason, 'length');
  const failure = failed(await models.call({ model: 'cut', schema: PERSON }));
  t.regex(failure.error, /cut off at max_tokens/);
});

test('an error that the handler of text throws comes out, and ends the call', async (t) => {
  const { models, provider } = t.context;
  provider.answer('handler', { text: 'one two three four' });
  const lost = new Error('the lease is lost');
  const call = models.call({ model: 'handler', onText: () => Promise.reject(lost) });
  t.is(await t.throwsAsync(call), lost);
});

test('a call that nobody waits for any more ends with the reason', async (t) => {
  const { models, provider } = t.context;
  const giveUp = new AbortController();
  provider.answer('given-up', { take: () => giveUp.abort(new Error('shutting down')) });
  const call = models.call({ model: 'given-up', signal: giveUp.signal });
  await t.throwsAsync(call, { message: 'shutting down' });
});
