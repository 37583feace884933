import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { readModelSettings } from '../../src/runtime/models.ts';
import { readPricesFile } from '../../src/runtime/read-prices-file.ts';
import { loadConfig } from '../../src/shared/config/load.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
const cwd = folder.path;

function settings(env: Readonly<Record<string, string>>) {
  const loaded = loadConfig({ flags: {}, env, cwd, mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join());
  return readModelSettings(loaded.config, env);
}

test('keys and addresses of providers come from the variables everybody has', (t) => {
  const { findProvider, allowedBaseUrls } = settings({
    OPENAI_API_KEY: 'sk-o',
    ANTHROPIC_BASE_URL: 'https://a.example/v1',
    GEMINI_API_KEY: 'sk-g',
    SVC_MODELS_ALLOWED_BASE_URLS: 'https://b.example/v1, http://10.0.0.7:8000',
  });
  t.deepEqual(findProvider('openai'), { apiKey: 'sk-o', baseUrl: null });
  t.deepEqual(findProvider('anthropic'), { apiKey: null, baseUrl: 'https://a.example/v1' });
  t.deepEqual(findProvider('google'), { apiKey: 'sk-g', baseUrl: null });
  t.deepEqual(findProvider('ollama'), { apiKey: null, baseUrl: null });
  t.deepEqual(allowedBaseUrls, ['https://b.example/v1', 'http://10.0.0.7:8000']);
});

test('the service’s own settings go before the variables everybody has', (t) => {
  const { findProvider } = settings({ OPENAI_API_KEY: 'other', SVC_MODELS_OPENAI_API_KEY: 'ours' });
  t.is(findProvider('openai')?.apiKey, 'ours');
});

test('a further provider exists when its address does, and our own variables are none', (t) => {
  const { findProvider } = settings({
    MY_GATEWAY_BASE_URL: 'https://g.example/v1',
    MY_GATEWAY_API_KEY: 'sk-m',
    STRIPE_API_KEY: 'sk-live',
    SVC_AUTH_API_KEY: 'operator',
    SVC_AUTH_BASE_URL: 'https://evil.example',
  });
  t.deepEqual(findProvider('my-gateway'), { apiKey: 'sk-m', baseUrl: 'https://g.example/v1' });
  t.is(findProvider('stripe'), null);
  t.is(findProvider('svc_auth'), null);
});

test('keys are masked where the configuration is shown', async (t) => {
  const env = { OPENAI_API_KEY: 'sk-do-not-print', SVC_MODELS_GOOGLE_API_KEY: 'sk-not-either' };
  const { code, stdout } = await runSvc(['config', 'show', '--origin'], { cwd, env });
  t.is(code, 0);
  t.regex(stdout, /^models\.openai\.api_key +\*\*\* +env OPENAI_API_KEY$/m);
  t.notRegex(stdout, /sk-/);
});

test('2: an invalid entry of the allowed base URLs is reported', async (t) => {
  const { code, stderr } = await runSvc(['config', 'show'], {
    cwd,
    env: { SVC_MODELS_ALLOWED_BASE_URLS: 'models.example' },
  });
  t.is(code, 2);
  t.regex(stderr, /models\.allowed_base_urls: .*expected a list of http/);
});

test('prices are read from TOML and from JSON', (t) => {
  const price = { input: 1, output: 2 };
  const toml = join(cwd, 'prices.toml');
  writeFileSync(toml, '["openai/mine"]\ninput = 1\noutput = 2.0\n');
  t.deepEqual(readPricesFile(toml), { 'openai/mine': price });
  const json = join(cwd, 'prices.json');
  writeFileSync(json, JSON.stringify({ 'openai/mine': price }));
  t.deepEqual(readPricesFile(json), { 'openai/mine': price });
});

for (const [text, message] of [
  ['input = 1', /models\.prices_file: .*input: expected provider\/model/],
  ['["openai/mine', /models\.prices_file: /],
  [null, /models\.prices_file: .*ENOENT/],
] as const) {
  test(`${text ?? 'no file'}: a table of prices that cannot be read says which it is`, (t) => {
    const path = join(cwd, `bad-${String(text).length}.toml`);
    if (text !== null) writeFileSync(path, text);
    t.throws(() => readPricesFile(path), { message });
  });
}
