import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { runOnServer } from '../support/database.ts';
import { SERVER_OWNER } from '../support/servers/postgres-server.ts';
import { copyData } from '../support/servers/postgres-standby.ts';
import { processesOf } from './process-tree.ts';

const START_MS_MAX = 60_000;
const CATCH_UP_MS_MAX = 30_000;
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=120',
  'timezone=UTC',
  'fsync=off',
  'wal_keep_size=256MB',
  'wal_receiver_status_interval=1s',
  'wal_retrieve_retry_interval=200ms',
  'log_line_prefix=%m [%p] %a ',
];

/** One server of a replicated database: the primary, a standby, or down. */
export class DatabaseNode {
  readonly name: string;
  readonly port: number;
  readonly #folder: string;
  readonly #settings: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #dataFolder: string;
  #copies = 0;
  #server: ChildProcess | null = null;

  /** `folder` has the programs; `dataFolder` those of the first primary. */
  constructor(params: {
    readonly folder: string;
    readonly name: string;
    readonly port: number;
    readonly dataFolder?: string;
    readonly settings: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }) {
    this.name = params.name;
    this.port = params.port;
    this.#folder = params.folder;
    this.#settings = params.settings;
    this.#env = params.env ?? {};
    this.#dataFolder = params.dataFolder ?? '';
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get dataFolder(): string {
    return this.#dataFolder;
  }

  get logFile(): string {
    return join(this.#folder, `${this.name}.log`);
  }

  /** The id of its first process; null: it is down. */
  get pid(): number | null {
    return this.#server?.pid ?? null;
  }

  /** All of its processes. */
  get pids(): readonly number[] {
    return this.pid === null ? [] : processesOf(this.pid).map(({ pid }) => pid);
  }

  get isRunning(): boolean {
    return this.#server !== null;
  }

  /** Waits until it accepts connections. */
  async start(): Promise<void> {
    const deadline = performance.now() + START_MS_MAX;
    for (;;) {
      if (this.#server === null) this.#spawn();
      try {
        await runOnServer(this.url, 'select 1');
        return;
      } catch (error) {
        if (performance.now() > deadline) {
          throw new Error(`${this.name} did not start; see ${this.logFile}`, { cause: error });
        }
      }
      await delay(50);
    }
  }

  /** SIGINT: a clean stop, after the standbys have everything; SIGKILL: a crash. */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.kill(signal);
    await once(server, 'exit');
  }

  /** Copies the primary into a new folder, because processes of a crash may still use the old one. */
  async follow(primary: DatabaseNode): Promise<void> {
    this.#copies += 1;
    const target = join(this.#folder, `${this.name}-${this.#copies}`);
    await copyData(primary, target);
    if (this.#dataFolder !== '') fs.rmSync(this.#dataFolder, { recursive: true, force: true });
    this.#dataFolder = target;
    fs.chmodSync(target, 0o700);
    await this.rejoin(primary);
  }

  /** After a clean stop its files are good: it follows from where it stopped. */
  async rejoin(primary: DatabaseNode): Promise<void> {
    fs.writeFileSync(join(this.#dataFolder, 'standby.signal'), '');
    this.#pointAt(primary);
    giveToOwner(this.#dataFolder);
    await this.start();
  }

  /** Follows another primary from now on; takes effect at once. */
  followInstead(primary: DatabaseNode): void {
    this.#pointAt(primary);
    this.#server?.kill('SIGHUP');
  }

  /** Confirms nothing more to its primary; resolves when that is certain. */
  async stopReceiving(): Promise<void> {
    fs.appendFileSync(join(this.#dataFolder, 'postgresql.conf'), `\nprimary_conninfo = ''\n`);
    this.#server?.kill('SIGHUP');
    const deadline = performance.now() + CATCH_UP_MS_MAX;
    for (;;) {
      const { rowCount } = await runOnServer(this.url, 'select from pg_stat_wal_receiver');
      if (rowCount === 0) return;
      if (performance.now() > deadline) throw new Error(`${this.name} still receives`);
      await delay(20);
    }
  }

  async promote(): Promise<void> {
    await runOnServer(this.url, 'select pg_promote(true, 30)');
  }

  async readReceived(): Promise<bigint> {
    const { rows } = await runOnServer(
      this.url,
      `select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::text as bytes`,
    );
    return BigInt((rows[0] as { readonly bytes: string | null }).bytes ?? '0');
  }

  /** Waits until the standby of this name streams from this primary. */
  async waitForStandby(name: string): Promise<void> {
    const deadline = performance.now() + CATCH_UP_MS_MAX;
    for (;;) {
      const { rowCount } = await runOnServer(
        this.url,
        `select from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
      );
      if (rowCount === 1) return;
      if (performance.now() > deadline) throw new Error(`${name} does not follow ${this.name}`);
      await delay(100);
    }
  }

  #pointAt(primary: DatabaseNode): void {
    const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`;
    fs.appendFileSync(
      join(this.#dataFolder, 'postgresql.conf'),
      `\nprimary_conninfo = '${conninfo}'\n`,
    );
  }

  #spawn(): void {
    const log = fs.openSync(this.logFile, 'a');
    const settings = [...SETTINGS, ...this.#settings].flatMap((setting) => ['-c', setting]);
    const server = spawn(
      join(this.#folder, 'bin/postgres'),
      ['-D', this.#dataFolder, '-p', String(this.port), ...settings],
      // Its own session: an interrupt in the terminal reaches only this process.
      {
        ...SERVER_OWNER,
        cwd: this.#folder,
        env: { ...process.env, ...this.#env },
        detached: true,
        stdio: ['ignore', log, log],
      },
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

function giveToOwner(folder: string): void {
  const { uid, gid = 0 } = SERVER_OWNER;
  if (uid === undefined) return;
  fs.chownSync(folder, uid, gid);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    fs.lchownSync(join(entry.parentPath, entry.name), uid, gid);
  }
}
