import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuiltFrom } from '../../../bin/launch/source-stamp.js';
import { runOnServer } from '../database.ts';
import { BUILD } from '../program-of.ts';
import { RUN_FOLDER } from '../run-folder.ts';
import { TAKEN_PORTS } from '../servers/ports.ts';
import { startPostgresServer } from '../servers/postgres-server.ts';
import {
  addCost,
  COSTS_FILE,
  childSecondsOf,
  describeCosts,
  POSTGRES,
  readCosts,
} from './costs.ts';
import { fastFolder } from './fast-folder.ts';
import { findBrowser } from '../../console/support/find-browser.ts';
import { GATE_ONLY, LEFT_OUT, planRuns, type AvaRun } from './gate-only.ts';
import { addTotals, readTotalsIfAny } from './totals.ts';

/*
 * Runs the tests: starts a PostgreSQL server, makes one migrated template per dialect, runs ava
 * with the given arguments (files, `--match`, …), and cleans up even after a failure or an
 * interrupt. Without arguments it leaves out the gate's tests and the stories of the console, which
 * `--all` includes. With TEST_DATABASE_URL it uses that server, and drops only the databases that this run created.
 */

const AVA_STOP_MS_MAX = 10_000;
const repository = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * Every test file and every tested program is a process that loads hundreds of modules. Node's
 * compile cache halves the CPU time for that. Runs share the cache, because Node checks each entry.
 */
const COMPILED = join(repository, 'node_modules/.cache/svc-test');
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort(signal));
}
process.exitCode = await runTests(process.argv.slice(2));

async function runTests(args: readonly string[]): Promise<number> {
  const runs = planRuns(args);
  const template = `svc_test_${randomBytes(5).toString('hex')}`;
  const folder = fastFolder() ?? (await mkdtemp(join(tmpdir(), 'svc-test-run-')));
  // All files of the tests are below it, those of servers of another user too.
  await chmod(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  const costsFile = process.env[COSTS_FILE] ?? join(folder, 'costs.jsonl');
  const given = process.env['TEST_DATABASE_URL'];
  const server = given ? { url: given, stop: async () => {} } : await startPostgresServer();
  try {
    const sqliteTemplate = join(folder, 'template.db');
    const [build] = await Promise.all([
      findBuild({ isWanted: runs.length > 1 || runs[0]?.avaArguments.length === 0 }),
      createTemplates({ serverUrl: server.url, template, sqliteTemplate }),
    ]);
    return await runInOrder(runs, folder, {
      ...(build !== null && { [BUILD]: build }),
      TEST_POSTGRES_URL: server.url,
      TEST_TEMPLATE: template,
      TEST_SQLITE_TEMPLATE: sqliteTemplate,
      [RUN_FOLDER]: folder,
      // Runs of the gate beside this one share theirs.
      [TAKEN_PORTS]: process.env[TAKEN_PORTS] ?? folder,
      NODE_COMPILE_CACHE: COMPILED,
      [COSTS_FILE]: costsFile,
    });
  } finally {
    if (runs.some(({ leftOut }) => leftOut.includes(GATE_ONLY[0] ?? ''))) {
      process.stdout.write('The slowest tests run with: npm test -- --all\n');
    }
    if (given) await dropDatabases(given, template);
    await stopAtItsCost(server, costsFile);
    process.stdout.write(describeCosts(readCosts(costsFile)));
    await rm(folder, { recursive: true, force: true });
  }
}

/** A child counts once it has ended, so the PostgreSQL server counts once it has stopped. */
async function stopAtItsCost(server: { stop(): Promise<void> }, costsFile: string): Promise<void> {
  const read = () => childSecondsOf(readFileSync('/proc/self/stat', 'utf8'));
  const before = read();
  await server.stop();
  addCost(costsFile, { file: POSTGRES, wall: process.uptime(), own: 0, children: read() - before });
}

/**
 * The folder of the program's build, if it is one of the sources as they are now. A run of all tests
 * makes one, which takes as much time as a few of the hundreds of starts that it shortens.
 */
async function findBuild({ isWanted }: { readonly isWanted: boolean }): Promise<string | null> {
  const build = join(repository, 'dist/bundle');
  if (isWanted) {
    const script = join(repository, 'deploy/package/bundle.ts');
    const child = spawn(process.execPath, [script, '--if-outdated'], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the build of the program ended with ${code}`);
  }
  return isBuiltFrom(repository, build) ? build : null;
}

async function createTemplates(names: {
  serverUrl: string;
  template: string;
  sqliteTemplate: string;
}): Promise<void> {
  const { migrateDatabase } = await import('../../../src/shared/store/opening/migrate.ts');
  await migrateDatabase({ url: `sqlite:${names.sqliteTemplate}` });
  if (existsSync(`${names.sqliteTemplate}-wal`)) {
    throw new Error(
      'migrateDatabase left the SQLite template open: its copies would be incomplete',
    );
  }
  await runOnServer(names.serverUrl, `create database ${names.template} template template0`);
  const url = new URL(names.serverUrl);
  url.pathname = `/${names.template}`;
  await migrateDatabase({ url: url.href });
  // PostgreSQL copies no database that has connections.
  await runOnServer(names.serverUrl, `alter database ${names.template} allow_connections false`);
}

/** Runs the later ones even if an earlier one has failed, and counts all tests together. */
async function runInOrder(
  runs: readonly AvaRun[],
  folder: string,
  variables: Record<string, string>,
): Promise<number> {
  const totalsFile = process.env['TEST_TOTALS_FILE'];
  const parts: string[] = [];
  let firstFailure = 0;
  for (const { leftOut, avaArguments, isOfStories } of runs) {
    if (isOfStories === true && !announceStories()) continue;
    const part = join(folder, `totals-${parts.length}.json`);
    parts.push(part);
    const code = await runAva(avaArguments, {
      ...variables,
      [LEFT_OUT]: leftOut.join('\n'),
      ...(totalsFile !== undefined && { TEST_TOTALS_FILE: part }),
    });
    if (firstFailure === 0) firstFailure = code;
    if (totalsFile !== undefined) {
      writeFileSync(totalsFile, JSON.stringify(addTotals(parts.map(readTotalsIfAny))));
    }
  }
  return firstFailure;
}

/** False: this machine has no browser, and says so where nobody can miss it. */
function announceStories(): boolean {
  if (findBrowser() !== null) {
    process.stdout.write('\nThe stories of the console:\n');
    return true;
  }
  process.stdout.write(
    '\n!!! NO BROWSER: the stories of the console did NOT run. ' +
      'Install one with: apt-get install chromium-headless-shell fonts-liberation\n',
  );
  return false;
}

async function runAva(
  avaArguments: readonly string[],
  variables: Record<string, string>,
): Promise<number> {
  if (interrupted.signal.aborted) return 130;
  const cli = join(repository, 'node_modules/ava/entrypoints/cli.js');
  const ava = spawn(process.execPath, [cli, ...avaArguments], {
    cwd: repository,
    env: { ...process.env, ...variables },
    // Its own process group, so that one signal stops all test processes.
    detached: true,
    stdio: 'inherit',
  });
  const stop = () => void stopAva(ava, interrupted.signal.reason as NodeJS.Signals);
  interrupted.signal.addEventListener('abort', stop, { once: true });
  const [code] = (await once(ava, 'exit')) as [number | null];
  killGroup(ava, 'SIGKILL');
  return interrupted.signal.aborted ? 130 : (code ?? 1);
}

async function stopAva(ava: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(ava, 'exit', { signal: AbortSignal.timeout(AVA_STOP_MS_MAX) });
  killGroup(ava, signal);
  await exited.catch(() => killGroup(ava, 'SIGKILL'));
}

function killGroup(leader: ChildProcess, signal: NodeJS.Signals): void {
  if (leader.pid === undefined) return;
  try {
    process.kill(-leader.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const pattern = `${prefix.replaceAll('_', '\\_')}%`;
  const left = await runOnServer(
    serverUrl,
    `select datname from pg_database where datname like '${pattern}'`,
  );
  for (const { datname } of left.rows as { datname: string }[]) {
    await runOnServer(serverUrl, `drop database if exists ${datname} with (force)`);
  }
}
