import { randomUUID } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { textOf, type ApiAnswer } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

test('200: actions are listed, newest first, with their actors', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'operator', tenant: 'told' });
  const created = await api.call({
    path: '/tokens',
    body: { name: 'ci', role: 'developer' },
    token,
  });
  const listed = await api.call({ path: '/audit', token });
  t.is(listed.status, 200);
  t.like(listed.body, { total: 3, limit: 50, offset: 0 });
  t.like(itemsOf(listed)[0], {
    event_type: 'token_created',
    actor_id: 'token:test operator',
    execution_id: null,
    node_id: null,
    sequence: null,
    payload: { token_id: textOf(created, 'token_id'), name: 'ci', role: 'developer' },
  });
  t.false(JSON.stringify(listed.body).includes(textOf(created, 'token')));
});

test('200: an execution’s events are items, with filters and paging', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'paged' });
  const call = (path: string, body?: object) => api.call({ path, token, ...(body && { body }) });
  await call('/workflows', { ir: { workflow_id: 'w', nodes: { a: { kind: 'human_approval' } } } });
  const started = await call('/executions', { workflow_id: 'w', input: {} });
  const id = textOf(started, 'execution_id');
  const of = await call(`/audit?execution_id=${id}`);
  t.deepEqual(
    itemsOf(of).map(({ event_type: type, sequence }) => [type, sequence]),
    [
      ['approval_requested', 3],
      ['node_scheduled', 2],
      ['workflow_started', 1],
    ],
  );
  t.is(of.body['total'], 3);
  const bare = id.slice('exec_'.length);
  t.deepEqual((await call(`/audit?execution_id=${bare}`)).body, of.body);
  const page = await call(`/audit?execution_id=${id}&limit=1&offset=1`);
  t.like(page.body, { total: 3, limit: 1, offset: 1 });
  t.deepEqual(itemsOf(page), [itemsOf(of)[1]]);
  t.is((await call('/audit?event_type=workflow_registered')).body['total'], 1);
  t.is((await call('/audit?actor_id=token:nobody')).body['total'], 0);
  t.is((await call('/audit?execution_id=nonsense')).body['total'], 0);
  t.is((await call('/audit?limit=1000')).body['limit'], 200);
});

test('200: another tenant’s items do not exist', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'viewer', tenant: 'lonely' });
  const listed = await api.call({ path: '/audit', token });
  t.deepEqual(
    itemsOf(listed).map(({ event_type: type }) => type),
    ['token_created', 'tenant_created'],
  );
});

test('200: a cursor continues where the page ended', async (t) => {
  const { api } = t.context;
  const token = await api.mint({ role: 'developer', tenant: 'followed' });
  const ir = { workflow_id: 'w', nodes: { a: { kind: 'human_approval' } } };
  await api.call({ path: '/workflows', token, body: { ir } });
  await api.call({ path: '/executions', token, body: { workflow_id: 'w', input: {} } });
  const whole = await api.call({ path: '/audit', token });
  t.is(whole.body['next_cursor'], null);
  const seen: JsonObject[] = [];
  let cursor = '';
  do {
    const page = await api.call({ path: `/audit?limit=2${cursor}`, token });
    seen.push(...itemsOf(page));
    const next = page.body['next_cursor'];
    cursor = typeof next === 'string' ? `&cursor=${next}` : '';
  } while (cursor !== '');
  t.deepEqual(seen, itemsOf(whole));
  t.true(seen.length > 4);
});

test('400: a cursor that no answer has contained', async (t) => {
  const { api } = t.context;
  const columns = [['a'], ['2026-01-01T00:00:00.000Z', 'x', 0], ['now', randomUUID(), 0], 7];
  for (const given of columns) {
    const cursor = Buffer.from(JSON.stringify(given)).toString('base64url');
    t.is((await api.call({ path: `/audit?cursor=${cursor}` })).status, 400);
  }
});

test('400: a limit, an offset and a parameter that make no sense', async (t) => {
  const { api } = t.context;
  for (const query of ['limit=0', 'limit=x', 'offset=-1', 'limit=1.5']) {
    t.is((await api.call({ path: `/audit?${query}` })).status, 400, query);
  }
});

test('401: without a token', async (t) => {
  t.is((await t.context.api.call({ path: '/audit', token: null })).status, 401);
});

test('405: items are not made, changed or deleted by request', async (t) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    t.is((await t.context.api.call({ method, path: '/audit' })).status, 405);
  }
});

function itemsOf(answer: ApiAnswer): readonly JsonObject[] {
  return answer.body['items'] as readonly JsonObject[];
}
