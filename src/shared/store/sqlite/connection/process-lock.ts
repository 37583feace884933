import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import Database from 'better-sqlite3';

import { StoreOpenError } from './errors.ts';
import { makeDirectoryOf } from './make-directory.ts';
import { makePrivate } from './private-file.ts';

/*
 * One process tree serves a database file. The claim to it is an exclusive SQLite lock on a file of
 * its own beside the database, held by an open transaction for as long as the process lives. The
 * operating system drops it at any death of the process, so nothing stale is ever left behind, and
 * the database itself stays open to short visits of the command line.
 *
 * Trusted: the file system's locks, as SQLite itself does. The lock file stays when the lock is
 * released: removing it would let two processes hold locks on two files of the same name.
 */

export interface DatabaseFileLock {
  release(): void;
}

/** Throws `StoreOpenError` when another process serves the file. */
export function lockDatabaseFile(path: string): DatabaseFileLock {
  makeDirectoryOf(path);
  const lockPath = `${resolveLinks(path)}.lock`;
  let database: Database.Database | null = null;
  try {
    makePrivate(lockPath);
    database = new Database(lockPath, { timeout: 0 });
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    throw new StoreOpenError(explain({ path, lockPath, error }), { cause: error });
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      held.delete(lock);
      lock.close();
    },
  };
}

/** A connection that nobody refers to is closed, and its lock with it. */
const held = new Set<Database.Database>();

/** Two names of one file must lead to one lock. */
function resolveLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const directory = dirname(path);
  return existsSync(directory) ? join(realpathSync(directory), basename(path)) : path;
}

function explain(params: {
  readonly path: string;
  readonly lockPath: string;
  readonly error: unknown;
}): string {
  const { path, lockPath, error } = params;
  const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
  return busy
    ? `database file "${path}" is being served by another process: stop it, or name another file`
    : `lock file "${lockPath}" cannot be used: its directory must exist and be writable`;
}
