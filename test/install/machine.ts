import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { eventually } from '../support/eventually.ts';

/*
 * Simulates a machine: the files of this one, with an overlay on the folders that an installation
 * changes, a network with only a loopback interface, a PostgreSQL server on its usual port, and a
 * replacement for systemctl.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const CHANGED = ['/etc', '/opt', '/var/lib', '/run'];
/** The network of the outer machine, which `install.ts` leaves open as this file. */
const OUTER_NETWORK = 9;

export interface Machine {
  /** A copy of the repository with its uncommitted changes, in which the blocks run. */
  readonly clone: string;
  /** Runs a block to its end, and keeps its exported variables and functions for the next. */
  run(block: string, options?: { readonly withOuterNetwork?: boolean }): Promise<BlockRun>;
  /** The last output lines of the units. */
  journal(): string;
}

export interface BlockRun {
  readonly code: number | null;
  readonly output: string;
}

export async function setUpMachine(): Promise<Machine> {
  // A file system in memory, which disappears with the namespace.
  const scratch = '/mnt';
  execFileSync('mount', ['--types', 'tmpfs', '--options', 'mode=755', 'tmpfs', scratch]);
  for (const folder of CHANGED) {
    const own = join(scratch, folder.replaceAll('/', '-'));
    for (const part of ['upper', 'work']) fs.mkdirSync(join(own, part), { recursive: true });
    const layers = `lowerdir=${folder},upperdir=${own}/upper,workdir=${own}/work`;
    execFileSync('mount', ['--types', 'overlay', '--options', layers, 'overlay', folder]);
  }
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const clone = join(scratch, 'clone');
  copyRepository(clone);
  const tools = join(scratch, 'bin');
  writeStandIn(tools);
  await startPostgres(join(scratch, 'postgres'));
  return { clone, run: runnerOf({ scratch, clone, tools }), journal: readJournal };
}

function copyRepository(clone: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  for (const path of listed.split('\0').filter((one) => one !== '')) {
    if (!fs.existsSync(join(REPOSITORY, path))) continue;
    fs.cpSync(join(REPOSITORY, path), join(clone, path), { recursive: true });
  }
}

function writeStandIn(tools: string): void {
  const script = fileURLToPath(new URL('./systemctl.ts', import.meta.url));
  fs.mkdirSync(tools);
  fs.writeFileSync(
    join(tools, 'systemctl'),
    `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`,
    {
      mode: 0o755,
    },
  );
}

async function startPostgres(data: string): Promise<void> {
  const [version = ''] = fs
    .readdirSync('/usr/lib/postgresql')
    .toSorted((one, other) => Number(other) - Number(one));
  const bin = `/usr/lib/postgresql/${version}/bin`;
  const as = (...command: string[]) => ['--user', 'postgres', '--', ...command];
  execFileSync('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  execFileSync('install', ['-d', '-o', 'postgres', '-m', '775', '/run/postgresql']);
  execFileSync('runuser', as(`${bin}/initdb`, '--pgdata', data, '--auth-host', 'scram-sha-256'), {
    cwd: '/',
    stdio: 'pipe',
  });
  const log = fs.openSync(`${data}.log`, 'a');
  spawn('runuser', as(`${bin}/postgres`, '-D', data, '-k', '/run/postgresql'), {
    cwd: '/',
    stdio: ['ignore', log, log],
  });
  await eventually(() => {
    const { status } = spawnSync(`${bin}/pg_isready`, ['--host', '127.0.0.1']);
    if (status !== 0) throw new Error(`PostgreSQL does not answer:\n${read(`${data}.log`)}`);
  });
}

function runnerOf(of: {
  readonly scratch: string;
  readonly clone: string;
  readonly tools: string;
}): Machine['run'] {
  const kept = join(of.scratch, 'kept.sh');
  fs.writeFileSync(kept, '');
  let count = 0;
  return async (block, options = {}) => {
    const file = join(of.scratch, `block-${(count += 1)}.log`);
    const output = fs.openSync(file, 'w');
    const script = [
      `source ${kept}`,
      `cd ${of.clone}`,
      'set -e',
      block,
      // Saves the state that one shell for all blocks would keep.
      `{ declare -px | grep -Ev ' (PWD|OLDPWD|SHLVL|_)='; declare -f; } > ${kept}`,
    ].join('\n');
    const shell = ['bash', '-c', script];
    const network = options.withOuterNetwork === true ? ['nsenter', '--net=/proc/self/fd/3'] : [];
    const [program = '', ...args] = [...network, ...shell];
    const child = spawn(program, args, {
      env: { ...environment(), PATH: `${of.tools}:${process.env['PATH']}` },
      stdio: ['ignore', output, output, OUTER_NETWORK],
    });
    fs.closeSync(output);
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code, output: read(file) };
  };
}

/** The environment without variables that would configure the installation. */
function environment(): NodeJS.ProcessEnv {
  const configures = /^(SVC_|TEST_|OTEL_|DATABASE_URL$|NODE_OPTIONS$|.*_API_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !configures.test(name)));
}

const JOURNAL = '/run/units';

function readJournal(): string {
  if (!fs.existsSync(JOURNAL)) return '';
  return fs
    .readdirSync(JOURNAL)
    .filter((name) => name.endsWith('.log'))
    .map((name) => `== ${name}\n${read(join(JOURNAL, name)).split('\n').slice(-15).join('\n')}`)
    .join('\n');
}

function read(path: string): string {
  return fs.readFileSync(path, 'utf8');
}
