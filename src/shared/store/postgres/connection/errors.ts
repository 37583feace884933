import { StoreUnavailableError, type Shortage } from '../../unavailable.ts';

/**
 * The store's edge: what the database or the driver says about the state of the connection or the
 * server becomes `StoreUnavailableError`; anything else (a constraint, a type, a bug) is passed on
 * as it is, because it is about the data.
 *
 * `mayBeCarriedOut`: the failed request was one that commits. Whether it did is unknown only when
 * the answer was lost; when the server answers with an error, it has rolled back.
 */
export function translateError(
  error: unknown,
  options: { readonly mayBeCarriedOut: boolean },
): unknown {
  if (error instanceof StoreUnavailableError) return error;
  const lost = isConnectionLoss(error);
  if (!lost && !isUnavailable(error)) return error;
  return unavailable(error, { ambiguous: lost && options.mayBeCarriedOut });
}

/**
 * No connection could be opened, so nothing was sent. Each reason is one of the server, the network
 * or the settings: a full disk answers a new connection with an internal error.
 */
export function translateUnopened(error: unknown): StoreUnavailableError {
  const translated = translateError(error, { mayBeCarriedOut: false });
  return translated instanceof StoreUnavailableError ? translated : unavailable(error);
}

function unavailable(error: unknown, { ambiguous = false } = {}): StoreUnavailableError {
  return new StoreUnavailableError(`database unavailable: ${messageOf(error)}`, {
    ambiguous,
    shortOf: SHORTAGES[codeOf(error) ?? ''] ?? null,
    cause: error,
  });
}

/** The server rolled the transaction back as a whole and says that trying again may succeed. */
export function isRetriable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** A plan of an optimistic commit does not hold; see `refuse_outright` in the schema. */
export function isUnmetCondition(error: unknown): boolean {
  return codeOf(error) === 'SV001' || isTakenKey(error);
}

/** An execution of this id or a start under this Idempotency-Key exists already. */
function isTakenKey(error: unknown): boolean {
  const { constraint } = error as { readonly constraint?: unknown };
  return codeOf(error) === '23505' && TAKEN_KEYS.has(constraint);
}

const TAKEN_KEYS: ReadonlySet<unknown> = new Set(['executions_pkey', 'request_keys_pkey']);

/** The connection is gone, or in a state nobody knows: it must not be used again. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === null) return error instanceof Error && LOSS_MESSAGES.test(error.message);
  return SOCKET_CODES.has(code) || code.startsWith('08') || SHUTDOWN_CODES.has(code);
}

/** For pools whose line of callers is not the driver's. */
export function fullPool(waitMsMax: number): StoreUnavailableError {
  const message = `no database connection became free within ${waitMsMax} ms`;
  return new StoreUnavailableError(message, { ambiguous: false, cause: new Error(FULL_POOL) });
}

/** No connection of the pool became free in time. */
export function isFullPool(error: unknown): boolean {
  return error instanceof Error && error.message === FULL_POOL;
}

const FULL_POOL = 'timeout exceeded when trying to connect';

/** Answers of a server that is reachable but cannot do it now. */
function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code !== null &&
    // 53: out of memory, disk or connections · 28: refused at the door · 58: an I/O error of the host.
    (/^(?:53|28|58)[0-9A-Z]{3}$/.test(code) || UNAVAILABLE_CODES.has(code) || isRetriable(error))
  );
}

const SHORTAGES: Readonly<Record<string, Shortage>> = {
  // The server lives on, unless its write-ahead log is full: then it panics and breaks connections off.
  '53100': 'disk',
  // One statement got no memory. If the system kills a process instead, the server starts again.
  '53200': 'memory',
  '53300': 'connections',
};

/** The driver's messages without a code. */
const LOSS_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Client has already been|Cannot use a pool after calling end)/;

const SHUTDOWN_CODES: ReadonlySet<string> = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
]);

const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  // Behind a pooler by transaction, where statements are prepared on connections of others.
  '26000', // invalid_sql_statement_name
  '42P05', // duplicate_prepared_statement
  '25006', // read_only_sql_transaction: a standby, or a primary that was demoted
  '55P03', // lock_not_available
  '57014', // query_canceled: the statement took too long
  '57P03', // cannot_connect_now: starting up or recovering
  '3D000', // invalid_catalog_name: no such database
]);

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
