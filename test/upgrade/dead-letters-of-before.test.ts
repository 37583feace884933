import test from 'ava';
import Database from 'better-sqlite3';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { readMigrations } from '../../src/shared/store/opening/migrations.ts';
import { migratePostgres } from '../../src/shared/store/postgres/connection/migrator.ts';
import { migrateSqlite } from '../../src/shared/store/sqlite/connection/migrator.ts';
import { createEmptyDatabase, runOnServer, type Dialect } from '../support/database.ts';
import { sqlitePath } from '../support/stores.ts';

/* The migration names the workflows of old dead letters, and of those that older processes write. */

const TITLE = 'workflows_of_dead_letters';

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: dead letters of before, and of a process of before, name their workflow`, async (t) => {
    const database = await createEmptyDatabase(dialect);
    t.teardown(() => database.drop());
    const { url } = database;
    const all = await readMigrations(dialect);
    const known = all.slice(
      0,
      all.findIndex(({ title }) => title === TITLE),
    );
    const run = async (sql: string): Promise<readonly object[]> => {
      if (dialect === 'postgres') return (await runOnServer(url, sql)).rows as object[];
      const file = new Database(sqlitePath(url));
      try {
        const statement = file.prepare(sql);
        if (statement.reader) return statement.all() as object[];
        statement.run();
        return [];
      } finally {
        file.close();
      }
    };
    const onApplied = () => undefined;
    if (dialect === 'postgres') await migratePostgres({ url, known, onApplied });
    else migrateSqlite({ path: sqlitePath(url), known, onApplied });
    const make = makeLetters(dialect, run);
    await make(1, { isRemoved: false });
    await make(2, { isRemoved: true });
    await migrateDatabase({ url });
    await make(3, { isRemoved: false });
    await make(4, { isRemoved: true });
    t.deepEqual(
      (await run('select error, workflow_id from dead_letters order by error')).map((row) => ({
        ...row,
      })),
      [
        { error: 'e1', workflow_id: 'w1' },
        { error: 'e2', workflow_id: null },
        { error: 'e3', workflow_id: 'w3' },
        { error: 'e4', workflow_id: null },
      ],
    );
  });
}

/** Writes as a process that knows no column for the workflow. */
function makeLetters(dialect: Dialect, run: (sql: string) => Promise<readonly object[]>) {
  return async (n: number, { isRemoved }: { readonly isRemoved: boolean }) => {
    const isPostgres = dialect === 'postgres';
    const uuid = `00000000-0000-0000-0000-00000000000${n}`;
    const id = isPostgres ? uuid : `exec_${uuid.replaceAll('-', '')}`;
    const at = isPostgres ? 'now()' : '1';
    const definition = isPostgres ? uuid : 'd';
    if (!isRemoved) {
      await run(`
        insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
          priority, status, last_sequence, created_at, updated_at)
        values ('${id}', 't', '${definition}', 'w${n}', '1', 0, 0, 'running', 1, ${at}, ${at})`);
    }
    await run(`
      insert into dead_letters (work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt,
        error, dead_lettered_at)
      values ('${uuid}', '${id}', 't', 'n', 'python_tool', 'x', 0, 'e${n}', ${at})`);
  };
}
