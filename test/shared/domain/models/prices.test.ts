import test from 'ava';

import { costOf, findPrice } from '../../../../src/shared/domain/models/price.ts';
import { LIST_PRICES, PRICES_AS_OF } from '../../../../src/shared/domain/models/prices.ts';
import { readPrices } from '../../../../src/shared/domain/models/read-prices.ts';

const counts = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };
const MILLION = 1_000_000;

test('a name with a date or "latest" is priced like the name without', (t) => {
  const price = LIST_PRICES['openai/gpt-5-mini'];
  for (const model of ['gpt-5-mini', 'gpt-5-mini-2025-08-07', 'gpt-5-mini-latest']) {
    t.is(findPrice(LIST_PRICES, { provider: 'openai', model }), price ?? null);
  }
  const sonnet = { provider: 'anthropic', model: 'claude-sonnet-4-20250514' };
  t.is(findPrice(LIST_PRICES, sonnet)?.input, 3);
});

test('a name that only begins alike, or belongs to another provider, has no price', (t) => {
  for (const [provider, model] of [
    ['openai', 'gpt-5-mini-turbo'],
    ['openai', 'gpt-99'],
    ['acme', 'gpt-5-mini'],
    ['openai', '__proto__'],
  ] as const) {
    t.is(findPrice(LIST_PRICES, { provider, model }), null);
  }
});

test('a row for all models of a provider holds where none is named', (t) => {
  const free = { input: 0, output: 0 };
  const table = { 'ollama/*': free, 'ollama/big': { input: 1, output: 1 } };
  t.is(findPrice(table, { provider: 'ollama', model: 'llama' }), free);
  t.is(findPrice(table, { provider: 'ollama', model: 'big' })?.input, 1);
});

test('each kind of token has its price', (t) => {
  const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };
  t.is(costOf(price, { ...counts, input: MILLION, output: MILLION }), 18);
  const cached = { input: MILLION, output: 0, cachedInput: 600_000, cacheWrite: 200_000 };
  t.is(costOf(price, cached), 0.6 + 0.18 + 0.75);
  t.is(costOf({ input: 2, output: 0 }, cached), 2);
  t.is(costOf(price, { ...counts, input: 1 }), 0.000003);
});

test('a long input is priced as one, all of it', (t) => {
  const price = LIST_PRICES['google/gemini-2.5-pro'];
  if (price === undefined) return t.fail();
  t.is(costOf(price, { ...counts, input: 200_000 }), 0.25);
  t.is(costOf(price, { ...counts, input: 400_000 }), 1);
});

test('the table is dated, and in dollars for a million tokens', (t) => {
  t.regex(PRICES_AS_OF, /^\d{4}-\d{2}-\d{2}$/);
  for (const { input, output, cachedInput = 0 } of Object.values(LIST_PRICES)) {
    t.true(input > 0.01 && output >= input && output < 1000 && cachedInput < input);
  }
});

test('an operator’s table is read', (t) => {
  const row = { input: 1, output: 2, cached_input: 0.5, cache_write: 0 };
  const read = readPrices({ 'openai/gpt-9': row, 'ollama/*': { input: 0, output: 0 } });
  t.deepEqual(read, {
    ok: true,
    prices: {
      'openai/gpt-9': { input: 1, output: 2, cachedInput: 0.5, cacheWrite: 0 },
      'ollama/*': { input: 0, output: 0 },
    },
  });
});

for (const [document, problem] of [
  [[], 'expected a table of prices'],
  [{ gpt: { input: 1, output: 1 } }, 'gpt: expected provider/model'],
  [{ 'a/b': 3 }, /^a\/b: expected input and output/],
  [{ 'a/b': { input: 1 } }, /^a\/b: expected input and output/],
  [{ 'a/b': { input: -1, output: 1 } }, /^a\/b: expected/],
  [{ 'a/b': { input: '1', output: 1 } }, /^a\/b: expected/],
  [{ 'a/b': { input: 1, output: 1, tax: 1 } }, /^a\/b: unknown key tax/],
] as const) {
  test(`${JSON.stringify(document)} is no table of prices`, (t) => {
    const read = readPrices(document);
    if (read.ok) return t.fail();
    if (typeof problem === 'string') t.is(read.problem, problem);
    else t.regex(read.problem, problem);
  });
}
