import * as fs from 'node:fs';
import { join } from 'node:path';

import { addressOf } from './network.ts';

export const REST_PORT = 8008;
export const SERVER_PORT = 5432;
export const ETCD_PORTS = { client: 2379, peer: 2380 } as const;

/** The least that Patroni's documentation permits. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 } as const;
const PROGRAMS = '/usr/lib/postgresql';

/** The folder of the newest server's programs; null without one. */
export function findServer(): string | null {
  const versions = fs.existsSync(PROGRAMS) ? fs.readdirSync(PROGRAMS) : [];
  const folders = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(PROGRAMS, version, 'bin'));
  return folders.find((folder) => fs.existsSync(join(folder, 'postgres'))) ?? null;
}

/** Writes the configuration of a node, and the folder of the server's programs. */
export function configurePatroni(node: {
  readonly folder: string;
  readonly number: number;
  readonly of: readonly number[];
  readonly isSynchronous: boolean;
  readonly clock: { readonly library: string | null; readonly file: string };
}): void {
  const { folder, number, of, isSynchronous } = node;
  const own = addressOf(number, 'db');
  const configuration = {
    scope: 'svc',
    name: `node_${number}`,
    restapi: { listen: `0.0.0.0:${REST_PORT}`, connect_address: `${own}:${REST_PORT}` },
    etcd3: { hosts: of.map((other) => `${addressOf(other, 'db')}:${ETCD_PORTS.client}`) },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: PARAMETERS },
      },
      initdb: ['no-sync', { encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: `0.0.0.0:${SERVER_PORT}`,
      connect_address: `${own}:${SERVER_PORT}`,
      data_dir: join(folder, 'data'),
      bin_dir: writePrograms(node),
      pgpass: join(folder, 'pgpass'),
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        'local all all trust',
        'host all all 0.0.0.0/0 trust',
        'host replication all 0.0.0.0/0 trust',
      ],
    },
  };
  // YAML includes JSON.
  fs.writeFileSync(join(folder, 'patroni.yml'), JSON.stringify(configuration, null, 2));
}

const PARAMETERS = {
  max_connections: 120,
  timezone: 'UTC',
  fsync: 'off',
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
  max_wal_size: '128MB',
  log_line_prefix: '%m [%p] %a ',
};

/**
 * The server's clock follows a file, but only some seconds after its start: Patroni compares the
 * time of the start with the kernel's.
 */
function writePrograms({ folder, clock }: Parameters<typeof configurePatroni>[0]): string {
  const installed = findServer();
  if (installed === null) throw new Error('PostgreSQL is not installed');
  const programs = join(folder, 'bin');
  fs.mkdirSync(programs);
  for (const program of fs.readdirSync(installed)) {
    fs.symlinkSync(join(installed, program), join(programs, program));
  }
  if (clock.library === null) return programs;
  const server = join(programs, 'postgres');
  fs.rmSync(server);
  fs.writeFileSync(
    server,
    `#!/bin/sh
export LD_PRELOAD=${clock.library} FAKETIME_TIMESTAMP_FILE=${clock.file} FAKETIME_CACHE_DURATION=1
export FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 FAKETIME_START_AFTER_SECONDS=2
exec ${join(installed, 'postgres')} "$@"
`,
  );
  fs.chmodSync(server, 0o755);
  return programs;
}
