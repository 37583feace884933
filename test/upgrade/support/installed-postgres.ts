import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';

import { runOnServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/servers/ports.ts';
import { SERVER_OWNER } from '../../support/servers/postgres-server.ts';

/*
 * A PostgreSQL server that is installed on this machine, with the tools that operators use. The
 * package of the tests lacks these tools.
 */

const DEBIAN = '/usr/lib/postgresql';
const START_MS_MAX = 60_000;

/** The folder of pg_basebackup. If it is missing, the error says what to install. */
export function findTools(): string {
  const given = process.env['PG_BIN'];
  const versions = fs.existsSync(DEBIAN) ? fs.readdirSync(DEBIAN).map(Number) : [];
  const newest = versions.toSorted((one, other) => other - one)[0];
  const folder = given ?? join(DEBIAN, String(newest), 'bin');
  if (['pg_basebackup', 'pg_dump', 'postgres'].every((tool) => fs.existsSync(join(folder, tool)))) {
    return folder;
  }
  throw new Error(
    'pg_basebackup, pg_dump and postgres are missing: install the package postgresql (15 or newer), or ' +
      'name their folder in PG_BIN',
  );
}

/** Runs a tool of PostgreSQL. */
export function runTool(tool: string, args: readonly string[]): void {
  runAsServer(join(findTools(), tool), args);
}

/** Runs a program as the user of the server, who then owns the files. */
export function runAsServer(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, {
    ...SERVER_OWNER,
    cwd: '/',
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
}

/** Creates a folder that the server may write. */
export function makeFolder(path: string): string {
  fs.mkdirSync(path, { mode: 0o700 });
  const { uid, gid } = SERVER_OWNER;
  if (uid !== undefined && gid !== undefined) fs.chownSync(path, uid, gid);
  return path;
}

export interface InstalledServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server on a data folder, and waits until it accepts writes. */
export async function startInstalled(data: string, log: string): Promise<InstalledServer> {
  const port = await freePort();
  const output = fs.openSync(log, 'a');
  const server: ChildProcess = spawn(
    join(findTools(), 'postgres'),
    ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'].concat(
      ['unix_socket_directories=', 'fsync=off', 'timezone=UTC'].flatMap((one) => ['-c', one]),
    ),
    { ...SERVER_OWNER, cwd: '/', stdio: ['ignore', output, output] },
  );
  fs.closeSync(output);
  const kill = (): void => void server.kill('SIGQUIT');
  process.once('exit', kill);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually(
    async () => {
      if (server.exitCode !== null) throw new Error(`the server has ended: see ${log}`);
      const { rows } = await runOnServer(url, 'select pg_is_in_recovery() as recovering');
      const [row] = rows as readonly { readonly recovering: boolean }[];
      if (row?.recovering !== false) throw new Error('the server is recovering');
    },
    { withinMs: START_MS_MAX },
  );
  return {
    url,
    port,
    stop: async () => {
      process.off('exit', kill);
      if (server.exitCode !== null) return;
      server.kill('SIGINT');
      await once(server, 'exit');
    },
  };
}
