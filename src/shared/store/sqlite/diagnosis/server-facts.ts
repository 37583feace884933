import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { IN_MEMORY } from '../../../config/database-url.ts';
import type { DatabaseOverview, SqliteFacts } from '../../installation.ts';
import type { Connection } from '../connection/connect.ts';

const DAMAGE_MAX = 20;

/** Facts about the file and its disk. A database in memory has neither. */
export function readServerFacts(connection: Connection, checkedBytesMax: number): SqliteFacts {
  const { path, database } = connection;
  const fileBytes = readBytes(connection);
  return {
    dialect: 'sqlite',
    version: readVersion(connection),
    path,
    journalMode: String(database.pragma('journal_mode', { simple: true })),
    synchronous: Number(database.pragma('synchronous', { simple: true })),
    damage: fileBytes > checkedBytesMax ? null : checkPages(connection),
    fileBytes,
    ...(path === IN_MEMORY ? NO_FILE : readFile(path)),
  };
}

export function readOverview(connection: Connection): DatabaseOverview {
  return {
    dialect: 'sqlite',
    version: readVersion(connection),
    bytes: readBytes(connection),
    lockHolders: [],
  };
}

function readVersion(connection: Connection): string {
  const row = connection.get<{ readonly version: string }>('select sqlite_version() as version');
  return row?.version ?? '';
}

function readBytes({ database }: Connection): number {
  const read = (pragma: string): number => Number(database.pragma(pragma, { simple: true }));
  return read('page_count') * read('page_size');
}

const NO_FILE = { walBytes: 0, freeBytes: Number.MAX_SAFE_INTEGER, fileMode: 0, directoryMode: 0 };

function readFile(path: string): typeof NO_FILE {
  const disk = statfsSync(dirname(path));
  return {
    walBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    freeBytes: disk.bavail * disk.bsize,
    fileMode: statSync(path).mode & 0o777,
    directoryMode: statSync(dirname(path)).mode & 0o777,
  };
}

function checkPages({ database }: Connection): readonly string[] {
  const rows = database.pragma(`quick_check(${DAMAGE_MAX})`) as readonly {
    readonly quick_check: string;
  }[];
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
}
