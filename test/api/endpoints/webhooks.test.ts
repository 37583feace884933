import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi({ allowPrivate: false });
});

test.after.always((t) => t.context.api.close());

const URL = 'https://example.com/hook';

test('201: a webhook is made, and its secret shown once', async (t) => {
  const { api } = t.context;
  const created = await api.call({
    path: '/webhooks',
    body: { url: URL, event_types: ['execution.failed', 'execution.failed'] },
  });
  t.is(created.status, 201);
  t.like(created.body, { url: URL, event_types: ['execution.failed'], status: 'active' });
  const secret = textOf(created, 'secret');
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const listed = await api.call({ path: '/webhooks' });
  t.true(JSON.stringify(listed.body).includes(textOf(created, 'webhook_id')));
  t.false(JSON.stringify(listed.body).includes('whsec'));
  const contents = JSON.stringify(await api.database.contents());
  t.false(contents.includes(secret) || contents.includes(secret.slice('whsec_'.length)));
});

test('400: an address that is never called, and unknown events', async (t) => {
  const { api } = t.context;
  for (const [body, message] of [
    [{}, /^bad request: url is required$/],
    [{ url: 'nonsense' }, /^bad request: url: the address is not an http or https URL/],
    [{ url: 'ftp://example.com' }, /is not an http or https URL/],
    [{ url: 'https://user:pass@example.com' }, /without credentials/],
    [{ url: 'http://127.0.0.1/x' }, /may not be reached from here/],
    [{ url: 'http://0x7f000001/' }, /may not be reached from here/],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, /may not be reached from here/],
    [{ url: 'http://169.254.169.254/latest' }, /may not be reached from here/],
    [{ url: 'http://localhost:8080' }, /may not be reached from here/],
    [{ url: URL, event_types: [] }, /event_types must name at least one/],
    [{ url: URL, event_types: ['execution.exploded'] }, /event_types/],
  ] as const) {
    const answer = await api.call({ path: '/webhooks', body });
    t.is(answer.status, 400, JSON.stringify(body));
    t.regex(answer.error, message);
  }
});

test('200: a webhook is deleted, and gone', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/webhooks', body: { url: URL } });
  const path = `/webhooks/${textOf(created, 'webhook_id')}`;
  t.is((await api.call({ path: `${path}/deliveries` })).status, 200);
  const deleted = await api.call({ method: 'DELETE', path });
  t.is(deleted.status, 200);
  t.like(deleted.body, { url: URL, event_types: null });
  t.is((await api.call({ method: 'DELETE', path })).status, 404);
  t.is((await api.call({ path: `${path}/deliveries` })).status, 404);
});

test('200: pending deliveries are listed', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'hooked' });
  const call = (path: string, body?: object) => api.call({ path, token, ...(body && { body }) });
  const id = textOf(await call('/webhooks', { url: URL }), 'webhook_id');
  await call('/workflows', { ir: { workflow_id: 'w', nodes: { a: { kind: 'human_approval' } } } });
  const started = await call('/executions', { workflow_id: 'w', input: {} });
  const { body } = await call(`/webhooks/${id}/deliveries`);
  const deliveries = body['deliveries'] as readonly JsonObject[];
  t.deepEqual(
    deliveries.map(({ event_type: type }) => type),
    ['execution.paused', 'approval.requested'],
  );
  t.like(deliveries[0], {
    execution_id: textOf(started, 'execution_id'),
    status: 'pending',
    attempts: 0,
    last_status: null,
  });
  t.regex(JSON.stringify(deliveries[0]), /"id":"msg_[0-9a-f-]{36}"/);
  t.is((await call(`/webhooks/${id}/deliveries?limit=0`)).status, 400);
});

test('404 and 409: a message that cannot be sent again', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'again' });
  const call = (path: string, body?: object) => api.call({ path, token, ...(body && { body }) });
  const id = textOf(await call('/webhooks', { url: URL }), 'webhook_id');
  await call('/workflows', { ir: { workflow_id: 'w', nodes: { a: { kind: 'human_approval' } } } });
  await call('/executions', { workflow_id: 'w', input: {} });
  const { body } = await call(`/webhooks/${id}/deliveries`);
  const [message] = body['deliveries'] as readonly JsonObject[];
  const messageId = textOf({ body: message ?? {} }, 'id');
  const redeliver = (webhook: string, delivery: string, by = token) =>
    api.call({
      method: 'POST',
      path: `/webhooks/${webhook}/deliveries/${delivery}/redeliver`,
      token: by,
    });
  const pending = await redeliver(id, messageId);
  t.is(pending.status, 409);
  t.regex(pending.error, /is still being delivered$/);
  for (const delivery of ['x', `msg_${id}`, messageId.slice('msg_'.length)]) {
    t.is((await redeliver(id, delivery)).status, 404, delivery);
  }
  t.is((await redeliver('x', messageId)).status, 404);
  const stranger = await api.mint({ role: 'operator', tenant: 'stranger' });
  t.is((await redeliver(id, messageId, stranger)).status, 404);
  const viewer = await api.mint({ role: 'viewer', tenant: 'again' });
  t.is((await redeliver(id, messageId, viewer)).status, 403);
});

test('401 and 403: webhooks are for those who may write', async (t) => {
  const { api } = t.context;
  t.is((await api.call({ path: '/webhooks', token: null })).status, 401);
  const token = await api.mint({ role: 'viewer' });
  t.is((await api.call({ path: '/webhooks', token })).status, 403);
  t.is((await api.call({ path: '/webhooks', body: { url: URL }, token })).status, 403);
});

test('404: another tenant’s webhook', async (t) => {
  const { api } = t.context;
  const created = await api.call({ path: '/webhooks', body: { url: URL } });
  const path = `/webhooks/${textOf(created, 'webhook_id')}`;
  const token = await api.mint({ role: 'operator', tenant: 'stranger' });
  t.is((await api.call({ method: 'DELETE', path, token })).status, 404);
  t.is((await api.call({ path: `${path}/deliveries`, token })).status, 404);
});

test('409: more than twenty', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'operator', tenant: 'many' });
  const make = () => api.call({ path: '/webhooks', body: { url: URL }, token });
  for (let count = 0; count < 20; count += 1) t.is((await make()).status, 201);
  const refused = await make();
  t.is(refused.status, 409);
  t.regex(refused.error, /there are 20 webhooks already/);
});
