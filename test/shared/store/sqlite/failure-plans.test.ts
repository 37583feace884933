import test from 'ava';
import Database from 'better-sqlite3';

import { gatherCriteria } from '../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../src/shared/domain/execution/query/parse-query.ts';
import type { TenantId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import {
  writeBound,
  writeFailedItems,
} from '../../../../src/shared/store/sqlite/work/failed-items.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';

const ROWS = 5_000;
const BOUND = { dead_lettered_at: 1, work_item_id: '0' as WorkItemId };

for (const isAnalyzed of [true, false]) {
  const state = isAnalyzed ? 'with' : 'without';

  test(`dead letters by execution follow an index of a full table, ${state} statistics`, async (t) => {
    const database = await createTestDatabase('sqlite');
    t.teardown(() => database.drop());
    const file = new Database(sqlitePath(database.url));
    t.teardown(() => file.close());
    for (const table of [FILL_EXECUTIONS, FILL_LETTERS]) file.prepare(table).run({ rows: ROWS });
    if (isAnalyzed) file.exec('analyze');
    for (const query of [
      '',
      'workflow = w1',
      'workflow = w1 and error ~ e',
      'status = failed and error ~ no',
      'labels.a != b',
    ]) {
      const criteria = gatherCriteria(parseQuery(query).conditions ?? [], Date.now());
      const params = {
        tenantId: 'busy' as TenantId,
        criteria,
        since: '2020-01-01T00:00:00.000Z',
        before: '2030-01-01T00:00:00.000Z',
        limit: 10,
        within: 100,
        grouping: { members: 10, byMessage: [] },
      };
      for (const { text, bindings } of [
        writeBound(params),
        writeFailedItems(params, null),
        writeFailedItems(params, BOUND),
      ]) {
        const steps = file
          .prepare<object[], { readonly detail: string }>(`explain query plan ${text}`)
          .all(bindings)
          .map(({ detail }) => detail);
        const index = query.startsWith('workflow') ? 'by_workflow' : 'by_age';
        t.regex(steps[0] ?? '', new RegExp(`^SEARCH d USING .*INDEX dead_letters_${index}`), query);
        // No table is walked over, and nothing is sorted.
        const walks = steps.filter((step) => /^SCAN (?!part|json_each)|TEMP B-TREE/.test(step));
        t.deepEqual(walks, [], query);
      }
    }
  });
}

const NUMBERS = `
  with recursive numbers (n) as (
    values (1)
    union all
    select n + 1 from numbers where n < :rows
  )`;
const FILL_EXECUTIONS = `
  insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
    status, last_sequence, created_at, updated_at, completed_at)
  ${NUMBERS}
  select printf('exec_%032x', n), 'busy', 'd', 'w' || n % 50, '1', 0, 0, 'failed', 1, n, n, n
  from numbers`;
const FILL_LETTERS = `
  insert into dead_letters (work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
    dead_lettered_at)
  ${NUMBERS}
  select printf('%036x', n), printf('exec_%032x', n), 'busy', 'n', 'python_tool', 't', 0, 'e', n
  from numbers`;
