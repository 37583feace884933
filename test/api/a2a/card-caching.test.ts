import anyTest, { type TestFn } from 'ava';

import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context = { api: await startTestApi() };
});

test.after.always((t) => t.context.api.close());

async function expose(api: TestApi, workflowId: string, description = ''): Promise<void> {
  const ir = { ...passing(workflowId), description, expose: { a2a: true } };
  await api.call({ path: '/workflows', body: { ir } });
}

test("304: an agent's card that the client has is not sent again, until it reads otherwise", async (t) => {
  const { api } = t.context;
  await expose(api, 'kept', 'one');
  const path = '/a2a/kept/.well-known/agent-card.json';
  const first = await api.call({ path });
  const etag = first.headers.get('etag') ?? '';
  t.regex(etag, /^"[0-9a-f]{64}"$/);
  t.is(first.headers.get('cache-control'), 'private, max-age=60');
  t.is(first.headers.get('vary'), 'A2A-Version, Authorization, X-Tenant-Id');
  t.regex(first.headers.get('last-modified') ?? '', / GMT$/);
  for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await api.call({ path, headers: { 'If-None-Match': value } });
    t.is(again.status, 304, value);
    t.is(again.headers.get('etag'), etag);
    t.is(again.headers.get('cache-control'), 'private, max-age=60');
  }
  const later = await api.call({ path, headers: { 'A2A-Version': '1.0', 'If-None-Match': etag } });
  t.is(later.status, 200);
  await expose(api, 'kept', 'two');
  const changed = await api.call({ path, headers: { 'If-None-Match': etag } });
  t.is(changed.status, 200);
  t.not(changed.headers.get('etag'), etag);
  const anyone = await api.call({ path, headers: { 'If-None-Match': etag }, token: null });
  t.is(anyone.status, 401);
});

for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
  test(`304: the runtime's own card may be kept by anyone: ${path}`, async (t) => {
    const { api } = t.context;
    const first = await api.call({ path, token: null });
    t.is(first.headers.get('cache-control'), 'public, max-age=60');
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    const again = await api.call({ path, token: null, headers });
    t.is(again.status, 304);
    t.is(again.headers.get('access-control-allow-origin'), '*');
  });
}
