import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { runProgram, startProgram, type Started } from '../support/processes.ts';
import { freePort } from '../support/servers/ports.ts';
import type { Runtime } from '../support/runtime.ts';
import { startBalancer } from './support/balancer.ts';
import { checkWhenEnded } from './support/checked.ts';
import type { PreviousVersion } from './support/previous-version.ts';
import { startRecordedLoad } from './support/recorded-load.ts';

/*
 * Upgrades without an interruption: the previous version runs under load, and the database is
 * migrated while a transaction holds a table. Then both versions run together, and the processes of
 * the previous one stop one after another.
 */

const HELD_MS = 4_000;
/** A request on its way to a process that stops is served. */
const DRAIN_DELAY = '2';
/** No request may take longer, even on a busy machine. */
const ANSWER_MS_MAX = 8_000;
const STARTED_MIN = 50;
const REFUSAL_MS_MAX = 60_000;

export interface UpgradeRun {
  readonly previous: string;
  readonly started: number;
  readonly completed: number;
  /** Answers with status 503 and `Retry-After`. */
  readonly refusals: number;
  readonly deeds: number;
  readonly slowestMs: number;
  readonly migration: string;
  readonly violations: readonly string[];
}

export async function runUpgrade(params: {
  readonly url: string;
  readonly previous: PreviousVersion;
  /** How long each state of the upgrade lasts. */
  readonly stateMs: number;
  readonly onProgress: (line: string) => void;
}): Promise<UpgradeRun> {
  const { url, previous, stateMs, onProgress } = params;
  const { root } = previous;
  const violations: string[] = [];
  const migrate = ['db', 'migrate', '--database-url', url];
  onProgress(`the version before is ${previous.name}`);
  await runProgram({ entry: 'svc', args: migrate, root });
  const env = { SVC_API_DRAIN_DELAY_SECONDS: DRAIN_DELAY };
  const before = new Cluster(url, { env });
  const { apiKey } = before;
  const after = new Cluster(url, { apiKey, env });
  try {
    const oldApis = [await before.startApi({ root }), await before.startApi({ root })];
    const oldSchedulers = [
      await before.startScheduler({ root }),
      await before.startScheduler({ root }),
    ];
    await new ClusterClient({ urls: urlsOf(oldApis), apiKey }).register(chain);
    onProgress(`${urlsOf(oldApis).join(' and ')} are of the version before`);
    const balancer = startBalancer({ urls: urlsOf(oldApis), apiKey });
    const load = startRecordedLoad({
      pick: () => balancer.pick(),
      apiKey,
      workflowId: 'chain',
      name: 'upgrade',
      callers: 4,
      workers: 3,
      restMs: 50,
    });
    const state = async (what: string): Promise<void> => {
      onProgress(`${what}: ${load.started.size} started, ${load.completed} items completed`);
      await delay(stateMs);
    };

    await state('the version before alone');
    violations.push(...(await refuses({ url, expected: /run ".*svc\S* db migrate"/ })));
    const known = await newestMigration(url);
    const migration = await migrateWhileHeld({ url, migrate });
    await state('migrated under the version before');
    if (await worksFrom(url, known)) {
      // As after a crash, or when an operator reverts the upgrade.
      oldApis.push(await before.startApi({ root }));
    } else {
      violations.push(...(await refuses({ url, root, expected: /run a program of the newer/ })));
    }

    const newApis = [await after.startApi(), await after.startApi()];
    await after.startScheduler();
    await after.startScheduler();
    balancer.setTargets(urlsOf([...oldApis, ...newApis]));
    await state('both versions side by side');

    balancer.setTargets(urlsOf(newApis));
    for (const process of [...oldApis, ...oldSchedulers]) {
      violations.push(...(await endsInOrder(process)));
      await state('the version before is leaving');
    }
    await load.endStarts();
    onProgress('all that was begun comes to its end');
    const { found, dump } = await checkWhenEnded({ url, history: load.history });
    await load.stop();
    await balancer.stop();
    const slowestMs = Math.round(load.latenciesMs.reduce((most, ms) => Math.max(most, ms), 0));
    if (slowestMs > ANSWER_MS_MAX) violations.push(`a request took ${slowestMs} ms`);
    if (dump.executions.length < STARTED_MIN) {
      violations.push(`proves nothing: only ${dump.executions.length} executions`);
    }
    return {
      previous: previous.name,
      started: load.started.size,
      completed: load.completed,
      refusals: load.refusals,
      deeds: load.history.deeds.length,
      slowestMs,
      migration,
      violations: [...violations, ...load.failures, ...found],
    };
  } finally {
    await Promise.all([before.stop(), after.stop()]);
  }
}

/** Migrates while another transaction holds the tables that every request needs. */
async function migrateWhileHeld(of: {
  readonly url: string;
  readonly migrate: readonly string[];
}): Promise<string> {
  const holder = new pg.Client({ connectionString: of.url });
  await holder.connect();
  try {
    await holder.query('begin; select from executions limit 1; select from work_queue limit 1');
    const migrating = runProgram({ entry: 'svc', args: of.migrate });
    await delay(HELD_MS);
    await holder.query('rollback');
    return (await migrating).trim();
  } finally {
    await holder.end();
  }
}

async function newestMigration(url: string): Promise<number> {
  const [row] = await query<{ readonly number: number }>(
    url,
    'select max(number) as number from schema_migrations',
  );
  return row?.number ?? 0;
}

/** Whether a program that knows the migrations up to `known` may work after all later ones. */
async function worksFrom(url: string, known: number): Promise<boolean> {
  const newer = await query<{ readonly works_from: number | null }>(
    url,
    `select works_from from schema_migrations where number > ${known}`,
  );
  return newer.every(({ works_from: from }) => from !== null && from <= known);
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Checks that the process does no work, but ends and says what to do. */
async function refuses(of: {
  readonly url: string;
  readonly expected: RegExp;
  readonly root?: string;
}): Promise<readonly string[]> {
  const program: Started = await startProgram({
    entry: 'svc-api',
    root: of.root,
    args: ['--port', String(await freePort()), '--database-url', of.url],
    env: {
      SVC_AUTH_API_KEY: 'an-operator-of-the-upgrade',
      SVC_TELEMETRY_METRICS_PORT: 'off',
      SVC_DATABASE_AUTO_MIGRATE: 'false',
    },
  });
  const timer = setTimeout(() => void program.end('SIGKILL'), REFUSAL_MS_MAX);
  const code = await program.exited;
  clearTimeout(timer);
  const said = program.stdout() + program.stderr();
  if (code === 1 && of.expected.test(said)) return [];
  return [`a process on the wrong schema ended with ${code} and said: ${said}`];
}

async function endsInOrder(process: Started): Promise<readonly string[]> {
  const code = await process.end('SIGTERM');
  return code === 0 ? [] : [`a process of the version before ended with ${code}`];
}

function urlsOf(apis: readonly Runtime[]): readonly string[] {
  return apis.map(({ url }) => url);
}
