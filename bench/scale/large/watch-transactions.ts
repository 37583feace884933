import { setTimeout as rest } from 'node:timers/promises';
import type pg from 'pg';

const EVERY_MS = 20;

/** Looks for the longest transaction of others of the database, until `end` is called. */
export function watchTransactions(reader: pg.Client) {
  const ending = new AbortController();
  let longestMs = 0;
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const { rows } = await reader.query<{ readonly ms: number | null }>(
        `select max(extract(epoch from clock_timestamp() - a.xact_start) * 1000)::float8 as ms
         from pg_stat_activity a
         where a.datname = current_database()
           and a.backend_type = 'client backend'
           and a.pid <> pg_backend_pid()`,
      );
      longestMs = Math.max(longestMs, rows[0]?.ms ?? 0);
      await rest(EVERY_MS);
    }
  })();
  return {
    async end(): Promise<number> {
      ending.abort();
      await watching;
      return longestMs;
    },
  };
}
