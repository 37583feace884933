import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import {
  createDriverFactory,
  createPool,
  SlonikError,
  type DatabasePool,
  type Interceptor,
  type QueryResultRow,
  type QuerySqlToken,
} from 'slonik';
import type { z } from 'zod';

import { laggingScope } from '../../readings/lagging-reads.ts';
import { createConnectionPlaces } from './connection-places.ts';
import { translateError, translateUnopened } from './errors.ts';
import { isReadOnlyServer } from './probe-server.ts';
import { runInTransaction } from './run-in-transaction.ts';
import { ServerClient } from './server-client.ts';
import { SUSPECT_MS } from './server-finder.ts';
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
 * The pool of what people and start-up do: definitions, tokens, the list of workers, pruning. Small,
 * apart from the hot path, and every row is checked against its schema.
 *
 * It uses our connections: the same URL and TLS rules, time-outs, keepalive and parsers as the hot
 * path. Slonik's own would read the URL differently, parse 64-bit integers to BigInt, and ask the
 * database for types before the pool exists, so that none could be made while the database is down.
 * Connections are not reset between uses: there is no session state to discard, and it would cost a
 * round trip each time. An error destroys the connection it came over, so statements answer with
 * rows where a constraint could have answered with an error.
 */

const TRIES_MAX = 6;
/** The rarest task of an idle scheduler runs once a minute, over the same connection. */
const IDLE_MS = 90_000;

/*
 * Each statement is planned again from the server's statistics. They are outdated for a table that
 * has just grown, and the server then scans all of it for a handful of rows. JIT compilation of a
 * plan takes longer than any of them runs.
 */
const PLANNING: SessionSettings = { enable_seqscan: 'off', jit: 'off' };

type Row = z.ZodObject;

export interface Management {
  /**
   * `writes`: a lost answer leaves the outcome open. `tenant`: row-level security lets the statement
   * see that tenant's rows alone; all by default.
   */
  any<R extends Row>(
    query: QuerySqlToken<R>,
    options?: { readonly writes?: boolean; readonly tenant?: TenantScope },
  ): Promise<readonly z.infer<R>[]>;
  close(): Promise<void>;
}

export async function openManagement(
  settings: ConnectionSettings & {
    readonly max: number;
    /** How often a statement is sent that the server asks to try again. */
    readonly triesMax?: number;
  },
): Promise<Management> {
  const pool: DatabasePool = await createPool(settings.servers.connectionString(), {
    driverFactory: driverOf(settings),
    maxPoolSize: settings.max,
    minPoolSize: 0,
    connectionTimeout: settings.connectTimeoutMs,
    connectionRetryLimit: 0,
    statementTimeout: settings.statementTimeoutMs,
    idleInTransactionSessionTimeout: settings.statementTimeoutMs,
    idleTimeout: IDLE_MS,
    gracefulTerminationTimeout: 2_000,
    queryRetryLimit: (settings.triesMax ?? TRIES_MAX) - 1,
    resetConnection: async () => {},
    interceptors: [checkRows],
    typeParsers: [],
  });
  pool.on('error', settings.onBackgroundError);
  // Slonik never lets go of who waits for a connection while none can be made.
  const places = createConnectionPlaces({
    placesMax: settings.max,
    waitMsMax: settings.connectTimeoutMs,
  });
  return {
    async any<R extends Row>(
      query: QuerySqlToken<R>,
      options: { readonly writes?: boolean; readonly tenant?: TenantScope } = {},
    ) {
      const { writes = false, tenant = EVERY_TENANT } = options;
      if (writes) laggingScope()?.stayOnPrimary();
      try {
        const rows = await places.hold(() => scope.run(tenant, () => pool.any(query)));
        return rows as readonly z.infer<R>[];
      } catch (error) {
        throw translateError(causeOf(error), { mayBeCarriedOut: writes });
      }
    },
    close: () => pool.end(),
  };
}

/** From the call to the driver, past slonik, which knows no such thing: a query's own tenant. */
const scope = new AsyncLocalStorage<TenantScope>();

/** Slonik wraps some of what the driver says; the codes and messages are in the cause. */
function causeOf(error: unknown): unknown {
  return error instanceof SlonikError && error.cause instanceof Error ? error.cause : error;
}

const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow(context, _query, row) {
    const checked = context.resultParser?.['~standard'].validate(row) ?? { value: row };
    if (checked instanceof Promise) throw new TypeError('row schemas are synchronous');
    if (checked.issues !== undefined) {
      throw new TypeError(`a row is not as declared: ${JSON.stringify(checked.issues)}`);
    }
    return checked.value as QueryResultRow;
  },
};

function driverOf(settings: ConnectionSettings): ReturnType<typeof createDriverFactory> {
  return createDriverFactory(async () => ({
    createPoolClient: async ({ clientEventEmitter }) => {
      const { servers, isPooledByTransaction = false } = settings;
      await servers.find();
      const client = new ServerClient(settings, { pipeline: isPooledByTransaction });
      const query = queryOf(client, settings);
      const stopListening = servers.onMove(() => {
        if (client.epoch !== servers.epoch) client.cutOff();
      });
      client.once('end', stopListening);
      client.on('error', (error) => {
        // Slonik no longer listens once it has given a connection up, and an error that nobody listens
        // for would end the process: one while a session begins, or of a line that is long dead.
        const tell = (): void => {
          if (clientEventEmitter.listenerCount('error') > 0)
            clientEventEmitter.emit('error', error);
        };
        // Not at once: if a connection fails between its opening and its use, slonik forgets the
        // waiting caller, and throws an error that nobody catches.
        setImmediate(tell);
      });
      return {
        connect: async () => {
          try {
            await client.connect();
            await startSession(client, settings, PLANNING);
          } catch (error) {
            // Slonik forgets it without ending it.
            client.cutOff();
            stopListening();
            servers.doubt();
            throw translateUnopened(error);
          }
        },
        end: () => client.end(),
        query: async (text, values) => {
          const result = await query(text, values);
          return {
            command: result.command as 'SELECT',
            fields: result.fields.map(({ name, dataTypeID }) => ({
              name,
              dataTypeId: dataTypeID,
            })),
            rowCount: result.rowCount ?? 0,
            rows: result.rows,
          };
        },
        stream: () => {
          throw new TypeError('rows are not streamed here');
        },
      };
    },
  }));
}

/** Runs one statement as the tenant of its caller. */
function queryOf(
  client: ServerClient,
  settings: ConnectionSettings,
): (text: string, values: unknown) => Promise<pg.QueryResult<QueryResultRow>> {
  const { servers, isPooledByTransaction = false } = settings;
  let current: TenantScope = EVERY_TENANT;

  async function run(text: string, values: readonly unknown[]) {
    const tenant = scope.getStore() ?? EVERY_TENANT;
    if (isPooledByTransaction) {
      const all = sessionSettings(settings, { ...PLANNING, 'svc.tenant': tenant });
      return runInTransaction<QueryResultRow>(client, { settings: all, text, values });
    }
    if (tenant !== current) {
      await client.query(scopeStatement(tenant));
      current = tenant;
    }
    return client.query<QueryResultRow>(text, values as unknown[]);
  }

  return async (text, values) => {
    const suspecting = setInterval(() => servers.suspect(), SUSPECT_MS).unref();
    try {
      const result = await run(text, (values ?? []) as readonly unknown[]);
      client.requireConfirmed();
      return result;
    } catch (thrown) {
      const error = client.causeOf(thrown);
      if (isReadOnlyServer(error)) servers.leave(client.epoch);
      throw error;
    } finally {
      clearInterval(suspecting);
    }
  };
}
