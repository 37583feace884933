import type pg from 'pg';

import type { TenantId } from '../../../domain/ids.ts';
import { parseColumn } from '../rows.ts';
import { findUnfitness, STATE_COLUMNS, type StateRecord } from './probe-server.ts';
import type { ServerFinder } from './server-finder.ts';

/** The part that all connections of a process share. */
export interface ConnectionSettings {
  readonly servers: ServerFinder;
  /** A pooler in transaction mode is between this process and the server. */
  readonly isPooledByTransaction?: boolean;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Errors nobody waits for: of idle and of dedicated connections. For the log. */
  readonly onBackgroundError: (error: unknown) => void;
}

/** Parameters of the server by name, as `set` takes them. */
export type SessionSettings = Readonly<Record<string, string>>;

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

/** Options of every connection, including dedicated ones. */
export function clientConfig(settings: ConnectionSettings): pg.ClientConfig {
  return {
    connectionString: settings.servers.connectionString(),
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // The server's own timeout comes first; this one is for a server that no longer answers.
    query_timeout: settings.statementTimeoutMs + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    types: { getTypeParser: parseColumn },
  };
}

export function sessionSettings(
  settings: ConnectionSettings,
  added: SessionSettings = {},
): SessionSettings {
  return {
    statement_timeout: String(settings.statementTimeoutMs),
    timezone: 'UTC',
    datestyle: 'ISO',
    'svc.tenant': EVERY_TENANT,
    ...added,
  };
}

/**
 * The initial settings of every connection, with those of its kind. They are one statement, because
 * idle processes open connections often, and no start-up parameters, because connection poolers
 * refuse them. The same statement finds out that the server is no primary.
 */
export async function startSession(
  client: pg.ClientBase,
  settings: ConnectionSettings,
  added: SessionSettings = {},
): Promise<void> {
  const all = settings.isPooledByTransaction === true ? {} : sessionSettings(settings, added);
  const { rows } = await client.query<StateRecord>(
    `select ${STATE_COLUMNS}, (
       select count(set_config(s.name, s.value, false))
       from unnest($1::text[], $2::text[]) as s (name, value)
     )`,
    [Object.keys(all), Object.values(all)],
  );
  const problem = findUnfitness(rows[0], settings.servers.target);
  if (problem !== null) throw problem;
}
