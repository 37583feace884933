import pg from 'pg';

import type { TenantId } from '../../../domain/ids.ts';
import { isConnectionLoss, isRetriable, translateError } from './errors.ts';
import { parseColumn } from '../rows.ts';

/*
 * The pool of the hot path. Every statement is one transaction, named and prepared once on each
 * connection, so that a request is one round trip.
 *
 * Trusted: an error that the server answers with means that nothing of the statement remains. A
 * connection that breaks says nothing: the statement may have been carried out, which is reported
 * as ambiguous. Serialization failures and deadlocks are the server's way of asking for another
 * try: the statement is sent again, a few times. A connection that broke is destroyed, never given
 * back.
 */

const TRIES_MAX = 8;

/*
 * Plans are made once, when the tables may still be empty, and kept for the connection's life. So
 * nothing is left to estimates: rows of tables are found by `= any(<array>)` or by a lateral part
 * with a limit, both through the index the statement was written for, and what is found is joined by
 * hash. With nested loops allowed, 250 plans were joined to 250 plans in 10 ms instead of 0.2.
 * Compilation by JIT costs more than any statement here.
 */
const PLANNING: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  enable_nestloop: 'off',
  jit: 'off',
};

/** Parameters of the server by name, as `set` takes them. */
export type SessionSettings = Readonly<Record<string, string>>;

export interface Statement {
  /** At most 63 bytes and never used for another text. Empty: it is prepared for each use. */
  readonly name: string;
  readonly text: string;
  /** False: it only reads, so a lost answer leaves no doubt. */
  readonly writes: boolean;
}

/** Whose rows a connection sees, where row-level security binds its role. */
export type TenantScope = TenantId | typeof EVERY_TENANT;

/** For statements that serve many tenants at once and name them themselves. */
export const EVERY_TENANT = '*';

/**
 * The connection keeps the setting until the next one, so a second request of a tenant needs none.
 */
export function scopeStatement(tenant: TenantScope): pg.QueryConfig {
  return {
    name: 'scope-to-tenant',
    text: `select set_config('svc.tenant', $1, false)`,
    values: [tenant],
  };
}

export interface PostgresPool {
  /** `tenant`: row-level security lets the statement see that tenant's rows alone; all by default. */
  run<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    tenant?: TenantScope,
  ): Promise<readonly Row[]>;
  use(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface ConnectionSettings {
  readonly url: string;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Errors nobody waits for: of idle and of dedicated connections. For the log. */
  readonly onBackgroundError: (error: unknown) => void;
}

export function connectPool(
  settings: ConnectionSettings & { readonly min: number; readonly max: number },
): PostgresPool {
  const pool = new pg.Pool({
    ...clientConfig(settings),
    min: settings.min,
    max: settings.max,
    idleTimeoutMillis: 30_000,
    // Redistributes connections after a failover; preparing statements again is cheap at this rate.
    maxLifetimeSeconds: 3_600,
    ...onConnect(settings),
  });
  pool.on('error', settings.onBackgroundError);
  const scopes = new WeakMap<pg.PoolClient, TenantScope>();

  async function runOnce<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    tenant: TenantScope,
  ): Promise<readonly Row[]> {
    const client = await pool.connect().catch((error: unknown) => {
      throw translateError(error, { mayBeCarriedOut: false });
    });
    try {
      if ((scopes.get(client) ?? EVERY_TENANT) !== tenant) {
        await client.query(scopeStatement(tenant));
        scopes.set(client, tenant);
      }
      const result = await client.query<Row>({
        name: statement.name,
        text: statement.text,
        values: values as unknown[],
      });
      client.release();
      return result.rows;
    } catch (error) {
      client.release(isConnectionLoss(error));
      throw error;
    }
  }

  return {
    async run<Row extends object>(
      statement: Statement,
      values: readonly unknown[],
      tenant: TenantScope = EVERY_TENANT,
    ) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runOnce<Row>(statement, values, tenant);
        } catch (error) {
          if (isRetriable(error) && attempt < TRIES_MAX) continue;
          throw translateError(error, { mayBeCarriedOut: statement.writes });
        }
      }
    },
    use: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** Options of every connection, including dedicated ones. */
export function clientConfig(settings: ConnectionSettings): pg.ClientConfig {
  return {
    connectionString: settings.url,
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // The server's own timeout comes first; this one is for a server that no longer answers.
    query_timeout: settings.statementTimeoutMs + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    types: { getTypeParser: parseColumn },
  };
}

/**
 * The pool awaits the promise before it hands the connection out, although its types do not say so.
 */
function onConnect(settings: ConnectionSettings): {
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
} {
  return {
    onConnect: async (client) => {
      // The pool listens only while a connection is idle; unheard, an error would end the process.
      client.on('error', () => undefined);
      await startSession(client, settings, PLANNING);
    },
  };
}

/**
 * The initial settings of every connection, with those of its kind. They are one statement, because
 * idle processes open connections often, and no start-up parameters, because connection poolers
 * refuse them.
 */
export async function startSession(
  client: pg.ClientBase,
  settings: ConnectionSettings,
  added: SessionSettings = {},
): Promise<void> {
  const all: SessionSettings = {
    statement_timeout: String(settings.statementTimeoutMs),
    timezone: 'UTC',
    datestyle: 'ISO',
    'svc.tenant': EVERY_TENANT,
    ...added,
  };
  await client.query(
    `select set_config(s.name, s.value, false)
     from unnest($1::text[], $2::text[]) as s (name, value)`,
    [Object.keys(all), Object.values(all)],
  );
}
