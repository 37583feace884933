import { chmodSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { ChaosCluster } from '../chaos/cluster/cluster.ts';
import { selectFaults } from '../chaos/faults/index.ts';
import { startNemesis, type Nemesis } from '../chaos/nemesis.ts';
import type { Strike } from '../chaos/types.ts';
import { createDice } from '../simulation/dice.ts';
import { runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { boundOf, planRun, SOAK_FAULTS, type Plan } from './plan.ts';
import { readDatabase, readLatency, readProcesses, type Sample } from './readings.ts';
import { startSoakLoad, type SoakLoad } from './soak-load.ts';
import { judgeTrend, type Reading, type Trend } from './trend.ts';

/*
 * Runs a cluster at half of its capacity for hours, with a fault now and then. It reads everything
 * that must not grow, and judges the slopes at the end. Every started execution must have ended.
 */

const READY_MS_MAX = 90_000;
const END_MS_MAX = 180_000;
/** How many windows the cluster has to work off the backlog of a fault. */
const SETTLE_WINDOWS = 2;
const CALIBRATION_ROUNDS = 3;
const TOGETHER = 200;

export interface SoakRun {
  readonly seed: string;
  readonly hours: number;
  /** Executions per second that ended at the highest load. */
  readonly carried: number | null;
  readonly rate: number;
  readonly started: number;
  readonly strikes: readonly Strike[];
  readonly trends: Readonly<Record<string, Trend | null>>;
  readonly violations: readonly string[];
}

export async function runSoak(params: {
  readonly hours: number;
  readonly seed: string;
  /** Null: half of the capacity. */
  readonly rate: number | null;
  readonly folder: string;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<SoakRun> {
  const { hours, seed, folder, onProgress, signal } = params;
  const plan = planRun(hours);
  mkdirSync(folder, { recursive: true });
  // The database runs as a user with fewer permissions.
  chmodSync(folder, 0o755);
  onProgress(`starting the cluster; logs are in ${folder}`);
  const cluster = await ChaosCluster.start(folder, { hasOwnDisks: false });
  const kill = (): void => cluster.kill();
  process.once('exit', kill);
  const load = await startSoakLoad({ urls: cluster.urls, apiKey: cluster.apiKey, seed });
  try {
    const carried = params.rate === null ? await calibrate({ cluster, load, onProgress }) : null;
    const rate = params.rate ?? (carried ?? 0) / 2;
    load.setRate(rate);
    onProgress(`${rate.toFixed(1)} executions are started each second`);
    const began = performance.now();
    const now = (): number => Math.round(performance.now() - began);
    const nemesis = startNemesis({
      faults: selectFaults(SOAK_FAULTS),
      cluster,
      dice: createDice(seed).fork('nemesis'),
      now,
      gapMs: [plan.faultEveryMs * 0.8, plan.faultEveryMs],
    });
    const series = await watch({ ...params, cluster, load, plan, nemesis, now });
    onProgress('healing');
    await nemesis.stop();
    await load.stop();
    const violations = [
      ...nemesis.troubles,
      ...cluster.unexpectedEnds.map(
        ({ member, how, log }) => `${member} ended: ${how}; see ${log}`,
      ),
      ...(await checkEnds({ cluster, load })),
    ];
    const trends = Object.fromEntries(
      [...series].map(([name, readings]) => [
        name,
        judgeTrend(withoutWarmUp(readings, plan), {
          durationMs: plan.durationMs,
          bound: boundOf(name, plan),
        }),
      ]),
    );
    const { strikes } = nemesis;
    const run = { seed, hours, carried, rate, started: load.counts.started, strikes, trends };
    return { ...run, violations: [...violations, ...checkTrends(run), ...checkVacuity(run, plan)] };
  } finally {
    signal.throwIfAborted();
    await load.close();
    await cluster.close();
    process.off('exit', kill);
  }
}

/** Measures how fast a batch of executions ends; the first rounds warm up. */
async function calibrate(of: {
  readonly cluster: ChaosCluster;
  readonly load: SoakLoad;
  readonly onProgress: (line: string) => void;
}): Promise<number> {
  const { cluster, load, onProgress } = of;
  const url = cluster.postgres.superuserUrl;
  onProgress('finding out how much the cluster carries');
  let perSecond = 0;
  for (let round = 0; round < CALIBRATION_ROUNDS; round += 1) {
    const beganAt = performance.now();
    await load.startAtOnce(TOGETHER);
    await untilOpen(url, 0);
    perSecond = (TOGETHER * 1_000) / (performance.now() - beganAt);
  }
  return perSecond;
}

async function untilOpen(url: string, most: number): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await runOnServer(
        url,
        `select count(*)::int as open from executions where status in ('running', 'paused')`,
      );
      const { open } = rows[0] as { readonly open: number };
      if (open > most) throw new Error(`${open} executions have not ended`);
    },
    { withinMs: END_MS_MAX },
  );
}

/** Takes readings until the time is over, and returns a series for each name. */
async function watch(params: {
  readonly cluster: ChaosCluster;
  readonly load: SoakLoad;
  readonly plan: Plan;
  readonly nemesis: Nemesis;
  readonly now: () => number;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<ReadonlyMap<string, readonly Reading[]>> {
  const { cluster, plan, nemesis, now, onProgress, signal } = params;
  const url = cluster.postgres.superuserUrl;
  const series = new Map<string, Reading[]>();
  const note = (samples: readonly Sample[]): void => {
    const atMs = now();
    for (const { name, value, life } of samples) {
      // A table without rows has no size per row.
      if (value === null) continue;
      const readings = series.get(name) ?? [];
      readings.push({ atMs, value, life });
      series.set(name, readings);
    }
  };
  let windowBeganAt = 0;
  while (now() < plan.durationMs && !signal.aborted) {
    await delay(plan.processesEveryMs, undefined, { signal }).catch(() => undefined);
    note(readProcesses(cluster));
    if (now() - windowBeganAt < plan.windowMs) continue;
    windowBeganAt = now();
    // A fault may have stopped the database.
    await readDatabase(url).then(note, () => undefined);
    const quietMs = quietSince(nemesis.strikes, now());
    const asked = { withinMs: plan.windowMs, begunWithinMs: quietMs };
    const latency = await readLatency(url, asked).catch(() => null);
    if (latency !== null && latency.finished > 0 && quietMs > SETTLE_WINDOWS * plan.windowMs) {
      note([
        { name: 'latency p50', value: latency.p50, life: 'run' },
        { name: 'latency p99', value: latency.p99, life: 'run' },
      ]);
    }
    onProgress(tell({ ...params, latency, series }));
  }
  return series;
}

/** The time since the last fault. */
function quietSince(strikes: readonly Strike[], nowMs: number): number {
  const healed = strikes.map(({ healedAtMs }) => healedAtMs ?? nowMs);
  return nowMs - healed.reduce((latest, atMs) => Math.max(latest, atMs), 0);
}

function tell(of: {
  readonly plan: Plan;
  readonly load: SoakLoad;
  readonly nemesis: Nemesis;
  readonly now: () => number;
  readonly latency: { readonly p50: number; readonly p99: number } | null;
  readonly series: ReadonlyMap<string, readonly Reading[]>;
}): string {
  const memory = [...of.series]
    .filter(([name]) => name.startsWith('memory of'))
    .map(([, readings]) => readings.at(-1)?.value ?? 0);
  const minutes = (ms: number): string => (ms / 60_000).toFixed(1);
  const { latency, load, nemesis } = of;
  const times =
    latency === null ? 'the database is away' : `p50 ${latency.p50} ms, p99 ${latency.p99} ms`;
  return (
    `${minutes(of.now())} of ${minutes(of.plan.durationMs)} min: ${load.counts.started} started, ` +
    `${nemesis.strikes.length} faults, ${times}, largest process ${Math.round(Math.max(0, ...memory) / 1_048_576)} MiB`
  );
}

function withoutWarmUp(readings: readonly Reading[], plan: Plan): readonly Reading[] {
  const born = new Map<string, number>();
  for (const { life, atMs } of readings) if (!born.has(life)) born.set(life, atMs);
  return readings.filter(({ life, atMs }) => atMs - (born.get(life) ?? 0) >= plan.warmUpMs);
}

/**
 * Every acknowledged execution has ended once, with a history without gaps, and nothing is left
 * over.
 */
async function checkEnds(of: {
  readonly cluster: ChaosCluster;
  readonly load: SoakLoad;
}): Promise<readonly string[]> {
  const { cluster, load } = of;
  const late = await cluster.startAll(READY_MS_MAX);
  const url = cluster.postgres.superuserUrl;
  const open = await untilOpen(url, 0).then(
    () => [],
    (error: unknown) => [String(error)],
  );
  const { rows } = await runOnServer(url, ENDS);
  const found = rows[0] as Readonly<Record<string, number>>;
  const expected = { executions: load.counts.started, completed: load.counts.started, ...NOTHING };
  return [
    ...late.map((name) => `${name} does not get ready again`),
    ...open,
    ...Object.entries(expected)
      .filter(([name, count]) => found[name] !== count)
      .map(([name, count]) => `${name}: ${found[name]} instead of ${count}`),
  ];
}

const NOTHING = { gaps: 0, 'ends but one': 0, 'results but two': 0, left: 0 };
const ENDS = `
  select count(*)::int as executions,
    count(*) filter (where status = 'completed')::int as completed,
    count(*) filter (where e.events <> x.last_sequence)::int as gaps,
    count(*) filter (where e.ends is distinct from 1)::int as "ends but one",
    count(*) filter (where e.results is distinct from 2)::int as "results but two",
    (
      (select count(*) from work_queue) + (select count(*) from work_leases)
        + (select count(*) from retry_timers) + (select count(*) from timers)
    )::int as left
  from executions x
  left join (
    select execution_id, count(*) as events, count(*) filter (where kind = 'WorkflowCompleted') as ends,
      count(*) filter (where kind = 'ToolCallCompleted') as results
    from events
    group by 1
  ) e on e.execution_id = x.id`;

function checkTrends({ trends }: Pick<SoakRun, 'trends'>): readonly string[] {
  return Object.entries(trends).flatMap(([name, trend]) =>
    trend === null || trend.isFlat
      ? []
      : [
          `${name} grows by ${round(trend.growth)} over the run; ${round(trend.allowed)} is allowed`,
        ],
  );
}

/** A run without enough readings, faults or starts proves nothing. */
function checkVacuity(
  run: Pick<SoakRun, 'trends' | 'strikes' | 'started' | 'rate'>,
  plan: Plan,
): readonly string[] {
  const judged = (prefix: string): number =>
    Object.entries(run.trends).filter(([name, trend]) => name.startsWith(prefix) && trend !== null)
      .length;
  const expected = (run.rate * plan.durationMs) / 1_000;
  const strikes = run.strikes.filter(({ healedAtMs }) => healedAtMs !== null).length;
  const lacking: readonly (readonly [boolean, string])[] = [
    [run.started < expected / 2, `only ${run.started} of ${Math.round(expected)} were started`],
    [strikes < Math.floor(plan.durationMs / plan.faultEveryMs / 2), `only ${strikes} faults`],
    [judged('memory of') < 4, 'too few processes lived long enough to be judged'],
    [judged('latency') < 2, 'there were too few quiet windows to judge latencies'],
    [judged('size of') < 5 || judged('sessions') < 1, 'the database was read too seldom'],
  ];
  return lacking.filter(([isLacking]) => isLacking).map(([, what]) => `proves nothing: ${what}`);
}

function round(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
