import anyTest, { type TestFn } from 'ava';

import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, startWorkflow } from '../support/workflows.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});
test.after.always((t) => t.context.api.close());

for (const [method, path] of [
  ['GET', '/agents/discover'],
  ['HEAD', '/agents/preview'],
  ['GET', '/workflows/simulate'],
  ['DELETE', '/schedules/preview'],
  ['GET', '/work-items/claim'],
  ['GET', '/executions/batch'],
  ['PATCH', '/agents/discover'],
] as const) {
  test(`405: ${method} ${path} is allowed by POST alone`, async (t) => {
    const answer = await t.context.api.call({ method, path });
    t.is(answer.status, 405, answer.error);
    t.is(answer.headers.get('Allow'), 'POST, OPTIONS');
  });
}

test('200: a workflow and an agent may be called as a path of another method', async (t) => {
  const { api } = t.context;
  await startWorkflow(api, { ir: passing('validate') });
  t.is((await api.call({ path: '/workflows/validate' })).body['workflow_id'], 'validate');
  await api.call({ path: '/agents', body: { id: 'preview', name: 'a' } });
  t.is((await api.call({ path: '/agents/preview' })).status, 200);
});

test('404: an id that nobody has stays unknown', async (t) => {
  const { api } = t.context;
  t.is((await api.call({ path: '/agents/nobody' })).status, 404);
  t.is((await api.call({ path: '/workflows/nothing' })).status, 404);
});

test('404: a change of a schedule that is called as a path may name an unknown workflow', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  await startWorkflow(api, { ir: passing('checked') });
  const schedule = { name: 'preview', workflow_id: 'checked', every: '15m' };
  const created = await api.call({ path: '/schedules', body: schedule });
  t.is(created.status, 201, created.error);
  const body = { workflow_id: 'nothing', every: '15m' };
  const changed = await api.call({ method: 'PUT', path: '/schedules/preview', body });
  t.is(changed.status, 404);
  t.is(changed.error, 'not found: workflow nothing');
});
