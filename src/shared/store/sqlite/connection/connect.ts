import Database from 'better-sqlite3';

import { explainOpenFailure, StoreOpenError, translateError } from './errors.ts';
import { makeDirectoryOf } from './make-directory.ts';
import { makePrivate } from './private-file.ts';

/*
 * One connection serves the whole process. better-sqlite3 is synchronous, so everything between two
 * awaits is one undisturbed flow: transactions of this process never overlap, and each method of the
 * store does its work in one go. Other processes (the command line) may write between two methods,
 * never within a transaction: `begin immediate` takes the write lock before anything is read.
 *
 * Trusted: the file and its -wal are on a local disk whose fsync is honest. `synchronous = FULL`
 * makes every commit durable before it is answered. When a statement fails, the transaction is
 * rolled back and nothing of it remains. Only a failing `commit` leaves the outcome open (its
 * frames may have reached the disk): that is reported as ambiguous.
 */

/** Before this version a reset of the write-ahead log could corrupt the file. */
const SQLITE_VERSION_MIN = '3.51.3';

/**
 * How long a statement waits for another process's write before the store is unavailable. The whole
 * process waits with it, so this is no longer than a visit of the command line may take.
 */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Pages in the log before they are copied into the database, 16 MB. Steps rewrite the same pages, so
 * copying later copies less: with SQLite's own 1000 pages, commits of one step took at least a third
 * longer, and more on a busy disk.
 */
const CHECKPOINT_PAGES = 4_000;

/** Milliseconds since the epoch. */
export type Clock = () => number;

export type Bindable = string | number | Uint8Array | null;
/**
 * By name, or by place: for `?` in their order. Names are looked up one by one, a microsecond for a
 * row of events, so what is written or read at every step is bound by place.
 */
export type Bindings = NamedBindings | readonly Bindable[];
export type NamedBindings = Readonly<Record<string, Bindable>>;

export interface Connection {
  readonly path: string;
  readonly database: Database.Database;
  /** The database's clock: the one source of every time that is stored or compared. */
  now(): number;
  get<Row>(sql: string, bindings?: Bindings): Row | undefined;
  all<Row>(sql: string, bindings?: Bindings): Row[];
  /** Number of rows changed. */
  run(sql: string, bindings?: Bindings): number;
  /** Statements that only read, as of one moment. */
  read<Result>(work: () => Result): Promise<Result>;
  /** One immediate transaction: all of it is kept, or nothing when `work` throws. */
  write<Result>(work: () => Result): Promise<Result>;
  close(): void;
}

/**
 * Opens the file, and creates it and its directory if they are missing. Throws `StoreOpenError` if
 * it cannot be used. It does not check the schema.
 */
export function connect(params: {
  readonly path: string;
  readonly clock?: Clock;
  readonly busyTimeoutMs?: number;
  readonly onStatement?: () => void;
}): Connection {
  const { path, clock, busyTimeoutMs = BUSY_TIMEOUT_MS, onStatement } = params;
  return connectTo(openFile({ path, busyTimeoutMs, onStatement }), { path, clock });
}

/** On an open database: its opener decides about its settings and its durability. */
export function connectTo(
  database: Database.Database,
  params: { readonly path: string; readonly clock?: Clock | undefined },
): Connection {
  const { path } = params;
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();

  // Compiling a statement costs ten times as much as running it, so each text is compiled once. A
  // lookup must hash a text that is built at every call, so those of the hot path are constants.
  function prepared(sql: string): Database.Statement<unknown[], unknown> {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(forAnyValues(sql));
      statements.set(sql, statement);
    }
    return statement;
  }

  const begin = database.prepare('begin');
  const beginImmediate = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');

  function inTransaction<Result>(
    start: Database.Statement<unknown[], unknown>,
    work: () => Result,
  ): Result {
    let ambiguous = false;
    try {
      start.run();
      const result = work();
      ambiguous = start === beginImmediate;
      commit.run();
      return result;
    } catch (error) {
      // SQLite has rolled back automatically after the most serious errors.
      if (database.open && database.inTransaction) rollback.run();
      throw translateError(error, { ambiguous });
    }
  }

  const clockReading = database
    .prepare<[], number>("select cast(round(unixepoch('now', 'subsec') * 1000) as integer)")
    .pluck();
  const { clock = () => clockReading.get() ?? 0 } = params;

  return {
    path,
    database,
    now: clock,
    get: <Row>(sql: string, bindings: Bindings = {}) =>
      prepared(sql).get(bindings) as Row | undefined,
    all: <Row>(sql: string, bindings: Bindings = {}) => prepared(sql).all(bindings) as Row[],
    run: (sql, bindings = {}) => prepared(sql).run(bindings).changes,
    read: async (work) => inTransaction(begin, work),
    write: async (work) => inTransaction(beginImmediate, work),
    close: () => void database.close(),
  };
}

function openFile(params: {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly onStatement: (() => void) | undefined;
}): Database.Database {
  const { path, busyTimeoutMs, onStatement } = params;
  let database: Database.Database | null = null;
  try {
    makeDirectoryOf(path);
    makePrivate(path);
    database = new Database(path, {
      timeout: busyTimeoutMs,
      ...(onStatement !== undefined && { verbose: () => onStatement() }),
    });
    refuseOldSqlite(database);
    const mode = database.pragma('journal_mode = wal', { simple: true });
    if (mode !== 'wal') {
      throw new StoreOpenError(
        `database file "${path}" cannot use a write-ahead log here: put it on a local disk`,
      );
    }
    database.pragma('synchronous = full');
    database.pragma('foreign_keys = on');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // Reads the whole schema: a damaged file is found here and not at the first request.
    database.prepare('select count(*) from sqlite_schema').get();
    return database;
  } catch (error) {
    database?.close();
    throw explainOpenFailure(path, error);
  }
}

function refuseOldSqlite(database: Database.Database): void {
  const version = database.prepare<[], string>('select sqlite_version()').pluck().get() ?? '0';
  if (!isOlder(version, SQLITE_VERSION_MIN)) return;
  throw new StoreOpenError(
    `SQLite ${version} is too old: ${SQLITE_VERSION_MIN} or later is needed; reinstall the dependencies`,
  );
}

/** By numbers: `localeCompare` loads the rules of a language first, for 10 ms of a start. */
export function isOlder(version: string, than: string): boolean {
  const [own = [], other = []] = [version, than].map((one) => one.split('.').map(Number));
  const at = other.findIndex((part, index) => part !== (own[index] ?? 0));
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0);
}

/**
 * SQLite plans for the bound values: a statement that compares with a bare parameter, or is limited
 * by one, is compiled again at every execution with new values, at ten times the cost of running
 * it. A parameter behind a sign is an expression, which the planner does not inspect, and has the
 * same value for any type.
 */
export function forAnyValues(sql: string): string {
  return sql
    .replaceAll(/([=<>]\s*)(\?|:\w)/g, '$1+$2')
    .replaceAll(/(\blimit\s+)(\?|:\w+)/g, '$1$2 + 0');
}
