import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';

import { IN_MEMORY } from '../../../config/database-url.ts';

/*
 * A database file holds every payload and the hashes of tokens, so only its owner may read it,
 * regardless of the umask. SQLite gives `-wal`, `-shm` and a rollback journal the mode of the
 * database file.
 *
 * A file that exists is never opened here: closing any descriptor of a file drops all locks that the process
 * holds on it, SQLite's included.
 */

const PRIVATE = 0o600;
const OTHERS = 0o077;

/**
 * Creates an empty file for SQLite to fill, or removes the rights of others on an existing file and
 * its logs. It ignores failures: SQLite reports a path that does not work, and `svc doctor` a file
 * that belongs to another user.
 */
export function makePrivate(path: string): void {
  if (path === IN_MEMORY) return;
  if (!existsSync(path)) attempt(() => closeSync(openSync(path, 'wx', PRIVATE)));
  for (const suffix of ['', '-wal', '-shm', '-journal']) attempt(() => restrict(path + suffix));
}

function restrict(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (stats.mode & OTHERS) === 0) return;
  chmodSync(path, stats.mode & ~OTHERS);
}

function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
