import Database from 'better-sqlite3';
import test from 'ava';

import {
  createTestDatabase,
  runOnServer,
  type Dialect,
  type TestDatabase,
} from '../../support/database.ts';
import { sqlitePath } from '../../support/stores.ts';

/*
 * The database refuses changes that the runtime never makes, even from a person with direct access.
 */

const ID = `'019af000-0000-7000-8000-000000000001'`;
const AT = { postgres: 'now()', sqlite: '1' };

const rowsOf = (at: string): readonly string[] => [
  `insert into definitions (
     definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
   ) values (${ID}, 't', 'w', '1', 1, 'h', '{}', 'a', ${at})`,
  `insert into imported_definitions (
     definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
   ) values (${ID}, 't', 'w', '1', 1, 'h', '{}', 'a', ${at})`,
  `insert into work_items (
     work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool, payload,
     retry_policy, heartbeat_interval_ms, created_at
   ) values (${ID}, ${ID}, 't', 'n', 0, 'python_tool', 'k', 'f', '{}', '{}', 1000, ${at})`,
  `insert into recorded_outputs (
     execution_id, idempotency_key, work_item_id, output, state_patch, created_at
   ) values (${ID}, 'k', ${ID}, '{}', '{}', ${at})`,
];

const REFUSED = [
  `update definitions set ir = '{"nodes": {}}'`,
  `update imported_definitions set ir = '{}'`,
  `update work_items set payload = '{"module": "other"}'`,
  `update recorded_outputs set output = '{"paid": true}'`,
];

for (const dialect of ['postgres', 'sqlite'] satisfies Dialect[]) {
  test(`${dialect}: definitions, work items and recorded results stay as they were written`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const run = runOn(dialect, database);
    for (const statement of rowsOf(AT[dialect])) await run(statement);
    for (const statement of REFUSED) {
      const error = await t.throwsAsync(() => run(statement), undefined, statement);
      t.regex(error?.message ?? '', /is refused/);
    }
  });
}

function runOn(dialect: Dialect, { url }: TestDatabase): (sql: string) => Promise<unknown> {
  if (dialect === 'postgres') return (sql) => runOnServer(url, sql);
  return (sql) =>
    Promise.resolve().then(() => {
      const file = new Database(sqlitePath(url));
      try {
        return file.exec(sql);
      } finally {
        file.close();
      }
    });
}
