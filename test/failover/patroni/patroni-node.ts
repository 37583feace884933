import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';

import { findFaketime } from '../../chaos/cluster/clocks.ts';
import { SmallDisk } from '../../exhaustion/small-disk.ts';
import { SERVER_OWNER } from '../../support/servers/postgres-server.ts';
import { processesOf, type RunningProcess } from '../process-tree.ts';
import { addressOf, inside } from './network.ts';
import { configurePatroni, ETCD_PORTS, REST_PORT, SERVER_PORT } from './patroni-settings.ts';

const ANSWER_MS_MAX = 1_500;
const DISK_MIB = 768;

/**
 * A node: a member of etcd, and Patroni with its PostgreSQL. Patroni is the first process of a
 * process namespace, so that its PostgreSQL ends with it, as on a machine that is lost.
 */
export class PatroniNode {
  readonly name: string;
  readonly number: number;
  readonly logFile: string;
  /** Holds the data of its PostgreSQL and of its member of etcd. */
  readonly disk: SmallDisk;
  readonly #folder: string;
  readonly #clockFile: string;
  #etcd: ChildProcess | null = null;
  #patroni: ChildProcess | null = null;

  /** `folder` is for its data, `logs` for what stays after the run. */
  constructor(params: {
    readonly number: number;
    readonly of: readonly number[];
    readonly folder: string;
    readonly logs: string;
    readonly isSynchronous: boolean;
  }) {
    const { number, of, logs } = params;
    this.number = number;
    this.name = `node_${number}`;
    this.logFile = join(logs, `${this.name}.log`);
    this.#folder = join(params.folder, this.name);
    this.#clockFile = join(this.#folder, 'clock');
    this.disk = SmallDisk.mount(this.#folder, DISK_MIB);
    fs.writeFileSync(this.logFile, '');
    this.setClock(0);
    configurePatroni({
      folder: this.#folder,
      number,
      of,
      isSynchronous: params.isSynchronous,
      clock: { library: findFaketime(), file: this.#clockFile },
    });
  }

  /** As the superuser. */
  get url(): string {
    return `postgres://postgres@${addressOf(this.number, 'a')}:${SERVER_PORT}/postgres`;
  }

  /** The clock of PostgreSQL, ahead of the machine's, or behind it when negative. */
  setClock(aheadSeconds: number): void {
    fs.writeFileSync(this.#clockFile, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`);
  }

  startEtcd(members: readonly number[]): void {
    if (this.#etcd !== null) return;
    const url = (port: number, number = this.number): string =>
      `http://${addressOf(number, 'db')}:${port}`;
    const settings = {
      name: this.name,
      'data-dir': join(this.#folder, 'etcd'),
      'listen-client-urls': url(ETCD_PORTS.client),
      'advertise-client-urls': url(ETCD_PORTS.client),
      'listen-peer-urls': url(ETCD_PORTS.peer),
      'initial-advertise-peer-urls': url(ETCD_PORTS.peer),
      'initial-cluster': members
        .map((number) => `node_${number}=${url(ETCD_PORTS.peer, number)}`)
        .join(),
    };
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const log = `${this.logFile.slice(0, -'.log'.length)}-etcd.log`;
    this.#etcd = this.#spawn(['etcd', ...flags], log);
    this.#etcd.once('exit', () => (this.#etcd = null));
  }

  startPatroni(): void {
    if (this.#patroni !== null) return;
    const namespaces = ['unshare', '--pid', '--mount', '--mount-proc', '--fork', '--kill-child'];
    this.#patroni = this.#spawn(
      // A change of the user revokes the signal that --kill-child asks for.
      [
        ...namespaces,
        ...asOwner(),
        '--pdeathsig',
        'KILL',
        'patroni',
        `${this.#folder}/patroni.yml`,
      ],
      this.logFile,
    );
    this.#patroni.once('exit', () => (this.#patroni = null));
  }

  async killEtcd(): Promise<void> {
    await kill(this.#etcd);
  }

  /** Ends everything of the node at once. */
  async crash(): Promise<void> {
    await Promise.all([kill(this.#patroni), kill(this.#etcd)]);
  }

  /** `first`: the first process of PostgreSQL; `postgres`: all of its processes; `node`: Patroni, too. */
  signal(signal: NodeJS.Signals, to: 'first' | 'postgres' | 'node'): void {
    const processes = this.#processes();
    const servers = this.#servers();
    const pids = new Set(servers.map(({ pid }) => pid));
    const first = servers.filter(({ parent }) => !pids.has(parent));
    const wanted = { first, postgres: servers, node: processes }[to];
    for (const { pid } of wanted) process.kill(pid, signal);
  }

  /** The processes of its PostgreSQL. */
  get serverPids(): readonly number[] {
    return this.#servers().map(({ pid }) => pid);
  }

  /** Whether it runs as the primary and has the leader key. */
  async isPrimary(): Promise<boolean> {
    return (await this.ask('/primary'))?.status === 200;
  }

  /** An answer of Patroni; null without one. */
  async ask(path: string): Promise<{ readonly status: number; readonly body: unknown } | null> {
    return this.#request(path, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  }

  async post(path: string, body: object, withinMs: number): Promise<string> {
    const response = await fetch(this.#restUrl(path), {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${this.name} refuses ${path}: ${response.status} ${text}`);
    return text;
  }

  async #request(path: string, options: RequestInit) {
    try {
      const response = await fetch(this.#restUrl(path), options);
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  }

  #restUrl(path: string): string {
    return `http://${addressOf(this.number, 'a')}:${REST_PORT}${path}`;
  }

  #servers(): readonly RunningProcess[] {
    const servers = this.#processes().filter(({ program }) => program === 'postgres');
    if (servers.length === 0) throw new Error(`${this.name} runs no PostgreSQL`);
    return servers;
  }

  #processes(): readonly RunningProcess[] {
    const pid = this.#patroni?.pid;
    return pid === undefined ? [] : processesOf(pid);
  }

  #spawn(command: readonly string[], logFile: string): ChildProcess {
    const log = fs.openSync(logFile, 'a');
    const isEtcd = command[0] === 'etcd';
    const owner = isEtcd
      ? [...asOwner(), '--pdeathsig', 'KILL']
      : ['setpriv', '--pdeathsig', 'KILL'];
    const [program = '', ...args] = [...inside(this.number), ...owner, ...command];
    const child = spawn(program, args, {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ETCD_LOGGER: 'zap' },
      // Its own session: an interrupt in the terminal reaches only this process.
      detached: true,
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    return child;
  }
}

function asOwner(): readonly string[] {
  const { uid, gid } = SERVER_OWNER;
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

async function kill(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
