import type { DatabaseLocation } from '../../shared/config/database-url.ts';
import { maskUrl } from '../../shared/config/mask-url.ts';
import { explainOpenFailure } from '../../shared/store/sqlite/connection/errors.ts';
import { StoreUnavailableError } from '../../shared/store/unavailable.ts';
import { StartError } from '../start-error.ts';

export interface DatabaseTrouble {
  readonly error: Error;
  /** The server may only be starting: the same attempt can succeed a little later. */
  readonly mayPass: boolean;
}

/**
 * Explains an error of opening a database in one line for the operator; other errors stay
 * unchanged.
 */
export function explainDatabaseError(thrown: unknown, database: DatabaseLocation): DatabaseTrouble {
  if (database.dialect === 'sqlite') {
    return { error: explainOpenFailure(database.path, thrown), mayPass: false };
  }
  const code = findCode(thrown);
  const found = code === null ? null : (CODES[code] ?? classOf(code));
  const row = found ?? (code === null ? rowOfMessage(thrown) : null);
  if (row === null) return { error: toError(thrown), mayPass: false };
  const { advice, blames, mayPass } = row;
  const settings = blames === undefined ? '' : ` correct ${nameSettings(blames, database)}`;
  const told = `${nameServers(database)} ${advice}${settings} (${messageOf(thrown)})`;
  return { error: new StartError(told, { cause: thrown }), mayPass };
}

type Server = Extract<DatabaseLocation, { dialect: 'postgres' }>;

/** The error does not say over which URL it came. */
function nameServers({ url, directUrl = null }: Server): string {
  const direct = directUrl === null ? '' : ` or ${maskUrl(directUrl)}`;
  return `PostgreSQL at ${maskUrl(url)}${direct}`;
}

function nameSettings(
  blames: Exclude<Row['blames'], undefined>,
  { directUrl = null, passwordFile = null }: Server,
): string {
  const variables = ['SVC_DATABASE_URL'];
  if (directUrl !== null) variables.push('SVC_DATABASE_DIRECT_URL');
  if (blames === 'login' && passwordFile !== null)
    variables.push(`the password in ${passwordFile}`);
  const named = variables.join(' or ');
  return blames === 'certificate' ? `the host or sslrootcert in ${named}` : named;
}

/** Runs the work, and explains its errors to the operator. */
export async function withDatabaseErrorsExplained<Result>(
  database: DatabaseLocation,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw explainDatabaseError(error, database).error;
  }
}

interface Row {
  readonly advice: string;
  /** The settings to correct, which follow the advice: see `nameSettings`. */
  readonly blames?: 'urls' | 'login' | 'certificate';
  readonly mayPass: boolean;
}

const UNREACHABLE: Row = {
  advice: 'cannot be reached: start it, or',
  blames: 'urls',
  mayPass: true,
};
const NO_FILE: Row = {
  advice: 'needs a file that is missing: create it, or',
  blames: 'urls',
  mayPass: true,
};
const LOST_ROW: Row = { advice: 'broke the connection off: see its own log', mayPass: true };
const NO_CONNECTION: Row = { advice: 'gave no connection:', blames: 'login', mayPass: false };
const REFUSED: Row = { advice: 'refuses this user:', blames: 'login', mayPass: false };
const NO_TRUST: Row = {
  advice: 'shows a certificate that svc does not accept: renew it, or',
  blames: 'certificate',
  mayPass: false,
};

/** By system error code and SQLSTATE (PostgreSQL manual, appendix A). */
const CODES: Readonly<Record<string, Row>> = {
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  // Container platforms add names late, so an unknown name counts as a refused connection.
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  ENOENT: UNREACHABLE,
  'ENOENT open': NO_FILE,
  EPIPE: LOST_ROW,
  ECONNABORTED: LOST_ROW,
  '57P01': LOST_ROW,
  '57P02': LOST_ROW,
  '57P03': { advice: 'is starting or stopping', mayPass: true },
  '53300': { advice: 'has no connection left: raise its max_connections', mayPass: true },
  '53200': { advice: 'has no memory left: give its machine more', mayPass: true },
  '53100': { advice: 'has no room: make some on its disk', mayPass: true },
  XX000: { advice: 'failed with an error of its own: see its log', mayPass: true },
  '28P01': REFUSED,
  '28000': REFUSED,
  '3D000': { advice: 'has no such database: create it first', mayPass: false },
  '42501': { advice: 'does not let this user do that: grant it the right', mayPass: false },
  '25006': { advice: 'is read-only: name the primary server', mayPass: true },
};

/** pg's error for a lost connection has no code. */
const LOST = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/;

function rowOfMessage(thrown: unknown): Row | null {
  const isUnavailable = thrown instanceof StoreUnavailableError;
  const reason = isUnavailable ? (thrown.cause ?? thrown) : thrown;
  if (LOST.test(messageOf(reason))) return LOST_ROW;
  return isUnavailable ? NO_CONNECTION : null;
}

function classOf(code: string): Row | null {
  if (OF_TLS.test(code)) return NO_TRUST;
  return code.startsWith('08') ? LOST_ROW : null;
}

/** Node refuses the certificate of the server. */
const OF_TLS = /CERT_|_CERT\b|LEAF_SIGNATURE/;

function findCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') {
    // A socket of PostgreSQL may be missing, too.
    const isOfFile = 'syscall' in error && error.syscall === 'open';
    return isOfFile ? `${error.code} open` : error.code;
  }
  if (error instanceof AggregateError) return findCode(error.errors[0]);
  return findCode(error.cause);
}

/** Names that resolve to several addresses fail with an AggregateError without any message. */
function messageOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return toError(inner).message;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
