import { readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { IN_MEMORY } from '../../../config/database-url.ts';
import type { DatabaseOverview, SqliteFacts } from '../../installation.ts';
import { replacedPrefix } from '../connection/backup.ts';
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
    restored: path === IN_MEMORY ? null : findRestore(path, connection.now()),
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

/** Finds the newest database that a restore replaced: such names end with the time. */
function findRestore(path: string, now: number): SqliteFacts['restored'] {
  const prefix = basename(replacedPrefix(path));
  const stamps = readdirSync(dirname(path)).flatMap((name) => {
    const stamp = name.startsWith(prefix) ? STAMP.exec(name.slice(prefix.length)) : null;
    return stamp === null ? [] : [stamp];
  });
  const last = stamps.toSorted(([one], [other]) => (one < other ? 1 : -1))[0];
  if (last === undefined) return null;
  const [stamp, year, month, day, hour, minute, second] = last;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return { keptAs: join(dirname(path), prefix + stamp), ageMs: Math.max(0, now - at) };
}

const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

function checkPages({ database }: Connection): readonly string[] {
  const rows = database.pragma(`quick_check(${DAMAGE_MAX})`) as readonly {
    readonly quick_check: string;
  }[];
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
}
