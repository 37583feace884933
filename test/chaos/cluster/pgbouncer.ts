import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';

import { freePort } from '../../support/servers/ports.ts';
import { SERVER_OWNER } from '../../support/servers/postgres-server.ts';

export type PoolMode = 'session' | 'transaction';

/** A connection pooler between service and database, from the package `pgbouncer`. */
export interface Pooler {
  readonly port: number;
  close(): Promise<void>;
}

/** As docs/operate/high-availability.md asks for: the defaults of both are 15 s. */
export const AFTER_FAILOVER = ['server_login_retry = 1', 'server_connect_timeout = 3'] as const;

export function findPgbouncer(): string | null {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => fs.existsSync(path)) ?? null;
}

export async function startPgbouncer(params: {
  readonly folder: string;
  readonly serverPort: number;
  readonly mode: PoolMode;
  /** Roles that may connect; the role of the service by default. */
  readonly users?: readonly string[];
  /** Connections to the server. */
  readonly poolSize?: number;
  readonly port?: number;
}): Promise<Pooler> {
  const program = findPgbouncer();
  if (program === null) throw new Error('pgbouncer is not installed');
  const folder = fs.mkdtempSync(join(params.folder, `pgbouncer-${params.mode}-`));
  const { users = ['svc'], poolSize = 20 } = params;
  const port = params.port ?? (await freePort());
  const file = join(folder, 'pgbouncer.ini');
  fs.writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${params.serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${params.mode}
default_pool_size = ${poolSize}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
${AFTER_FAILOVER.join('\n')}
logfile = ${join(folder, 'pgbouncer.log')}
`,
  );
  fs.writeFileSync(join(folder, 'users.txt'), users.map((user) => `"${user}" ""\n`).join(''));
  const owner = SERVER_OWNER;
  if (owner.uid !== undefined) spawnSync('chown', ['-R', String(owner.uid), folder]);
  const child: ChildProcess = spawn(program, ['-q', file], { ...owner, stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    port,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGQUIT');
      await once(child, 'exit');
    },
  };
}
