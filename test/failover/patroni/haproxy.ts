import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';

import { freePort } from '../../support/servers/ports.ts';
import { addressOf } from './network.ts';
import { REST_PORT, SERVER_PORT } from './patroni-settings.ts';

const HAPROXY = '/usr/sbin/haproxy';
/** It ends with this process. */
const WITH_THIS = ['--pdeathsig', 'KILL'];

export type Role = 'primary' | 'replica';

/** A proxy that leads to the nodes which say that they have a role. */
export class HaProxy {
  readonly port: number;
  readonly #file: string;
  readonly #nodes: readonly number[];
  #process: ChildProcess | null = null;

  static async create(folder: string, nodes: readonly number[]): Promise<HaProxy> {
    return new HaProxy({ file: join(folder, 'haproxy.cfg'), nodes, port: await freePort() });
  }

  private constructor(params: {
    readonly file: string;
    readonly nodes: readonly number[];
    readonly port: number;
  }) {
    this.port = params.port;
    this.#file = params.file;
    this.#nodes = params.nodes;
  }

  async start(role: Role): Promise<void> {
    fs.writeFileSync(this.#file, this.#configure(role));
    const log = fs.openSync(`${this.#file}.log`, 'a');
    this.#process = spawn('setpriv', [...WITH_THIS, HAPROXY, '-db', '-f', this.#file], {
      stdio: ['ignore', log, log],
      detached: true,
    });
    fs.closeSync(log);
    await once(this.#process, 'spawn');
  }

  async stop(): Promise<void> {
    const proxy = this.#process;
    if (proxy === null || proxy.exitCode !== null || proxy.signalCode !== null) return;
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
  }

  #configure(role: Role): string {
    const servers = this.#nodes.map((number) => {
      const address = addressOf(number, 'a');
      return `  server node_${number} ${address}:${SERVER_PORT} check port ${REST_PORT}`;
    });
    return `defaults
  mode tcp
  retries 1
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen database
  bind 127.0.0.1:${this.port}
  option httpchk OPTIONS /${role}
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  }
}
