import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { runOnServer } from '../../support/database.ts';
import { freePort } from '../../support/servers/ports.ts';
import { prepareServer, SERVER_OWNER } from '../../support/servers/postgres-server.ts';
import { whenThisProcessEnds } from './guardian.ts';

/*
 * A PostgreSQL server that is ended and started again on the same data. Its data and its write-ahead
 * log lie on small disks of their own where this process may mount such, so that they can be full.
 *
 * Without fsync: what a killed server has written the kernel still has. It would matter if the machine
 * went down, which it does not.
 */

const START_MS_MAX = 60_000;
const CONNECTIONS_MAX = 80;
const DATA_MIB = 1_024;
const LOG_MIB = 192;
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  `max_connections=${CONNECTIONS_MAX}`,
  'timezone=UTC',
  'fsync=off',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
  'log_line_prefix=%m [%p] %a ',
];
const ROLE = 'svc';
/** What the run cannot do when it was killed; `$1`: the folder. */
const CLEAN_UP = `kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
sleep 1
umount "$1/data" "$1/wal"
rm -rf "$1"`;

export type Disk = 'data' | 'wal';

export class ChaosPostgres {
  readonly port: number;
  readonly folder: string;
  /** Whether its disks are small ones of its own. */
  readonly hasOwnDisks: boolean;
  #server: ChildProcess | null = null;
  readonly #guardian: { readonly release: () => Promise<void> };

  /** `hasOwnDisks`: if it may have them. */
  static async create(
    folder: string,
    wanted: { readonly hasOwnDisks: boolean },
  ): Promise<ChaosPostgres> {
    fs.mkdirSync(folder, { recursive: true });
    const port = await freePort();
    const guardian = whenThisProcessEnds(CLEAN_UP, [folder]);
    const hasOwnDisks = wanted.hasOwnDisks && mountDisks(folder);
    const walFolder = hasOwnDisks ? [`--waldir=${join(folder, 'wal/log')}`] : [];
    prepareServer(folder, ['--wal-segsize=4', ...walFolder]);
    const postgres = new ChaosPostgres({ folder, port, hasOwnDisks, guardian });
    await postgres.start();
    await runOnServer(postgres.adminUrl, `create role ${ROLE} login`);
    await runOnServer(postgres.adminUrl, `create database ${ROLE} owner ${ROLE}`);
    // Sees the sessions of others, as the administrator of a runtime would.
    await runOnServer(postgres.adminUrl, `grant pg_monitor to ${ROLE}`);
    return postgres;
  }

  private constructor(params: {
    readonly folder: string;
    readonly port: number;
    readonly hasOwnDisks: boolean;
    readonly guardian: { readonly release: () => Promise<void> };
  }) {
    this.folder = params.folder;
    this.port = params.port;
    this.hasOwnDisks = params.hasOwnDisks;
    this.#guardian = params.guardian;
  }

  /** The database of the service, for its own role, through any port that leads to the server. */
  databaseUrl(port: number = this.port): string {
    return `postgres://${ROLE}@127.0.0.1:${port}/${ROLE}`;
  }

  /** The superuser, in the database of the service. */
  get superuserUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${ROLE}`;
  }

  get adminUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts it if it does not run, and waits until it takes connections. */
  async start(): Promise<void> {
    const deadline = performance.now() + START_MS_MAX;
    for (;;) {
      if (this.#server === null) this.#spawn();
      try {
        await runOnServer(this.adminUrl, 'select 1');
        return;
      } catch (error) {
        if (performance.now() > deadline) {
          const message = `PostgreSQL did not start; see ${this.logFile}`;
          throw new Error(message, { cause: error });
        }
      }
      await delay(100);
    }
  }

  /** SIGINT: fast, SIGQUIT: immediate; SIGKILL ends the first process alone, and it ends the rest. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.kill(signal);
    await once(server, 'exit');
  }

  /** Takes all that is free on one of its disks. */
  fill(disk: Disk): void {
    const path = join(this.folder, disk);
    // Never one that others need.
    if (fs.statSync(path).dev === fs.statSync(this.folder).dev) {
      throw new Error(`${path} is no disk of its own any more: somebody has unmounted it`);
    }
    const { bavail, bsize } = fs.statfsSync(path);
    const bytes = Math.min(bavail * bsize, DATA_MIB * 1024 * 1024);
    spawnSync('fallocate', ['-l', String(bytes), join(path, 'filler')]);
  }

  free(disk: Disk): void {
    fs.rmSync(join(this.folder, disk, 'filler'), { force: true });
  }

  /** Takes every connection but so many; the function gives them back. */
  async takeConnections(leave: number): Promise<() => Promise<void>> {
    const clients: pg.Client[] = [];
    const giveBack = async (): Promise<void> => {
      await Promise.allSettled(clients.map((client) => client.end()));
    };
    for (let taken = 0; taken < CONNECTIONS_MAX; taken += 1) {
      const client = new pg.Client({ connectionString: this.databaseUrl() });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        break;
      }
      clients.push(client);
    }
    await Promise.allSettled(clients.splice(0, leave).map((client) => client.end()));
    return giveBack;
  }

  get logFile(): string {
    return join(this.folder, 'server.log');
  }

  async close(): Promise<void> {
    await this.end('SIGQUIT');
    await this.#guardian.release();
    if (this.hasOwnDisks) for (const disk of DISKS) spawnSync('umount', [join(this.folder, disk)]);
    for (const part of ['bin', 'lib', 'share', ...DISKS]) {
      fs.rmSync(join(this.folder, part), { recursive: true, force: true });
    }
  }

  #spawn(): void {
    const log = fs.openSync(this.logFile, 'a');
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const server = spawn(
      join(this.folder, 'bin/postgres'),
      ['-D', join(this.folder, 'data'), '-p', String(this.port), ...settings],
      // A session of its own: an interrupt in the terminal is for this process alone.
      { ...SERVER_OWNER, cwd: this.folder, detached: true, stdio: ['ignore', log, log] },
    );
    fs.closeSync(log);
    this.#server = server;
    const gone = (): void => {
      if (this.#server === server) this.#server = null;
    };
    server.once('exit', gone);
    server.once('error', gone);
  }
}

const DISKS: readonly Disk[] = ['data', 'wal'];

/** Only the superuser of a machine may; false where it is refused. */
function mountDisks(folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  for (const [disk, sizeMiB] of [
    ['data', DATA_MIB],
    ['wal', LOG_MIB],
  ] as const) {
    const path = join(folder, disk);
    fs.mkdirSync(path);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', path]);
    if (status !== 0) {
      for (const mounted of DISKS) spawnSync('umount', [join(folder, mounted)]);
      for (const made of DISKS) fs.rmSync(join(folder, made), { recursive: true, force: true });
      return false;
    }
  }
  return true;
}
