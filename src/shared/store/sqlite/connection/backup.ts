import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

import Database from 'better-sqlite3';

import { explainOpenFailure, StoreOpenError } from './errors.ts';
import { makeDirectoryOf } from './make-directory.ts';
import { makePrivate } from './private-file.ts';
import { lockDatabaseFile } from './process-lock.ts';

/*
 * A backup is one complete file: SQLite copies all pages as of one moment, even while the service
 * writes. A restore replaces the database with such a file.
 *
 * Both write beside the target, check the copy, and rename it, so an incomplete copy is never used.
 * The logs of the replaced database (-wal, -shm) are moved away with it: SQLite would apply them to
 * the new file.
 */

/**
 * All in one step, which reads as of one moment: with several steps, each concurrent write restarts
 * the copy.
 */
const ALL_PAGES = 0x7fff_ffff;

/** Throws `StoreOpenError` when there is such a file already, or the database cannot be read. */
export async function backupSqlite(params: {
  readonly path: string;
  readonly to: string;
}): Promise<{ readonly bytes: number }> {
  const { path, to } = params;
  if (existsSync(to)) throw new StoreOpenError(`"${to}" already exists: name a new file`);
  const partial = `${to}.partial`;
  makeDirectoryOf(to);
  removeFiles(partial);
  makePrivate(partial);
  const database = openExisting(path);
  try {
    await database.backup(partial, { progress: () => ALL_PAGES });
  } finally {
    database.close();
  }
  settle(partial);
  moveInPlace(partial, to);
  return { bytes: statSync(to).size };
}

/**
 * Replaces the database with a backup, or with a copy of a database file and its `-wal`. Throws
 * `StoreOpenError` while a process serves the database, and when the backup is damaged; then it
 * changes nothing.
 */
export function restoreSqlite(params: {
  readonly path: string;
  readonly from: string;
  /** Part of the name under which the old file is kept. */
  readonly stamp: string;
}): { readonly keptAs: string | null } {
  const { path, from, stamp } = params;
  if (!existsSync(from))
    throw new StoreOpenError(`there is no backup "${from}": name another file`);
  const lock = lockDatabaseFile(path);
  try {
    const restored = `${path}.restoring`;
    removeFiles(restored);
    copyFileSync(from, restored);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${restored}-wal`);
    makePrivate(restored);
    settle(restored);
    const keptAs = existsSync(path) ? replacedPrefix(path) + stamp : null;
    if (keptAs !== null) makePrivate(path);
    for (const suffix of ['', '-wal', '-shm']) {
      if (!existsSync(path + suffix)) continue;
      if (keptAs === null) rmSync(path + suffix);
      else renameSync(path + suffix, keptAs + suffix);
    }
    moveInPlace(restored, path);
    return { keptAs };
  } finally {
    lock.release();
  }
}

/** Names of replaced databases begin with this; the stamp of their restore follows. */
export function replacedPrefix(path: string): string {
  return `${path}.before-`;
}

/** Makes one whole file of a copy and its log, and looks it through. */
function settle(path: string): void {
  const database = openExisting(path);
  try {
    database.pragma('wal_checkpoint(truncate)');
    const found = database.pragma('quick_check', { simple: true });
    if (found !== 'ok') throw new StoreOpenError(`"${path}" is damaged: ${String(found)}`);
    const table = database
      .prepare(`select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'`)
      .get();
    if (table === undefined) {
      throw new StoreOpenError(`"${path}" is no database of this service: name another file`);
    }
  } catch (error) {
    throw explainOpenFailure(path, error);
  } finally {
    database.close();
  }
}

function openExisting(path: string): Database.Database {
  try {
    return new Database(path, { fileMustExist: true, timeout: 5_000 });
  } catch (error) {
    throw explainOpenFailure(path, error);
  }
}

/** On the disk before it has its name, and its name on the disk before anybody hears of it. */
function moveInPlace(from: string, to: string): void {
  flush(from);
  renameSync(from, to);
  flush(dirname(to));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
