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
  const simulated = { workflow_id: 'nothing', input: {} };
  const answer = await api.call({ path: '/workflows/simulate', body: simulated });
  t.not(answer.status, 405);
});
