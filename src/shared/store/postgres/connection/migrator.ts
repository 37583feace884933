import { setTimeout as delay } from 'node:timers/promises';

import type pg from 'pg';

import {
  pendingMigrations,
  SchemaError,
  type AppliedMigration,
  type Migration,
} from '../../opening/migrations.ts';
import { advisoryKey } from './advisory-key.ts';
import { translateError, translateUnopened } from './errors.ts';
import { refuseSharedSessions } from './refuse-shared-sessions.ts';
import { ServerClient } from './server-client.ts';
import { createServerFinder } from './server-finder.ts';
import type { ConnectionSettings } from './session.ts';

/*
 * One connection does everything: it takes the session lock, reads the applied migrations, applies
 * the rest, and releases the lock by closing, even when the process dies.
 *
 * The lock comes before `create table if not exists`, which fails when two run it at once. The
 * migrator tries repeatedly for it instead of waiting: a session waiting inside `pg_advisory_lock`
 * holds a snapshot, and a migration building an index concurrently would wait for that snapshot
 * while the waiter waits for the lock.
 *
 * While a migration waits for a table, every other statement on the table waits behind it. So the
 * migration waits only a moment, lets the others pass, and tries again: a long transaction delays
 * the migration and nobody else.
 *
 * Session locks mean nothing behind a pooler in transaction mode: migrate through a direct
 * connection.
 */

const LOCK_WAIT_MS_MAX = 10 * 60_000;
const LOCK_RETRY_MS = 100;

/** How a migration waits for tables in use, in milliseconds. */
export interface Patience {
  /** For one table at a time: statements behind the migration wait as long. */
  readonly lockMs: number;
  /** Pause between two tries, while all others continue. */
  readonly restMs: number;
  /** From the first try of a migration to the last. */
  readonly totalMs: number;
}

const PATIENCE: Patience = { lockMs: 500, restMs: 2_000, totalMs: 10 * 60_000 };

export async function migratePostgres(params: {
  readonly url: string;
  readonly passwordFile?: string | null | undefined;
  readonly isDirect?: boolean;
  readonly known: readonly Migration[];
  readonly onApplied: (migration: Migration) => void;
  /** Told before each rest why the migration waits. */
  readonly onWaiting?: (line: string) => void;
  readonly patience?: Patience;
}): Promise<number> {
  const { patience = PATIENCE, onWaiting } = params;
  return withClient(params, async (client) => {
    await takeLock(client);
    await client.query(
      `create table if not exists schema_migrations (
        number integer primary key,
        title text not null,
        checksum text not null,
        applied_at timestamptz not null default clock_timestamp(),
        works_from integer
      )`,
    );
    const pending = pendingMigrations(params.known, await selectApplied(client));
    for (const migration of pending) {
      await applyPatiently(client, { migration, patience, onWaiting });
      params.onApplied(migration);
    }
    return pending.length;
  });
}

export async function readAppliedPostgres(
  address: ServerAddress,
): Promise<readonly AppliedMigration[]> {
  return withClient(address, async (client) => {
    const table = await client.query<{ readonly present: boolean }>(
      `select to_regclass('schema_migrations') is not null as present`,
    );
    return table.rows[0]?.present === true ? selectApplied(client) : [];
  });
}

/** Not through a pooler in transaction mode. */
export interface ServerAddress {
  readonly url: string;
  readonly passwordFile?: string | null | undefined;
  /** It is `database.direct_url`. */
  readonly isDirect?: boolean;
}

const CONNECT_MS_MAX = 10_000;
/** A migration may run for long; each bounds its own waiting. */
const STATEMENT_MS_MAX = 24 * 3_600_000;

async function withClient<T>(
  { url, passwordFile, isDirect = false }: ServerAddress,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const servers = createServerFinder({ url, passwordFile, connectTimeoutMs: CONNECT_MS_MAX });
  const settings: ConnectionSettings = {
    servers,
    applicationName: 'svc-migrate',
    connectTimeoutMs: CONNECT_MS_MAX,
    statementTimeoutMs: STATEMENT_MS_MAX,
    onBackgroundError: () => undefined,
  };
  await servers.find();
  const client = new ServerClient(settings, { query_timeout: 0 });
  try {
    await client.connect().catch((error: unknown) => {
      throw translateUnopened(error);
    });
    await refuseSharedSessions(client, settings, { isDirect });
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
  // By way of JSON, since the table of an older program has no such column.
  const { rows } = await client.query<AppliedMigration>(
    `select number, title, checksum, (to_jsonb(row) ->> 'works_from')::int4 as "worksFrom"
     from schema_migrations as row
     order by number`,
  );
  return rows;
}

async function applyPatiently(
  client: pg.Client,
  given: {
    readonly migration: Migration;
    readonly patience: Patience;
    readonly onWaiting: ((line: string) => void) | undefined;
  },
): Promise<void> {
  const { migration, patience, onWaiting } = given;
  const { number, title } = migration;
  const startedAt = performance.now();
  for (;;) {
    try {
      return await apply(client, { migration, lockMs: patience.lockMs });
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      const isInTheWay = IN_THE_WAY.has((error as { readonly code?: string }).code ?? '');
      if (!isInTheWay) throw failed(migration, error);
      const holder = await describeOldest(client);
      if (waitedMs + patience.restMs > patience.totalMs) {
        throw new SchemaError(
          `migration ${number} (${title}) found its tables in use for ${seconds(waitedMs)}, nothing ` +
            `of it was applied: ${holder}; wait for that to end, or end it with ` +
            'pg_terminate_backend, then run "svc db migrate" again',
          { cause: error },
        );
      }
      onWaiting?.(`migration ${number} (${title}) waits for tables in use: ${holder}`);
    }
    await delay(patience.restMs);
  }
}

/** lock_not_available and deadlock_detected: the same migration may find the way free later. */
const IN_THE_WAY: ReadonlySet<string> = new Set(['55P03', '40P01']);

/** All of it in one transaction; an error means that nothing of it was applied. */
async function apply(
  client: pg.Client,
  { migration, lockMs }: { readonly migration: Migration; readonly lockMs: number },
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockMs}`);
    await client.query(migration.sql);
    await addWorksFrom(client);
    const { number, title, checksum, worksFrom } = migration;
    await client.query(
      `insert into schema_migrations (number, title, checksum, works_from)
       values ($1, $2, $3, $4)`,
      [number, title, checksum, worksFrom],
    );
    await client.query('commit');
  } catch (error) {
    // The connection may be what failed: then there is nothing to roll back on.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** To the table of a program from before there was such a column; to no other, for it locks the table. */
async function addWorksFrom(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_attribute
     where attrelid = 'schema_migrations'::regclass and attname = 'works_from'`,
  );
  if (rowCount === 0) await client.query('alter table schema_migrations add works_from integer');
}

function failed({ number, title }: Migration, error: unknown): SchemaError {
  return new SchemaError(
    `migration ${number} (${title}) failed, nothing of it was applied: ` +
      (error instanceof Error ? error.message : String(error)),
    { cause: error },
  );
}

/** Usually the blocking session. The server hides further facts about sessions of other users. */
async function describeOldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{
    readonly pid: number;
    readonly name: string;
    readonly state: string;
    readonly seconds: number;
  }>(
    `select pid, coalesce(nullif(application_name, ''), usename, backend_type) as name,
       coalesce(state, 'unknown') as state,
       extract(epoch from clock_timestamp() - xact_start)::int4 as seconds
     from pg_stat_activity
     where datname = current_database()
       and pid <> pg_backend_pid()
       and xact_start is not null
     order by xact_start
     limit 1`,
  );
  const [oldest] = rows;
  if (oldest === undefined) return 'their holder is gone';
  const { pid, name, state } = oldest;
  return `the oldest transaction is ${oldest.seconds} s old, of process ${pid} ("${name}", ${state})`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
