import test from 'ava';

import { startFakeModelProvider } from '../../../support/servers/fake-model-provider.ts';
import { startHttpServer } from '../../../support/servers/http-server.ts';
import { answered, failed, MODEL_KEY, openModelClient } from './open-client.ts';
import { findAccess } from '../../../../src/shared/clients/models/provider-access.ts';

const settings = {
  findProvider: (name: string) =>
    name === 'openai'
      ? { apiKey: 'sk-openai', baseUrl: 'https://gateway.example/openai/v1/' }
      : name === 'acme'
        ? { apiKey: 'sk-acme', baseUrl: 'https://models.acme.example/v1' }
        : { apiKey: `sk-${name}`, baseUrl: null },
  allowedBaseUrls: ['https://eu.example/models'],
};

for (const [provider, baseUrl, goesTo, apiKey] of [
  ['openai', null, 'https://gateway.example/openai/v1', 'sk-openai'],
  ['OpenAI', null, 'https://gateway.example/openai/v1', 'sk-openai'],
  ['anthropic', null, 'https://api.anthropic.com/v1', 'sk-anthropic'],
  ['gemini', null, 'https://generativelanguage.googleapis.com/v1beta', 'sk-google'],
  ['acme', null, 'https://models.acme.example/v1', 'sk-acme'],
  ['openai', 'https://eu.example/models', 'https://eu.example/models', 'sk-openai'],
  ['openai', 'https://eu.example/models/v1', 'https://eu.example/models/v1', 'sk-openai'],
  // A gateway's other paths may belong to others.
  ['openai', 'https://eu.example/modelsX', 'https://eu.example/modelsX', null],
  ['openai', 'https://eu.example/', 'https://eu.example', null],
  ['openai', 'https://gateway.example/evil/v1', 'https://gateway.example/evil/v1', null],
  ['openai', 'https://eu.example/models/../evil', 'https://eu.example/models/../evil', null],
  [
    'openai',
    'https://eu.example/models/%2e%2e/evil',
    'https://eu.example/models/%2e%2e/evil',
    null,
  ],
  ['openai', 'https://eu.example/models/..%2fevil', 'https://eu.example/models/..%2fevil', null],
  ['openai', 'https://eu.example:8443/models', 'https://eu.example:8443/models', null],
  ['openai', 'http://eu.example/models', 'http://eu.example/models', null],
  [
    'openai',
    'https://eu.example.evil.example/models',
    'https://eu.example.evil.example/models',
    null,
  ],
  // The name of an inherited member is an ordinary name.
  ['constructor', 'https://evil.example', 'https://evil.example', null],
  // The operator has configured no such provider: a name alone must not read an environment
  // variable.
  ['svc_auth', 'https://eu.example/models', 'https://eu.example/models', null],
] as const) {
  test(`${provider} at ${baseUrl ?? 'no address of its own'} ${apiKey === null ? 'gets no key' : 'gets its key'}`, (t) => {
    const access = findAccess({ provider, baseUrl }, settings);
    t.is(access.baseUrl, goesTo);
    t.is(access.apiKey, apiKey);
    t.is(access.isTrusted, apiKey !== null || provider === 'svc_auth');
  });
}

test('a missing setting is refused, with its name', (t) => {
  const none = { findProvider: () => null, allowedBaseUrls: [] };
  for (const [provider, message] of [
    ['openai', /OPENAI_API_KEY/],
    ['google', /GOOGLE_API_KEY/],
    ['ollama', /OLLAMA_BASE_URL/],
    ['my-gateway', /MY_GATEWAY_BASE_URL/],
  ] as const) {
    t.throws(() => findAccess({ provider, baseUrl: null }, none), { message });
  }
});

test('a provider that the operator put somewhere may need no key', (t) => {
  const keyless = {
    findProvider: () => ({ apiKey: null, baseUrl: 'http://localhost:11434' }),
    allowedBaseUrls: [],
  };
  const access = findAccess({ provider: 'ollama', baseUrl: null }, keyless);
  t.like(access, { baseUrl: 'http://localhost:11434/v1', apiKey: null, isTrusted: true });
  t.is(findAccess({ provider: 'openai', baseUrl: null }, keyless).apiKey, null);
});

test('a key that cannot stand in a header is not shown in what it breaks', (t) => {
  const broken = {
    findProvider: () => ({ apiKey: 'sk\r\nX: y', baseUrl: null }),
    allowedBaseUrls: [],
  };
  const error = t.throws(() => findAccess({ provider: 'openai', baseUrl: null }, broken));
  t.false(error.message.includes('X: y'));
});

test('an address of a workflow is called without the key, and private ones are not called', async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: { openai: 'https://api.example/v1' } });
  t.teardown(async () => {
    await models.close();
    await provider.close();
  });
  for (const baseUrl of [
    provider.baseUrls.openai,
    'http://localhost:9/v1',
    'http://169.254.169.254/latest',
    'http://[::ffff:127.0.0.1]:9/v1',
  ]) {
    const failure = failed(await models.call({ model: 'x', baseUrl }));
    t.like(failure, { errorClass: 'refused_address', final: true });
  }
  t.is(provider.requests.length, 0);
});

test('an address that the operator allowed may be private, and gets the key', async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({
    baseUrls: { openai: 'https://api.example/v1' },
    allowedBaseUrls: [provider.baseUrls.openai],
  });
  t.teardown(async () => {
    await models.close();
    await provider.close();
  });
  answered(await models.call({ model: 'x', baseUrl: provider.baseUrls.openai }));
  t.is(provider.requests[0]?.headers.authorization, `Bearer ${MODEL_KEY}`);
});

for (const model of [
  '../../evil/x',
  'a/../../../evil',
  'x?y=',
  'x#',
  'a%2f..',
  'a b',
  '/x',
  '.',
  '',
]) {
  test(`google is not asked for model "${model}", whose name leads elsewhere`, async (t) => {
    const provider = await startFakeModelProvider();
    const models = openModelClient({ baseUrls: provider.baseUrls });
    t.teardown(async () => {
      await models.close();
      await provider.close();
    });
    const failure = failed(await models.call({ provider: 'google', model }));
    t.like(failure, { errorClass: 'invalid_input', final: true });
    t.is(provider.requests.length, 0);
  });
}

test('names as providers give them are taken', async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: provider.baseUrls });
  t.teardown(async () => {
    await models.close();
    await provider.close();
  });
  for (const model of ['hf.co/org/model:Q4_K_M', 'ft:gpt-4o:org::id', 'claude-sonnet-4@20250514']) {
    answered(await models.call({ model }));
  }
  answered(await models.call({ provider: 'google', model: 'tunedModels/mine-1' }));
  t.is(provider.requests.at(-1)?.path, '/google/v1beta/tunedModels/mine-1:generateContent');
});

test('no client takes a key from the environment on its own', async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: provider.baseUrls, apiKey: null });
  t.teardown(async () => {
    await models.close();
    await provider.close();
  });
  for (const name of ['openai', 'anthropic', 'google', 'ollama']) {
    answered(await models.call({ provider: name, model: `none-${name}` }));
  }
  t.is(provider.requests.length, 4);
  for (const { headers } of provider.requests) {
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key'])
      t.is(headers[name], undefined);
  }
});

test('a provider that asks for a missing key gets the reason why there is none', async (t) => {
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: provider.baseUrls, apiKey: null });
  t.teardown(async () => {
    await models.close();
    await provider.close();
  });
  provider.answer('guarded', { status: 401 });
  const failure = failed(await models.call({ model: 'guarded' }));
  t.regex(failure.error, /OPENAI_API_KEY is not set/);
});

test('a redirect is followed nowhere, so the key stays where it was sent', async (t) => {
  const elsewhere = await startHttpServer((_, response) => void response.end('{}'));
  const provider = await startFakeModelProvider();
  const models = openModelClient({ baseUrls: provider.baseUrls });
  t.teardown(async () => {
    await models.close();
    await provider.close();
    await elsewhere.close();
  });
  const headers = { location: `${elsewhere.url}/v1/chat/completions` };
  provider.answer('moved', { status: 308, headers });
  const failure = failed(await models.call({ model: 'moved' }));
  t.like(failure, { errorClass: 'refused_address', final: true });
  t.is(elsewhere.requests.length, 0);
});

for (const baseUrl of [
  'https://u:p@a.example/v1',
  'https://a.example/v1?x=',
  'file:///etc',
  'a/b',
]) {
  test(`${baseUrl} is no base URL`, async (t) => {
    const models = openModelClient({ baseUrls: {} });
    t.teardown(() => models.close());
    const failure = failed(await models.call({ model: 'x', baseUrl }));
    t.like(failure, { errorClass: 'invalid_input', final: true });
  });
}
