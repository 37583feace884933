import test from 'ava';
import Database from 'better-sqlite3';
import pg from 'pg';

import { createTestDatabase } from '../../support/database.ts';
import { sqlitePath } from '../../support/stores.ts';

/** SQLite counts in a table of one row, where PostgreSQL has a sequence. */
const SQLITE_ONLY = new Set(['lease_fence']);
/** SQLite has no partitions, and its leases don't move in place. */
const POSTGRES_ONLY = new Set(['event_partitions', 'leases']);
/** SQLite would have to copy the table. */
const NULL_ON_POSTGRES = 'work_items.retry_policy';

test('both databases have the same tables, columns and nullable columns', async (t) => {
  const [postgres, sqlite] = await Promise.all([readPostgres(t), readSqlite(t)]);
  t.true(postgres.some((column) => column.startsWith('executions.last_sequence')));
  t.deepEqual(sqlite, postgres);
});

async function readPostgres(t: { teardown(undo: () => Promise<void>): void }) {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<ColumnRow>(
    `select table_name as "table", column_name as "column", is_nullable = 'YES' as nullable
     from information_schema.columns
     where table_schema = 'public'`,
  );
  await client.end();
  return rows
    .filter(({ table }) => !POSTGRES_ONLY.has(table))
    .map(describe)
    .toSorted();
}

async function readSqlite(t: { teardown(undo: () => Promise<void>): void }) {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const file = new Database(sqlitePath(database.url), { readonly: true });
  const rows = file
    .prepare<[], ColumnRow>(
      `select t.name as "table", c.name as "column", c."notnull" = 0 and c.pk = 0 as nullable
       from sqlite_schema as t
       join pragma_table_info(t.name) as c
       where t.type = 'table'`,
    )
    .all();
  file.close();
  return rows
    .filter(({ table }) => !SQLITE_ONLY.has(table))
    .map(describe)
    .toSorted();
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly nullable: boolean | number;
}

function describe({ table, column, nullable }: ColumnRow): string {
  const name = `${table}.${column}`;
  return `${name}${nullable && name !== NULL_ON_POSTGRES ? '?' : ''}`;
}
