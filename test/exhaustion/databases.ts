import * as fs from 'node:fs';
import { join } from 'node:path';

import { DatabaseNode } from '../failover/database-node.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { prepareServer, SERVER_OWNER } from '../support/servers/postgres-server.ts';
import { denyMemory, familyOf, grantMemory } from './limit-memory.ts';
import { SmallDisk } from './small-disk.ts';

/** A database, or the service on it, that runs out of something. */
export interface Cramped {
  readonly name: string;
  readonly url: string;
  /** The code of refused starts; null: what runs out ends the process that would name it. */
  readonly code: 'database_full' | 'database_out_of_memory' | null;
  /** A supervisor starts it again. */
  readonly ends: 'nothing' | 'server' | 'service';
  readonly readsContinue: boolean;
  /** The size of each input. */
  readonly inputBytes: number;
  /** `service`: the ids of its processes. */
  exhaust(service: readonly number[]): void;
  /** There is room again; resolves when the database runs. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export const PARTS = ['sqlite', 'data', 'wal', 'memory', 'service'] as const;
export type Part = (typeof PARTS)[number];

const MEGABYTES: Readonly<Record<'sqlite' | 'data' | 'wal', number>> = {
  sqlite: 24,
  data: 96,
  wal: 96,
};
/** On a full disk a start needs new room soon; the checker reads every text. */
const INPUT_BYTES = 2_000;

const OPEN: Readonly<Record<Part, (folder: string) => Promise<Cramped>>> = {
  sqlite: openSqlite,
  data: (folder) => openPostgres(folder, 'data'),
  wal: (folder) => openPostgres(folder, 'wal'),
  memory: openWithoutMemory,
  service: openForService,
};

/** `data` and `wal`: the folder of PostgreSQL that is on the small disk. */
export function openCramped(folder: string, part: Part): Promise<Cramped> {
  return OPEN[part](folder);
}

async function openSqlite(folder: string): Promise<Cramped> {
  const disk = SmallDisk.mount(join(folder, 'sqlite'), MEGABYTES.sqlite);
  return {
    name: 'SQLite, disk',
    url: `sqlite:${join(disk.path, 'svc.db')}`,
    code: 'database_full',
    ends: 'nothing',
    readsContinue: true,
    inputBytes: INPUT_BYTES,
    exhaust: () => disk.fill(),
    recover: async () => disk.free(),
    close: () => disk.unmount(),
  };
}

async function openPostgres(folder: string, part: 'data' | 'wal'): Promise<Cramped> {
  const disk = SmallDisk.mount(join(folder, part), MEGABYTES[part]);
  try {
    const node = await startServer(folder, {
      initdb: ['--wal-segsize=1', `--waldir=${join(folder, 'wal')}`],
      settings: ['max_wal_size=32MB', 'min_wal_size=2MB', 'wal_keep_size=0'],
    });
    return {
      name: `PostgreSQL, ${part === 'data' ? 'data folder' : 'write-ahead log'}`,
      url: node.url,
      code: part === 'wal' ? null : 'database_full',
      ends: part === 'wal' ? 'server' : 'nothing',
      readsContinue: part === 'data',
      inputBytes: INPUT_BYTES,
      exhaust: () => disk.fill(),
      async recover() {
        disk.free();
        await untilItRuns(node);
      },
      async close() {
        await node.end('SIGQUIT');
        await disk.unmount();
      },
    };
  } catch (error) {
    await disk.unmount();
    throw error;
  }
}

/** The processes of the server get no more memory, as on a machine that does not promise more than it has. */
async function openWithoutMemory(folder: string): Promise<Cramped> {
  const node = await startServer(folder, {
    settings: [],
    // A large value asks the system for memory, and does not fit into what was freed before.
    env: { MALLOC_MMAP_THRESHOLD_: '8192' },
  });
  const family = (): readonly number[] => (node.pid === null ? [] : familyOf(node.pid));
  return {
    name: 'PostgreSQL, memory',
    url: node.url,
    code: 'database_out_of_memory',
    ends: 'nothing',
    readsContinue: false,
    inputBytes: 6_000,
    exhaust: () => denyMemory(family(), SERVER_OWNER),
    async recover() {
      grantMemory(family(), SERVER_OWNER);
      await untilItRuns(node);
    },
    close: () => node.end('SIGQUIT'),
  };
}

/** The service gets no more memory, so V8 ends it. */
async function openForService(folder: string): Promise<Cramped> {
  return {
    name: 'SQLite, memory of the service',
    url: `sqlite:${join(folder, 'svc.db')}`,
    code: null,
    ends: 'service',
    readsContinue: false,
    inputBytes: INPUT_BYTES,
    exhaust: (service) => denyMemory(service),
    recover: async () => undefined,
    close: async () => undefined,
  };
}

async function startServer(
  folder: string,
  options: {
    readonly initdb?: readonly string[];
    readonly settings: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<DatabaseNode> {
  const { initdb = [], settings, env = {} } = options;
  // The server's user enters the folder.
  fs.chmodSync(folder, 0o755);
  prepareServer(folder, initdb);
  const port = await freePort();
  const dataFolder = join(folder, 'data');
  const node = new DatabaseNode({ folder, name: 'server', port, dataFolder, settings, env });
  await node.start();
  return node;
}

async function untilItRuns(node: DatabaseNode): Promise<void> {
  await node.start();
  await eventually(() => runOnServer(node.url, 'select 1'), { withinMs: 30_000 });
}
