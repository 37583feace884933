import anyTest, { type TestFn } from 'ava';

import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { startEnded } from '../../shared/engine/retention/retention-scene.ts';
import { sealAudit } from '../support/seal-audit.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const test = anyTest as TestFn<Record<(typeof DIALECTS)[number], TestApi>>;
const path = '/retention/preview';
const DAY_MS = 86_400_000;

for (const dialect of DIALECTS) {
  test.before(`start (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect });
  });
  test.after.always(`close (${dialect})`, (t) => t.context[dialect].close());

  test.serial(`${dialect}: 200: a considered policy shows what it would remove`, async (t) => {
    const api = t.context[dialect];
    const { store } = api.database;
    const token = await api.mint({ role: 'operator', tenant: 'kept' });
    const tenantId = 'kept' as TenantId;
    await startEnded(store, { tenantId });
    await startEnded(store, { tenantId });
    await startEnded(store, { tenantId, status: 'failed' });
    await api.makeTenant('another');
    await startEnded(store, { tenantId: 'another' as TenantId });
    await sealAudit(t, api.database);
    await api.database.age({
      table: 'executions',
      columns: ['created_at', 'updated_at', 'completed_at'],
      byMs: 40 * DAY_MS,
    });
    const groupsOf = async (query = '') => {
      const answer = await api.call({ path: `${path}?search_ms=1000${query}`, token });
      t.is(answer.status, 200, answer.error);
      t.like(answer.body, { complete: true, released_artifacts: { artifacts: 0, bytes: 0 } });
      const groups = answer.body['groups'] as readonly { status: string; executions: number }[];
      return groups.map(({ status, executions }) => [status, executions]);
    };
    t.deepEqual(await groupsOf(), [], 'no policy asks for anything');
    t.deepEqual(await groupsOf('&older_than_days=30'), [
      ['completed', 2],
      ['failed', 1],
    ]);
    t.deepEqual(await groupsOf('&older_than_days=30&status=failed'), [['failed', 1]]);
    t.deepEqual(await groupsOf('&older_than_days=50'), []);
    t.deepEqual(await groupsOf('&older_than_days=30&workflow_id=none'), []);
    const policy = { path: '/retention/policies', body: { failed_days: 7 }, token };
    t.is((await api.call({ method: 'PUT', ...policy })).status, 200);
    t.deepEqual(await groupsOf(), [['failed', 1]]);
  });
}

test('400: days and statuses that are none', async (t) => {
  for (const query of ['search_ms=0', 'older_than_days=0', 'older_than_days=x', 'status=running']) {
    t.is((await t.context.sqlite.call({ path: `${path}?${query}` })).status, 400, query);
  }
});

test('403: only operators look', async (t) => {
  const api = t.context.sqlite;
  for (const role of ['viewer', 'reviewer', 'developer', 'worker'] as const) {
    t.is((await api.call({ path, token: await api.mint({ role }) })).status, 403, role);
  }
});
