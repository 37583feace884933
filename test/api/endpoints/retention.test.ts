import anyTest, { type TestFn } from 'ava';

import { textOf } from '../support/call-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always((t) => t.context.api.close());

const path = '/retention/policies';

test.serial('200: policies are set, listed, replaced as a whole, and taken back', async (t) => {
  const { api } = t.context;
  const put = (body: Record<string, unknown>) => api.call({ method: 'PUT', path, body });
  const first = await put({ completed_days: 30, failed_days: 0 });
  t.is(first.status, 200);
  const whole = { workflow_id: null, completed_days: 30, failed_days: 0, cancelled_days: null };
  t.deepEqual(first.body, whole);
  await put({ workflow_id: 'import', completed_days: 7 });
  const replaced = await put({ workflow_id: 'import', cancelled_days: 1 });
  const own = { workflow_id: 'import', completed_days: null, failed_days: null, cancelled_days: 1 };
  t.deepEqual(replaced.body, own);
  t.deepEqual((await api.call({ path })).body, { policies: [whole, own], next_cursor: null });
  const page = await api.call({ path: `${path}?limit=1` });
  t.deepEqual(page.body['policies'], [whole]);
  const rest = await api.call({ path: `${path}?cursor=${textOf(page, 'next_cursor')}` });
  t.deepEqual(rest.body, { policies: [own], next_cursor: null });
  const second = await api.call({ path: `${path}?limit=1&offset=1` });
  t.deepEqual(second.body['policies'], [own]);
  const removed = await api.call({ method: 'DELETE', path: `${path}?workflow_id=import` });
  t.is(removed.status, 200);
  t.deepEqual(removed.body, { workflow_id: 'import', removed: true });
  t.is((await api.call({ method: 'DELETE', path })).status, 200);
  t.deepEqual((await api.call({ path })).body, { policies: [], next_cursor: null });
  const audit = await api.call({ path: '/audit?event_type=retention_policy_set' });
  t.is((audit.body as { readonly items: readonly unknown[] }).items.length, 3);
});

test('400: days that are none, too many or not said', async (t) => {
  const { api } = t.context;
  for (const [body, message] of [
    [{}, /one of completed_days, failed_days and cancelled_days is needed/],
    [{ completed_days: -1 }, /completed_days must be at least 0/],
    [{ completed_days: 36_501 }, /completed_days must be at most 36500/],
    [{ failed_days: 1.5 }, /failed_days/],
    [{ failed_days: 1, workflow_id: '' }, /workflow_id must not be empty/],
  ] as const) {
    const answer = await api.call({ method: 'PUT', path, body });
    t.is(answer.status, 400, JSON.stringify(body));
    t.regex(answer.error, message);
  }
});

test('404: a missing policy cannot be removed', async (t) => {
  const answer = await t.context.api.call({ method: 'DELETE', path: `${path}?workflow_id=none` });
  t.is(answer.status, 404);
  t.regex(answer.error, /retention policy of workflow none/);
});
