import * as fs from 'node:fs';
import { join } from 'node:path';

import { DatabaseNode } from '../failover/database-node.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { prepareServer } from '../support/servers/postgres-server.ts';
import { SmallDisk } from './small-disk.ts';

/** A database on a small disk. */
export interface CrampedDatabase {
  readonly name: string;
  readonly url: string;
  readonly disk: SmallDisk;
  /** Its server panics without room, so a supervisor starts it again. */
  readonly stops: boolean;
  /** There is room again; resolves when the database runs. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export const PARTS = ['sqlite', 'data', 'wal'] as const;
export type Part = (typeof PARTS)[number];

const MEGABYTES: Readonly<Record<Part, number>> = { sqlite: 24, data: 96, wal: 96 };

/** `data` and `wal`: the folder of PostgreSQL that is on the small disk. */
export async function openDatabase(folder: string, part: Part): Promise<CrampedDatabase> {
  const disk = SmallDisk.mount(join(folder, part), MEGABYTES[part]);
  try {
    return part === 'sqlite' ? openSqlite(disk) : await openPostgres({ folder, part, disk });
  } catch (error) {
    await disk.unmount();
    throw error;
  }
}

function openSqlite(disk: SmallDisk): CrampedDatabase {
  return {
    name: 'SQLite',
    url: `sqlite:${join(disk.path, 'svc.db')}`,
    disk,
    stops: false,
    recover: async () => disk.free(),
    close: () => disk.unmount(),
  };
}

async function openPostgres(of: {
  readonly folder: string;
  readonly part: 'data' | 'wal';
  readonly disk: SmallDisk;
}): Promise<CrampedDatabase> {
  const { folder, part, disk } = of;
  // The server's user enters the folder.
  fs.chmodSync(folder, 0o755);
  prepareServer(folder, ['--wal-segsize=1', `--waldir=${join(folder, 'wal')}`]);
  const node = new DatabaseNode({
    folder,
    name: 'server',
    port: await freePort(),
    dataFolder: join(folder, 'data'),
    settings: ['max_wal_size=32MB', 'min_wal_size=2MB', 'wal_keep_size=0'],
  });
  await node.start();
  return {
    name: `PostgreSQL, ${part === 'data' ? 'data folder' : 'write-ahead log'}`,
    url: node.url,
    disk,
    stops: part === 'wal',
    async recover() {
      disk.free();
      await node.start();
      await eventually(() => runOnServer(node.url, 'select 1'), { withinMs: 30_000 });
    },
    async close() {
      await node.end('SIGQUIT');
      await disk.unmount();
    },
  };
}
