import { StoreUnavailableError, type Shortage } from '../../unavailable.ts';

/**
 * The database file cannot be used. The message is one line, names the file and says what to do;
 * it is meant for the person who started the process.
 */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/** Explains SQLite's error about a file that cannot be opened to the operator. */
export function explainOpenFailure(path: string, error: unknown): Error {
  const code = sqliteCode(error);
  if (code === null) return error instanceof Error ? error : new Error(String(error));
  return new StoreOpenError(`${quote(path)} ${adviceFor(code, error)}`, { cause: error });
}

function adviceFor(code: string, error: unknown): string {
  if (code.startsWith('SQLITE_NOTADB')) {
    return 'is not an SQLite database: name another file, or move this one away';
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return 'is damaged: stop every process that uses it and restore it from a backup';
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return 'is locked by another process: stop that process, or name another file';
  }
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_PERM')) {
    return 'cannot be written: make the file and its directory writable for this user';
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return 'cannot be opened: its directory must exist and be writable, and it must be a file';
  }
  if (code.startsWith('SQLITE_FULL')) return 'cannot be written: the disk is full';
  return `cannot be used: ${messageOf(error)} (${code})`;
}

/**
 * The store's edge: what SQLite says about the file's state becomes `StoreUnavailableError`;
 * anything else (a constraint, a type, a bug) is passed on as it is, because it is about the data.
 */
export function translateError(error: unknown, options: { readonly ambiguous: boolean }): unknown {
  const code = sqliteCode(error);
  const unavailable =
    code === null ? isClosedHandle(error) : UNAVAILABLE.some((prefix) => code.startsWith(prefix));
  if (!unavailable) return error;
  const shortOf = shortageOf(code);
  return new StoreUnavailableError(`database unavailable: ${messageOf(error)}`, {
    // A write that does not fit leaves no end of its transaction in the log.
    ambiguous: options.ambiguous && shortOf !== 'disk',
    shortOf,
    cause: error,
  });
}

function shortageOf(code: string | null): Shortage | null {
  if (code?.startsWith('SQLITE_FULL') === true) return 'disk';
  return code?.startsWith('SQLITE_NOMEM') === true ? 'memory' : null;
}

/** Result codes that speak of the file, the disk or a lock; extended codes begin with these. */
const UNAVAILABLE: readonly string[] = [
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
  'SQLITE_NOMEM',
  'SQLITE_PERM',
];

/** By code and not by class, so that naming an error never loads the driver. */
function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : null;
}

function isClosedHandle(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'The database connection is not open';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function quote(path: string): string {
  return `database file "${path}"`;
}
