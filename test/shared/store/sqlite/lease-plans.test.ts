import test from 'ava';
import Database from 'better-sqlite3';

import { LEASE_BOUND, LIST_LEASES } from '../../../../src/shared/store/sqlite/work/overview.ts';
import { LIST_WORKERS } from '../../../../src/shared/store/sqlite/work/workers.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';

const ROWS = 5_000;

for (const isAnalyzed of [true, false]) {
  const state = isAnalyzed ? 'with' : 'without';

  test(`lists of leases follow an index of a full table, ${state} statistics`, async (t) => {
    const database = await createTestDatabase('sqlite');
    t.teardown(() => database.drop());
    const file = new Database(sqlitePath(database.url));
    t.teardown(() => file.close());
    file.prepare(FILL).run({ rows: ROWS });
    if (isAnalyzed) file.exec('analyze');
    for (const [text, bindings] of [
      [LEASE_BOUND, { within: 10 }],
      [LIST_LEASES, { tenant_id: 'busy', worker_id: null, bound: null, limit: 10 }],
    ] as const) {
      const after = { after_execution: null, after_item: null };
      const steps = file
        .prepare<object[], { readonly detail: string }>(`explain query plan ${text}`)
        .all({ ...bindings, ...after })
        .map(({ detail }) => detail);
      t.true(steps.some((step) => /^SEARCH .*INDEX work_leases_by_execution/.test(step)));
      // No table is walked over, and nothing is sorted.
      t.deepEqual(
        steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step)),
        [],
      );
    }
  });
}

test('the leases of workers are counted in the order of an index, as far as the bound', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const file = new Database(sqlitePath(database.url));
  t.teardown(() => file.close());
  const steps = file
    .prepare<object[], { readonly detail: string }>(`explain query plan ${LIST_WORKERS}`)
    .all({ tenant_id: 'busy', seen_since: 0, leases: 10 })
    .map(({ detail }) => detail);
  t.deepEqual(
    steps.filter((step) => step.includes('work_leases')),
    ['SCAN work_leases USING INDEX work_leases_by_execution'],
  );
});

const FILL = `
  insert into work_leases (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
    priority, idempotency_key, worker_id, lease_fence, claimed_at, expires_at)
  with recursive numbers (n) as (
    values (1)
    union all
    select n + 1 from numbers where n < :rows
  )
  select printf('%036x', n), printf('exec_%032x', n / 3), 'busy', 'n', 0, 0, 'python_tool', 0, 'k', 'w',
    n, n, n
  from numbers`;
