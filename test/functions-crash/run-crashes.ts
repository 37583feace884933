import { setTimeout as delay } from 'node:timers/promises';

import type { Dialect } from '../support/database.ts';
import { drive } from './drive.ts';
import { inspect } from './inspect.ts';
import type { Patience } from './nemesis.ts';
import { drawPlan } from './program.ts';
import { openStage, type Stage } from './stage.ts';
import { Tally, type Tallied, type Violation } from './tally.ts';

/*
 * Many executions share one runtime and its workers, which are killed repeatedly. Each execution is
 * a separate run: its work comes from its seed, and it is checked as soon as it has ended.
 */

const PROGRESS_EVERY_MS = 5_000;
/** How long kills continue after the last start. */
const LAST_KILLS_MS = 15_000;
/** After the last kill, everything ends within this time. */
const QUIET_MS_MAX = 90_000;

export interface CrashRun extends Tallied {
  readonly store: Dialect;
  readonly seconds: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Calls to the receiver. */
  readonly calls: number;
  readonly violations: readonly Violation[];
  /** The output of the processes, by name. */
  readonly logs: ReadonlyMap<string, string>;
}

export interface CrashParams {
  readonly store: Dialect;
  /** A database with the current schema. */
  readonly databaseUrl: string;
  readonly seed: number;
  readonly runs: number;
  /** The number of concurrent executions. */
  readonly concurrency: number;
  readonly patience: Patience;
  readonly onProgress: (line: string) => void;
}

/** Runs the seeds `seed`, `seed + 1`, … on one store. */
export async function runCrashes(params: CrashParams): Promise<CrashRun> {
  const { store, seed, onProgress } = params;
  const began = performance.now();
  const stage = await openStage(params);
  const tally = new Tally(({ seed: own, executionId, saw }) =>
    onProgress(`${store}: VIOLATED by run ${own} (${executionId}): ${saw.join('; ')}`),
  );
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    onProgress(`${store} ${seconds} s: ${tally.say(params.runs)}, ${stage.nemesis.total} faults`);
  }, PROGRESS_EVERY_MS);
  try {
    stage.nemesis.start();
    await runAll(params, { stage, tally });
  } finally {
    clearInterval(progress);
    await stage.close();
  }
  const troubles = stage.troubles.map((saw) => ({ seed, executionId: null, saw: [saw] }));
  return {
    store,
    ...tally.result(),
    seconds: Math.round((performance.now() - began) / 100) / 10,
    faults: Object.fromEntries(stage.nemesis.counts),
    calls: stage.receiver.calls,
    violations: [...tally.violations, ...troubles],
    logs: new Map(stage.members.map((member) => [member.name, member.log()])),
  };
}

interface Running {
  readonly stage: Stage;
  readonly tally: Tally;
}

async function runAll(params: CrashParams, { stage, tally }: Running): Promise<void> {
  const { seed, runs, concurrency } = params;
  const late = new AbortController();
  let next = seed;
  const lane = async (): Promise<void> => {
    while (next < seed + runs) {
      const own = next;
      next += 1;
      await runOne(own, { stage, tally, signal: late.signal });
    }
    calmDown();
  };
  let isCalming = false;
  const over = new AbortController();
  function calmDown(): void {
    if (isCalming) return;
    isCalming = true;
    const calmed = async (): Promise<void> => {
      await delay(LAST_KILLS_MS, undefined, { signal: over.signal });
      stage.nemesis.stop();
      await delay(QUIET_MS_MAX, undefined, { signal: over.signal });
      late.abort();
    };
    calmed().catch(() => undefined);
  }
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, runs) }, lane));
  } finally {
    over.abort();
    stage.nemesis.stop();
  }
}

async function runOne(
  seed: number,
  given: Running & { readonly signal: AbortSignal },
): Promise<void> {
  const { stage, tally } = given;
  const plan = drawPlan(seed);
  try {
    const place = { ...stage, signal: given.signal };
    const course = await drive(plan, place);
    const findings = await inspect(plan, course, place);
    tally.add({ seed, course, findings });
  } catch (error) {
    tally.violate({ seed, executionId: null, saw: [`the run itself failed: ${String(error)}`] });
  }
}
