import anyTest, { type TestFn } from 'ava';

import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('201: a token works at once, and is shown once', async (t) => {
  const { api } = t.context;
  const body = { name: 'ci', role: 'developer', expires_in_seconds: 3600 };
  const created = await api.call({ path: '/tokens', body });
  t.is(created.status, 201);
  t.like(created.body, { name: 'ci', role: 'developer', tenant_id: 'default', revoked_at: null });
  const token = textOf(created, 'token');
  t.is((await api.call({ path: '/executions', token })).status, 200);
  const lifeMs =
    Date.parse(textOf(created, 'expires_at')) - Date.parse(textOf(created, 'created_at'));
  t.is(lifeMs, 3_600_000);
  const listed = await api.call({ path: '/tokens' });
  t.false(JSON.stringify(listed.body).includes(token));
  t.true(JSON.stringify(listed.body).includes(textOf(created, 'token_id')));
});

test('400: a token needs a plain name, a known role and a sane life', async (t) => {
  const { api } = t.context;
  const good = { name: 'x', role: 'viewer' };
  for (const [change, message] of [
    [{ name: undefined }, /^bad request: name is required$/],
    [{ name: '' }, /^bad request: name must be 1 to 128/],
    [{ name: 'a\nb' }, /^bad request: name must be 1 to 128/],
    [{ name: 'x'.repeat(129) }, /^bad request: name must be 1 to 128/],
    [{ name: 'api-key' }, /^bad request: name: api-key is reserved/],
    [
      { role: 'admin' },
      /^bad request: role must be operator, developer, reviewer, viewer or worker$/,
    ],
    [{ expires_in_seconds: 0 }, /^bad request: expires_in_seconds must be at least 1$/],
    [{ expires_in_seconds: 1e12 }, /^bad request: expires_in_seconds must be at most/],
  ] as const) {
    const answer = await api.call({ path: '/tokens', body: { ...good, ...change } });
    t.is(answer.status, 400);
    t.regex(answer.error, message);
  }
});

test('200: a token is revoked, and revoking it again changes nothing', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/tokens', body: { name: 'gone', role: 'viewer' } });
  const path = `/tokens/${textOf(created, 'token_id')}`;
  const first = await api.call({ method: 'DELETE', path });
  t.is(first.status, 200);
  t.is(typeof first.body['revoked_at'], 'string');
  const second = await api.call({ method: 'DELETE', path });
  t.deepEqual(second.body, first.body);
});

test('201: a rotated token gives its place to another, at once', async (t) => {
  const { api } = t.context;
  const body = { name: 'turning', role: 'viewer', expires_in_seconds: 60 };
  const created = await api.call({ path: '/tokens', body });
  const old = textOf(created, 'token');
  t.is((await api.call({ path: '/executions', token: old })).status, 200);
  const path = `/tokens/${textOf(created, 'token_id')}/rotate`;
  const rotated = await api.call({ method: 'POST', path });
  t.is(rotated.status, 201);
  t.like(rotated.body, { name: 'turning', role: 'viewer', tenant_id: 'default' });
  t.like(rotated.body['replaced'], { replaced_by: rotated.body['token_id'] });
  const token = textOf(rotated, 'token');
  t.not(token, old);
  t.is((await api.call({ path: '/executions', token })).status, 200);
  t.is((await api.call({ path: '/executions', token: old })).status, 401);
  const again = await api.call({ method: 'POST', path });
  t.is(again.status, 409);
  t.regex(again.error, /is revoked, expired or rotated already; create a new one$/);
});

test('201: with a grace, both tokens are accepted', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/tokens', body: { name: 'overlap', role: 'viewer' } });
  const path = `/tokens/${textOf(created, 'token_id')}/rotate?grace_seconds=3600`;
  const rotated = await api.call({ method: 'POST', path });
  for (const answer of [created, rotated]) {
    const token = textOf(answer, 'token');
    t.is((await api.call({ path: '/executions', token })).status, 200);
  }
  t.is((await api.call({ method: 'POST', path })).status, 409);
});

test('400: a grace that is no number of seconds', async (t) => {
  const { api } = t.context;
  for (const grace of ['-1', 'x', '1.5', '']) {
    const path = `/tokens/x/rotate?grace_seconds=${grace}`;
    t.is((await api.call({ method: 'POST', path })).status, 400);
  }
});

test('404: an unknown token, and another tenant’s', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/tokens', body: { name: 'ours', role: 'viewer' } });
  const other = await api.mint({ role: 'operator', tenant: 'other' });
  const id = textOf(created, 'token_id');
  t.is((await api.call({ method: 'DELETE', path: `/tokens/${id}`, token: other })).status, 404);
  t.is((await api.call({ method: 'DELETE', path: '/tokens/unknown' })).status, 404);
  const rotate = { method: 'POST', path: `/tokens/${id}/rotate` };
  t.is((await api.call({ ...rotate, token: other })).status, 404);
  t.is((await api.call({ method: 'POST', path: '/tokens/unknown/rotate' })).status, 404);
});
