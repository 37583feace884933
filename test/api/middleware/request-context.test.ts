import anyTest, { type TestFn } from 'ava';

import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('a usable X-Request-Id is returned', async (t) => {
  for (const id of ['a', 'req-1/2:3', 'x'.repeat(128)]) {
    const answer = await t.context.api.call({ path: '/health', headers: { 'x-request-id': id } });
    t.is(answer.headers.get('x-request-id'), id);
  }
});

test('any other is replaced', async (t) => {
  for (const id of ['', 'two words', 'x'.repeat(129), 'é']) {
    const answer = await t.context.api.call({ path: '/health', headers: { 'x-request-id': id } });
    t.regex(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }
});

test('errors carry the id too', async (t) => {
  const headers = { 'x-request-id': 'mine' };
  const answer = await t.context.api.call({ path: '/nothing', headers });
  t.is(answer.headers.get('x-request-id'), 'mine');
});

test('no answer may be cached or taken for another type', async (t) => {
  for (const path of ['/health', '/nothing']) {
    const { headers } = await t.context.api.call({ path });
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('x-content-type-options'), 'nosniff');
  }
});
