import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { SqliteFacts } from '../../installation.ts';
import type { Connection } from '../connection/connect.ts';

/** Above this, reading the whole file would take minutes. */
const CHECKED_BYTES_MAX = 4 * 1024 ** 3;
const DAMAGE_MAX = 20;

/** Facts about the file and its disk. */
export function readServerFacts(connection: Connection): SqliteFacts {
  const { path, database } = connection;
  const file = statSync(path);
  const disk = statfsSync(dirname(path));
  const found = file.size > CHECKED_BYTES_MAX ? null : checkPages(connection);
  return {
    dialect: 'sqlite',
    version:
      connection.get<{ readonly version: string }>('select sqlite_version() as version')?.version ??
      '',
    path,
    journalMode: String(database.pragma('journal_mode', { simple: true })),
    synchronous: Number(database.pragma('synchronous', { simple: true })),
    damage: found,
    fileBytes: file.size,
    walBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    freeBytes: disk.bavail * disk.bsize,
    fileMode: file.mode & 0o777,
    directoryMode: statSync(dirname(path)).mode & 0o777,
  };
}

function checkPages({ database }: Connection): readonly string[] {
  const rows = database.pragma(`quick_check(${DAMAGE_MAX})`) as readonly {
    readonly quick_check: string;
  }[];
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
}
