import pg from 'pg';

import { eventually } from '../../../support/eventually.ts';

/** A plain connection beside the store, to block the store or to inspect the server. */
export async function connectRaw(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Resolves when this many statements of this database wait for a lock. */
export async function waitUntilBlocked(client: pg.Client, count = 1): Promise<void> {
  await eventually(async () => {
    const { rows } = await client.query<{ readonly blocked: number }>(
      `select count(*)::int4 as blocked
       from pg_stat_activity
       where datname = current_database()
         and wait_event_type = 'Lock'`,
    );
    if (rows[0]?.blocked !== count) throw new Error(`${rows[0]?.blocked} statements are blocked`);
  });
}

/** Ends the sessions of one application, as an administrator would. */
export async function terminate(client: pg.Client, applicationName: string): Promise<number> {
  const { rows } = await client.query<{ readonly ended: number }>(
    `select count(pg_terminate_backend(pid))::int4 as ended
     from pg_stat_activity
     where datname = current_database()
       and application_name = $1`,
    [applicationName],
  );
  return rows[0]?.ended ?? 0;
}

/**
 * Resolves when no other client is connected to this database. A session reports its reads only
 * when it ends, after its client has closed the connection.
 */
export async function waitUntilAlone(client: pg.Client): Promise<void> {
  await eventually(async () => {
    const { rows } = await client.query<{ readonly sessions: number }>(
      `select count(*)::int4 as sessions
       from pg_stat_activity
       where datname = current_database()
         and backend_type = 'client backend'
         and pid <> pg_backend_pid()`,
    );
    if (rows[0]?.sessions !== 0) throw new Error(`${rows[0]?.sessions} sessions have not ended`);
  });
}

/**
 * Resolves when scans of these tables may rely on their indexes alone. A snapshot that is older than
 * the rows, as the server's own analysis of another table holds one, makes a vacuum leave pages out.
 */
export async function vacuumWhole(client: pg.Client, tables: readonly string[]): Promise<void> {
  await eventually(async () => {
    await client.query(`vacuum ${tables.join(', ')}`);
    const { rows } = await client.query<{ readonly name: string }>(
      `select relname as name
       from pg_class
       where oid = any($1::regclass[])
         and relallvisible < relpages`,
      [tables],
    );
    if (rows.length > 0) throw new Error(`${rows.map(({ name }) => name).join(', ')} are left`);
  });
}

/**
 * Summarizes the times of events. The server would do so when it sees fit, also where its vacuum is
 * off, and would count the rows that it reads for it.
 */
export async function summarizeEvents(client: pg.Client): Promise<void> {
  await client.query(`select brin_summarize_new_values('events_by_time')`);
  await eventually(async () => {
    const { rows } = await client.query<{ readonly workers: number }>(
      `select count(*)::int4 as workers
       from pg_stat_activity
       where datname = current_database()
         and backend_type = 'autovacuum worker'`,
    );
    if (rows[0]?.workers !== 0) throw new Error('the server still tends the tables');
  });
}

/** Rows of a table that ended sessions have read, by full scans and through indexes. */
export async function countTableReads(client: pg.Client, table: string): Promise<number> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ readonly reads: number }>(
    `select (coalesce(t.seq_tup_read, 0) + coalesce(sum(i.idx_tup_read), 0))::float8 as reads
     from pg_stat_user_tables t
     left join pg_stat_user_indexes i on i.relid = t.relid
     where t.relname = $1
     group by t.relid, t.seq_tup_read`,
    [table],
  );
  return rows[0]?.reads ?? 0;
}
