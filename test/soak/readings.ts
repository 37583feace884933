import { readdirSync, readFileSync } from 'node:fs';

import pg from 'pg';

import type { ChaosCluster } from '../chaos/cluster/cluster.ts';

/** A reading of the processes or the database, under a name such as `memory of api-1`. */
export interface Sample {
  readonly name: string;
  /** Null: the table has no rows. */
  readonly value: number | null;
  readonly life: string;
}

const PAGE_BYTES = 4_096;
/** Tables with rows that live for milliseconds to minutes: they must not grow at all. */
const HOT = ['work_queue', 'work_leases', 'timers', 'retry_timers', 'runnable'];
/** Tables that keep history: they grow with their rows. */
const KEPT = ['executions', 'events', 'work_items'];

export function readProcesses(cluster: ChaosCluster): readonly Sample[] {
  return cluster.members.flatMap((member) => {
    const { name, pid } = member;
    if (pid === null || !member.isUp) return [];
    try {
      const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
      const handles = readdirSync(`/proc/${pid}/fd`).length;
      const life = `${name} ${pid}`;
      return [
        { name: `memory of ${name}`, value: resident * PAGE_BYTES, life },
        { name: `handles of ${name}`, value: handles, life },
      ];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

/** Rejects while the database is down. */
export async function readDatabase(url: string): Promise<readonly Sample[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly name: string; readonly value: number | null }>(
      QUERY,
    );
    return rows.map((row) => ({ ...row, life: 'database' }));
  } finally {
    await client.end();
  }
}

const QUERY = `
  select 'sessions' as name, count(*)::float8 as value
  from pg_stat_activity
  where backend_type = 'client backend' and usename = 'svc'
  union all
  select 'dead rows of ' || relname, n_dead_tup::float8
  from pg_stat_user_tables
  where relname in (${HOT.map((table) => `'${table}'`).join()})
  union all
  select 'size of ' || relname, pg_total_relation_size(oid)::float8
  from pg_class
  where relkind = 'r' and relname in (${HOT.map((table) => `'${table}'`).join()})
  ${KEPT.map(
    (table) => `
  union all
  select part || ' bytes for each row of ${table}', bytes / nullif((select count(*) from ${table}), 0)
  from (
    values ('table', pg_table_size('${table}')::float8), ('index', pg_indexes_size('${table}')::float8)
  ) as size (part, bytes)`,
  ).join('')}`;

export interface Latency {
  readonly finished: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * The times from start to end of executions that ended within the last `withinMs` and began within
 * `begunWithinMs`.
 */
export async function readLatency(
  url: string,
  { withinMs, begunWithinMs }: { readonly withinMs: number; readonly begunWithinMs: number },
): Promise<Latency> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Latency>(
      `select count(*)::float8 as finished,
         percentile_disc(0.5) within group (order by ms) as p50,
         percentile_disc(0.99) within group (order by ms) as p99
       from (
         select (extract(epoch from completed_at - created_at) * 1000)::float8 as ms
         from executions
         where completed_at > now() - $1 * interval '1 millisecond'
           and created_at > now() - $2 * interval '1 millisecond'
       ) as ended`,
      [withinMs, begunWithinMs],
    );
    return rows[0] ?? { finished: 0, p50: 0, p99: 0 };
  } finally {
    await client.end();
  }
}
