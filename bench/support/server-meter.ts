import pg from 'pg';

import type { ServerReading } from './measurement.ts';
import { familyCpuMicros, parentOf } from './process-use.ts';
import type { StatementUse } from './statement-use.ts';

/** Reads what a PostgreSQL server on this machine has used, over its own connection. */
export interface ServerMeter {
  /** Statements count for one database; the other figures, for the whole server. */
  read(databaseName: string): Promise<ServerReading>;
  readStatements(databaseName: string): Promise<StatementUse>;
  close(): Promise<void>;
}

export async function openServerMeter(url: string): Promise<ServerMeter> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  return {
    async read(databaseName) {
      const answer = await client.query<Record<'wal' | 'xid' | 'calls' | 'pages', string>>({
        name: 'meter',
        text: `
          select pg_current_wal_insert_lsn() - '0/0' as wal,
            pg_snapshot_xmax(pg_current_snapshot()) as xid,
            u.calls, u.pages
          from (
            select coalesce(sum(s.calls), 0) as calls,
              coalesce(sum(s.shared_blks_hit + s.shared_blks_read), 0) as pages
            from pg_stat_statements(false) s
            join pg_database d on d.oid = s.dbid
            where d.datname = $1
          ) u`,
        values: [databaseName],
      });
      const [row] = answer.rows;
      return {
        cpuMicros: postmaster === null ? null : familyCpuMicros(postmaster),
        walBytes: Number(row?.wal),
        statements: Number(row?.calls),
        pages: Number(row?.pages),
        transactions: Number(row?.xid),
      };
    },
    async readStatements(databaseName) {
      const { rows } = await client.query<StatementRow>(
        `select query, sum(calls) as calls, sum(total_exec_time) as ms, sum(plans) as plans,
           sum(total_plan_time) as "planMs"
         from pg_stat_statements s
         join pg_database d on d.oid = s.dbid
         where d.datname = $1
         group by query`,
        [databaseName],
      );
      return new Map(
        rows.map(({ query, calls, ms, plans, planMs }) => [
          query,
          { calls: Number(calls), ms, plans: Number(plans), planMs },
        ]),
      );
    },
    close: () => client.end(),
  };
}

interface StatementRow {
  readonly query: string;
  readonly calls: string;
  readonly ms: number;
  readonly plans: string;
  readonly planMs: number;
}
