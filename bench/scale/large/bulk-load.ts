import type pg from 'pg';

/**
 * Fills tables at the speed of the disk: meanwhile they have no triggers, no vacuum, and no indexes but
 * those of their keys. The rows have to be as the triggers would leave them.
 */
export async function loadInBulk(
  client: pg.Client,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows: indexes } = await client.query<Index>(INDEXES, [tables]);
  await client.query(`set synchronous_commit = off;
    set session_replication_role = replica;
    set maintenance_work_mem = '512MB'`);
  for (const table of tables) {
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await load();
  for (const { definition } of indexes) await client.query(definition);
  for (const table of tables) {
    await client.query(`alter table ${table} reset (autovacuum_enabled)`);
  }
  await client.query('reset session_replication_role');
  await client.query('vacuum analyze');
}

interface Index {
  readonly name: string;
  readonly definition: string;
}

const INDEXES = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i
  where i.indrelid = any($1::text[]::regclass[])
    and not i.indisunique`;
