import type { TableFacts } from '../../installation.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/** Our tables, the largest first: as the server estimates them, so that nothing is counted. */
export async function readTableFacts(pool: PostgresPool): Promise<readonly TableFacts[]> {
  const rows = await pool.run<TableRecord>(TABLES, []);
  return rows.map(({ name, live, dead, bytes, index_bytes: indexBytes, vacuumed_at: at }) => ({
    table: name,
    rows: live,
    deadRows: dead,
    bytes,
    indexBytes,
    vacuumedAt: at,
  }));
}

interface TableRecord {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly bytes: number;
  readonly index_bytes: number;
  readonly vacuumed_at: string | null;
}

/** Before a table is analysed for the first time the server knows of no rows: -1, told as 0. */
const TABLES: Statement = {
  name: 'table-facts',
  writes: false,
  text: `
    select c.relname::text as name,
      greatest(pg_stat_get_live_tuples(c.oid), c.reltuples::int8, 0) as live,
      pg_stat_get_dead_tuples(c.oid) as dead,
      pg_table_size(c.oid) as bytes,
      pg_indexes_size(c.oid) as index_bytes,
      greatest(
        pg_stat_get_last_vacuum_time(c.oid), pg_stat_get_last_autovacuum_time(c.oid)
      ) as vacuumed_at
    from pg_class c
    where c.relkind = 'r'
      and c.relnamespace = current_schema()::regnamespace
    order by pg_total_relation_size(c.oid) desc, 1`,
};
