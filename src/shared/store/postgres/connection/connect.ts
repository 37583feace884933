import pg from 'pg';

import { createConnectionPlaces } from './connection-places.ts';
import {
  isConnectionLoss,
  isFullPool,
  isRetriable,
  translateError,
  translateUnopened,
} from './errors.ts';
import { isReadOnlyServer } from './probe-server.ts';
import { runInTransaction } from './run-in-transaction.ts';
import { ServerClient } from './server-client.ts';
import { SUSPECT_MS, type ServerFinder } from './server-finder.ts';
import {
  EVERY_TENANT,
  scopeStatement,
  sessionSettings,
  startSession,
  type ConnectionSettings,
  type SessionSettings,
  type TenantScope,
} from './session.ts';

/*
 * The pool of the hot path. Every statement is one transaction, named and prepared once on each
 * connection, so that a request is one round trip.
 *
 * Trusted: an error that the server answers with means that nothing of the statement remains. A
 * connection that breaks says nothing: the statement may have been carried out, which is reported
 * as ambiguous. Serialization failures and deadlocks are the server's way of asking for another
 * try: the statement is sent again, a few times. A connection that broke is destroyed, never given
 * back. So is a connection to a server that refuses to write, with all others to that server.
 *
 * Behind a pooler in transaction mode a session keeps nothing from one statement to the next. Each
 * statement then brings its settings in a transaction of its own, in the same round trip, and no
 * statement has a name.
 */

const TRIES_MAX = 8;

/*
 * Plans are made once, when the tables may still be empty, and kept for the connection's life. So
 * nothing is left to estimates: rows of tables are found by `= any(<array>)` or by a lateral part
 * with a limit, both through the index the statement was written for, and what is found is joined by
 * hash. With nested loops allowed, 250 plans were joined to 250 plans in 10 ms instead of 0.2.
 * Compilation by JIT and the start of parallel workers cost more than any statement here; parallel
 * workers also read more rows than a limit asks for.
 */
const PLANNING: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  enable_nestloop: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
};

/** See `tag_fair_item`: statements of this release queue items in the order of their keys. */
const SESSION: SessionSettings = { ...PLANNING, 'svc.queues_in_order': 'on' };

export interface Statement {
  /** At most 63 bytes and never used for another text. Empty: it is prepared for each use. */
  readonly name: string;
  readonly text: string;
  /** False: it only reads, so a lost answer leaves no doubt. */
  readonly writes: boolean;
}

export interface PostgresPool {
  /** `tenant`: row-level security lets the statement see that tenant's rows alone; all by default. */
  run<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    tenant?: TenantScope,
  ): Promise<readonly Row[]>;
  use(): { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly lend: Lend;
  close(): Promise<void>;
}

/**
 * Runs work that opens one connection of its own. The pool first ends one of its connections if it has as
 * many as it may, and has one less until the work is done. It keeps its last.
 */
export type Lend = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Settings of connections that are opened now and then. */
export type LentSettings = ConnectionSettings & { readonly lend: Lend };

export function connectPool(
  settings: ConnectionSettings & {
    readonly min: number;
    readonly max: number;
    /** A read and the change of its tenant go out together. */
    readonly changesTenants?: boolean;
    /** Callers may leave while they wait: see `ConnectionPlaces`. The driver's line is in order of arrival. */
    readonly callersLeave?: boolean;
    /** How often a statement is sent that the server asks to try again. */
    readonly triesMax?: number;
  },
): PostgresPool {
  const { servers, isPooledByTransaction = false, changesTenants = false } = settings;
  const { triesMax = TRIES_MAX } = settings;
  class PooledClient extends ServerClient {
    constructor() {
      super(settings, { pipeline: isPooledByTransaction || changesTenants });
    }
  }
  const pool = new pg.Pool({
    Client: PooledClient,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    min: settings.min,
    max: settings.max,
    idleTimeoutMillis: 30_000,
    // Redistributes connections after a failover; preparing statements again is cheap at this rate.
    maxLifetimeSeconds: 3_600,
    ...onConnect(settings),
  });
  pool.on('error', settings.onBackgroundError);
  const lend = createLend(pool, settings);
  const { max: placesMax, connectTimeoutMs: waitMsMax } = settings;
  const places = settings.callersLeave ? createConnectionPlaces({ placesMax, waitMsMax }) : null;
  const scopes = new WeakMap<ServerClient, TenantScope>();
  const atWork = new Set<ServerClient>();
  const stopListening = servers.onMove(() => {
    // Their callers learn at once that the answer will not come.
    for (const client of atWork) if (client.epoch !== servers.epoch) client.cutOff();
  });

  async function runOnce<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    tenant: TenantScope,
  ): Promise<readonly Row[]> {
    const client = await checkOut(pool, servers).catch((error: unknown) => {
      throw translateUnopened(error);
    });
    atWork.add(client);
    const suspecting = setInterval(() => servers.suspect(), SUSPECT_MS).unref();
    try {
      const rows = isPooledByTransaction
        ? await runPooled<Row>(client, { settings, statement, values, tenant })
        : await runInSession<Row>(client, { statement, values, tenant, scopes });
      client.requireConfirmed();
      client.release();
      return rows;
    } catch (thrown) {
      const error = client.causeOf(thrown);
      if (isReadOnlyServer(error)) servers.leave(client.epoch);
      if (isConnectionLoss(error) || isReadOnlyServer(error)) discard(client);
      else client.release();
      throw error;
    } finally {
      clearInterval(suspecting);
      atWork.delete(client);
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
          if (places === null) return await runOnce<Row>(statement, values, tenant);
          // While the primary is looked for, nobody needs a place.
          await servers.find();
          return await places.hold(() => runOnce<Row>(statement, values, tenant));
        } catch (error) {
          if (isRetriable(error) && attempt < triesMax) continue;
          throw translateError(error, { mayBeCarriedOut: statement.writes });
        }
      }
    },
    use: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + (places?.waiting ?? 0),
    }),
    lend,
    close: () => {
      stopListening();
      return pool.end();
    },
  };
}

type CheckedOut = ServerClient & { readonly release: (destroy?: boolean) => void };

/** A connection to the server of this epoch. After a failed attempt it looks for the primary again. */
async function checkOut(pool: pg.Pool, servers: ServerFinder): Promise<CheckedOut> {
  for (let attempt = 1; ;) {
    await servers.find();
    try {
      const client = (await pool.connect()) as unknown as CheckedOut;
      if (client.epoch === servers.epoch) return client;
      discard(client);
    } catch (error) {
      // All connections are at work, which says nothing of the server.
      if (isFullPool(error)) throw error;
      servers.doubt();
      if (attempt === CONNECTS_MAX) throw error;
      attempt += 1;
    }
  }
}

const CONNECTS_MAX = 2;

/** The pool gives the place away after the end of the connection, which a silent server never confirms. */
function discard(client: CheckedOut): void {
  client.cutOff();
  client.release(true);
}

function createLend(
  pool: pg.Pool,
  { max, connectTimeoutMs }: { readonly max: number; readonly connectTimeoutMs: number },
): Lend {
  // A pool of one, of a command, keeps it.
  if (max === 1) return (work) => work();
  const places = createConnectionPlaces({ placesMax: max - 1, waitMsMax: connectTimeoutMs });
  return (work) =>
    places.hold(async () => {
      pool.options.max -= 1;
      try {
        while (pool.totalCount > pool.options.max) await endOne(pool);
        return await work();
      } finally {
        pool.options.max += 1;
      }
    });
}

const END_MS_MAX = 1_000;

/** Resolves when the server has ended its side, too. */
async function endOne(pool: pg.Pool): Promise<void> {
  const client = (await pool.connect().catch((error: unknown) => {
    throw translateUnopened(error);
  })) as unknown as CheckedOut;
  const timer = setTimeout(() => client.cutOff(), END_MS_MAX);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.release(true);
  await ended;
  clearTimeout(timer);
}

async function runPooled<Row extends object>(
  client: ServerClient,
  given: {
    readonly settings: ConnectionSettings;
    readonly statement: Statement;
    readonly values: readonly unknown[];
    readonly tenant: TenantScope;
  },
): Promise<readonly Row[]> {
  const { settings, statement, values, tenant } = given;
  const { rows } = await runInTransaction<Row>(client, {
    settings: sessionSettings(settings, { ...SESSION, 'svc.tenant': tenant }),
    text: statement.text,
    values,
  });
  return rows;
}

async function runInSession<Row extends object>(
  client: ServerClient,
  given: {
    readonly statement: Statement;
    readonly values: readonly unknown[];
    readonly tenant: TenantScope;
    readonly scopes: WeakMap<ServerClient, TenantScope>;
  },
): Promise<readonly Row[]> {
  const { statement, values, tenant, scopes } = given;
  const run = async (): Promise<readonly Row[]> => {
    const { rows } = await client.query<Row>({
      name: statement.name,
      text: statement.text,
      values: values as unknown[],
    });
    return rows;
  };
  if ((scopes.get(client) ?? EVERY_TENANT) === tenant) return run();
  const change = client.query(scopeStatement(tenant)).then(() => scopes.set(client, tenant));
  // A write waits: it must not run for the tenant before, should the change fail.
  if (statement.writes) await change;
  // Nobody gets the rows of a read if the change fails.
  const [changed, read] = await Promise.allSettled([change, run()]);
  if (changed.status === 'rejected') throw changed.reason;
  if (read.status === 'rejected') throw read.reason;
  return read.value;
}

/**
 * The pool awaits the promise before it hands the connection out, although its types do not say so.
 */
function onConnect(settings: ConnectionSettings): {
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
} {
  return {
    onConnect: async (client) => {
      await startSession(client, settings, SESSION);
    },
  };
}
