import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import {
  pendingMigrations,
  SchemaError,
  type AppliedMigration,
  type Migration,
} from '../migrations.ts';
import { advisoryKey } from './advisory-key.ts';
import { translateError } from './errors.ts';

/*
 * One connection does everything: takes the session lock, looks at what was applied, applies the
 * rest, and by closing gives the lock back, also when the process dies.
 *
 * The lock comes before `create table if not exists`, which fails when two run it at once. It is
 * tried for again and again rather than waited for: a session waiting inside
 * `pg_advisory_lock` holds a snapshot, and a migration building an index concurrently would wait for
 * that snapshot while the waiter waits for the lock.
 *
 * Session locks mean nothing behind a pooler in transaction mode: migrate through a direct
 * connection.
 */

const LOCK_WAIT_MS_MAX = 10 * 60_000;
const LOCK_RETRY_MS = 100;
/** A statement waits no longer than this for a table: whoever queues behind it waits as well. */
const TABLE_LOCK_MS_MAX = 15_000;

export async function migratePostgres(params: {
  readonly url: string;
  readonly known: readonly Migration[];
  readonly onApplied: (migration: Migration) => void;
}): Promise<number> {
  return withClient(params.url, async (client) => {
    await takeLock(client);
    await client.query(
      `create table if not exists schema_migrations (
        number integer primary key,
        title text not null,
        checksum text not null,
        applied_at timestamptz not null default clock_timestamp()
      )`,
    );
    const pending = pendingMigrations(params.known, await selectApplied(client));
    for (const migration of pending) {
      await apply(client, migration);
      params.onApplied(migration);
    }
    return pending.length;
  });
}

export async function readAppliedPostgres(url: string): Promise<readonly AppliedMigration[]> {
  return withClient(url, async (client) => {
    const table = await client.query<{ readonly present: boolean }>(
      `select to_regclass('schema_migrations') is not null as present`,
    );
    return table.rows[0]?.present === true ? selectApplied(client) : [];
  });
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'svc-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A broken connection also rejects the running query; without a listener it ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw translateError(error, { mayBeCarriedOut: false });
  } finally {
    await client.end();
  }
}

async function takeLock(client: pg.Client): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS_MAX;
  for (;;) {
    const { rows } = await client.query<{ readonly taken: boolean }>(
      'select pg_try_advisory_lock($1) as taken',
      [advisoryKey('migration', 0)],
    );
    if (rows[0]?.taken === true) return;
    if (performance.now() > deadline) {
      throw new SchemaError(
        'another process has been migrating this database for ten minutes: see whether it hangs ' +
          '(application_name "svc-migrate" in pg_stat_activity), then run "svc db migrate" again',
      );
    }
    await delay(LOCK_RETRY_MS);
  }
}

async function selectApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    `select number, title, checksum
     from schema_migrations
     order by number`,
  );
  return rows;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${TABLE_LOCK_MS_MAX}`);
    await client.query(migration.sql);
    await client.query(
      `insert into schema_migrations (number, title, checksum)
       values ($1, $2, $3)`,
      [migration.number, migration.title, migration.checksum],
    );
    await client.query('commit');
  } catch (error) {
    // The connection may be what failed: then there is nothing to roll back on.
    await client.query('rollback').catch(() => undefined);
    throw new SchemaError(
      `migration ${migration.number} (${migration.title}) failed, nothing of it was applied: ` +
        (error instanceof Error ? error.message : String(error)),
      { cause: error },
    );
  }
}
