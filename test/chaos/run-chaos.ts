import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { checkSecrets } from '../invariants/checks/check-secrets.ts';
import type { Dump } from '../invariants/dump.ts';
import { POSTGRES_DUMP } from '../invariants/read-postgres-dump.ts';
import type { Violation } from '../invariants/violation.ts';
import { createDice } from '../simulation/dice.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { checkDatabase } from './check/check-database.ts';
import { checkRun } from './check/check-run.ts';
import { checkExercise } from './check-exercise.ts';
import { checkArchives } from '../invariants/checks/check-archives.ts';
import { readArchives } from './check/read-archives.ts';
import { exercised, messagesTaken } from './check/exercised.ts';
import { runFinalOperations } from './clients/final-operations.ts';
import { sendRefusable } from './clients/send-refusable.ts';
import { startClients } from './clients/start-clients.ts';
import { ChaosCluster } from './cluster/cluster.ts';
import { deliverMessages } from './cluster/deliver-messages.ts';
import { growOld } from './cluster/grow-old.ts';
import { watchDuties } from './cluster/watch-duties.ts';
import type { Fault } from './faults/fault.ts';
import { FAULTS } from './faults/index.ts';
import { listFailpoints, type Failpoint } from './faults/failpoints.ts';
import { startNemesis } from './nemesis.ts';
import type { ClientsParams, Operation, Strike } from './types.ts';

/*
 * One run: a cluster and its clients, faults for a while, then the repair, after which everything
 * that has begun must end. Finally the run checks the answers to clients against the database.
 */

const READY_MS_MAX = 90_000;
const FINAL_MS_MAX = 120_000;
const PROGRESS_EVERY_MS = 5_000;

export interface ChaosRun {
  readonly seed: string;
  readonly folder: string;
  /** The duration of the faults; `tookMs` is that of the whole run. */
  readonly faultsMs: number;
  readonly tookMs: number;
  readonly strikes: readonly Strike[];
  readonly failpoints: readonly Failpoint[];
  readonly operations: readonly Operation[];
  readonly dump: Dump | null;
  readonly exercised: Readonly<Record<string, number>>;
  /** See `Exercise`. */
  readonly unexercised: readonly string[];
  readonly violations: readonly Violation[];
}

export async function runChaos(params: {
  readonly seed: string;
  readonly minutes: number;
  readonly faults: readonly Fault[];
  /** For logs, histories and the database; the run creates it. */
  readonly folder: string;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
  /** See `ClientsParams`; absent: 1. */
  readonly rests?: number;
  /** The share of the usual activity that must happen, where faults last long; absent: 1. */
  readonly exerciseShare?: number;
  /** Another cluster than that of one server. */
  readonly startCluster?: (folder: string) => Promise<ChaosCluster>;
  /** Runs beside the clients; `stop` returns what it has found. */
  readonly watch?: (given: { readonly cluster: ChaosCluster; readonly now: () => number }) => {
    readonly stop: () => Promise<readonly Violation[]>;
  };
}): Promise<ChaosRun> {
  const { seed, minutes, folder, onProgress, signal } = params;
  mkdirSync(folder, { recursive: true });
  // The database runs as a user with fewer rights.
  chmodSync(folder, 0o755);
  const began = performance.now();
  const now = (): number => Math.round(performance.now() - began);
  const dice = createDice(seed);
  const operations: Operation[] = [];
  onProgress(`starting the cluster; logs are in ${folder}`);
  const { startCluster = startUsual } = params;
  const cluster = await startCluster(folder);

  function startUsual(): Promise<ChaosCluster> {
    return ChaosCluster.start(folder, {
      hasOwnDisks: params.faults.some(({ name }) => name.endsWith('disk-full')),
    });
  }
  const kill = (): void => cluster.kill();
  process.once('exit', kill);
  try {
    requireAll(params.faults, cluster);
    const duties = watchDuties(cluster.database.superuserUrl);
    const aging = growOld(cluster.database.superuserUrl);
    const of: ClientsParams = {
      urls: cluster.urls,
      apiKey: cluster.apiKey,
      seed,
      now,
      record: (operation) => operations.push(operation),
      rests: params.rests ?? 1,
    };
    const clients = await startClients(of);
    const watch = params.watch?.({ cluster, now });
    const firstFaultAt = now();
    const nemesis = startNemesis({
      faults: params.faults,
      cluster,
      dice: dice.fork('nemesis'),
      now,
    });
    const progress = setInterval(() => {
      const open = nemesis.strikes.filter(({ healedAtMs }) => healedAtMs === null);
      onProgress(
        `${Math.round(now() / 1_000)} s: ${operations.length} operations, ${
          nemesis.strikes.length
        } faults; now ${open.map(({ fault, target }) => `${fault} of ${target}`).join('; ') || 'none'}`,
      );
    }, PROGRESS_EVERY_MS);
    await delay(minutes * 60_000, undefined, { signal }).catch(() => undefined);
    onProgress('healing');
    await nemesis.stop();
    const faultsMs = now() - firstFaultAt;
    const violations: Violation[] = [...((await watch?.stop()) ?? [])];
    for (const name of await cluster.startAll(READY_MS_MAX)) {
      violations.push({
        rule: 'once all is well, every process gets ready',
        about: { process: name },
        saw: `not ready after ${READY_MS_MAX} ms`,
      });
    }
    const wellSince = await readClock(cluster);
    await aging.stop();
    onProgress('all is well: what was begun comes to its end');
    clients.receiver.calm();
    await clients.stop();
    violations.push(...(await runFinalOperations({ ...of, withinMs: FINAL_MS_MAX })));
    // Retention must not remove anything between two readings of the tables.
    await Promise.all(cluster.membersOf('cleaner').map((member) => member.close()));
    await deliverMessages(cluster.database.superuserUrl, FINAL_MS_MAX);
    violations.push(
      ...(await sendRefusable({ ...of, deeds: operations, readDump: () => readDump(cluster) })),
    );
    await clients.close();
    clearInterval(progress);
    await duties.stop();
    const dump = await readDump(cluster);
    onProgress('checking');
    const secrets = clients.secrets();
    const verdict = await checkDatabase({ url: cluster.database.superuserUrl, secrets });
    const history = { deeds: operations, hasUnheardFunctions: true };
    const { arrivals } = clients.receiver;
    const failpoints = listFailpoints(cluster);
    const counts = {
      ...exercised({ history, dump, wellSince }),
      ...messagesTaken(arrivals),
      ...verdict.exercised,
      'duties changed hands': duties.changes(),
    };
    const exercise = checkExercise({
      // The time of the repair does not count: it is long on a busy machine, and exercises nothing.
      minutes: minutes * (params.exerciseShare ?? 1),
      faults: params.faults,
      isWhole: params.faults.length === FAULTS.length,
      strikes: nemesis.strikes,
      failpoints,
      exercised: counts,
    });
    violations.push(
      ...nemesis.troubles.map((saw) => ({ rule: 'the run itself works', saw })),
      ...cluster.unexpectedEnds.map(({ member, how, log }) => ({
        rule: 'no process ends unless the run ends it',
        about: { process: member, log },
        saw: `ended: ${how}`,
      })),
      ...exercise.violations,
      ...checkRun({ history, dump, seen: aging.seen, wellSince, arrivals }),
      ...checkArchives({ archives: readArchives(cluster.archives) }, { dump, seen: aging.seen }),
      ...checkSecrets({ history, secrets, texts: cluster.readLogs() }),
      ...verdict.violations,
    );
    const run: ChaosRun = {
      seed,
      folder,
      faultsMs,
      tookMs: now(),
      strikes: nemesis.strikes,
      failpoints,
      operations,
      dump,
      exercised: counts,
      unexercised: exercise.unexercised,
      violations,
    };
    write(run);
    return run;
  } finally {
    await cluster.close();
    process.off('exit', kill);
  }
}

/** Fails the run before it begins when this machine does not support a fault. */
function requireAll(faults: readonly Fault[], cluster: ChaosCluster): void {
  const lacking = faults.flatMap((fault) => {
    const lacks = fault.lacks?.(cluster) ?? null;
    return lacks === null ? [] : [`${fault.name}: ${lacks}`];
  });
  if (lacking.length === 0) return;
  throw new Error(`${lacking.join('\n')}\nor choose other faults with --only`);
}

/** A server that was just promoted or demoted may still break connections. */
async function readClock(cluster: ChaosCluster): Promise<number> {
  const sql = 'select round(extract(epoch from clock_timestamp()) * 1000)::float8 as now';
  const { rows } = await eventually(() => runOnServer(cluster.database.superuserUrl, sql), {
    withinMs: READY_MS_MAX,
  });
  return (rows[0] as { readonly now: number }).now;
}

async function readDump(cluster: ChaosCluster): Promise<Dump> {
  const { rows } = await runOnServer(cluster.database.superuserUrl, POSTGRES_DUMP);
  return (rows[0] as { readonly dump: Dump }).dump;
}

function write({ folder, operations, dump, strikes }: ChaosRun): void {
  const lines = (items: readonly unknown[]): string =>
    items.map((item) => `${JSON.stringify(item)}\n`).join('');
  writeFileSync(join(folder, 'operations.jsonl'), lines(operations));
  writeFileSync(join(folder, 'faults.jsonl'), lines(strikes));
  writeFileSync(join(folder, 'database.json'), JSON.stringify(dump));
}
