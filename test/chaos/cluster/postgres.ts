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
 * A PostgreSQL server that ends and restarts on the same data. Its data and its write-ahead log are
 * on separate small disks, so that they can become full. This needs the right to mount them.
 * It runs without fsync, because the kernel keeps the writes of a killed server. Only a crash of
 * the machine would lose them.
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
/** The cleanup that a killed run cannot do; `$1` is the folder. */
const CLEAN_UP = `kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
sleep 1
umount "$1/data" "$1/wal"
rm -rf "$1"`;

export type Disk = 'data' | 'wal';

/** The database of a cluster: one server, or several of which one is the primary. */
export interface ClusterDatabase {
  /** The ports of its servers; each process reaches them through lines of its own. */
  readonly ports: readonly number[];
  readonly superuserUrl: string;
  readonly logFiles: readonly string[];
  /** Settings of a process that reaches the servers through these ports. */
  settingsThrough(member: string, ports: readonly number[]): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export class ChaosPostgres implements ClusterDatabase {
  readonly port: number;
  readonly folder: string;
  /** Whether it has separate small disks. */
  readonly hasOwnDisks: boolean;
  #server: ChildProcess | null = null;
  readonly #guardian: { readonly release: () => Promise<void> };

  /** `hasOwnDisks` requests separate disks, if this process may mount them. */
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
    // The role sees other sessions, like the administrator of a runtime.
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

  /** The service's database, under its own role, through any port that leads to the server. */
  databaseUrl(port: number = this.port): string {
    return `postgres://${ROLE}@127.0.0.1:${port}/${ROLE}`;
  }

  get ports(): readonly number[] {
    return [this.port];
  }

  get logFiles(): readonly string[] {
    return [this.logFile];
  }

  settingsThrough(_member: string, [port]: readonly number[]): Readonly<Record<string, string>> {
    return { SVC_DATABASE_URL: this.databaseUrl(port) };
  }

  /** The service's database, as the superuser. */
  get superuserUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${ROLE}`;
  }

  get adminUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server unless it runs, and waits until it accepts connections. */
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

  /**
   * SIGINT: fast; SIGQUIT: immediate; SIGKILL ends only the first process, and the others then end.
   */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.kill(signal);
    await once(server, 'exit');
  }

  /** Fills one of its disks. */
  fill(disk: Disk): void {
    const path = join(this.folder, disk);
    // Never fills a disk that others use.
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

  /** Takes all connections except this number; the returned function releases them. */
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
      // Its own session: an interrupt in the terminal reaches only this process.
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

/** Only root may mount; false when the mount is refused. */
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
