import { checkInvariants } from '../invariants/check-invariants.ts';
import type { Dump } from '../invariants/dump.ts';
import type { Violation } from '../invariants/violation.ts';
import { readAll, runCaller, runWorker, type Outside } from './clients.ts';
import { startCluster } from './cluster.ts';
import { EPOCH_MS, type SimulatedDatabase } from './database.ts';
import { createDice } from './dice.ts';
import { createFaults } from './faults.ts';
import { unleashNemesis } from './nemesis.ts';
import { createNetwork } from './network.ts';
import { createRecorder } from './recorder.ts';
import type { Scenario } from './scenario.ts';
import { createWorld } from './world.ts';

export interface Outcome {
  readonly violations: readonly Violation[];
  /** How often each thing happened: faults fired, answers by status, commits refused … */
  readonly counts: ReadonlyMap<string, number>;
  /** How many faults there were to be spared. */
  readonly faultsDrawn: number;
  readonly virtualMs: number;
  readonly lines: readonly string[];
}

/** How long everything may take to come to rest, once all are well. */
const REST_MS_MAX = 60_000;
const SAMPLES = 3;

/** One history, from an empty database to rest. The same scenario gives the same, to the byte. */
export async function runHistory(
  database: SimulatedDatabase,
  scenario: Scenario,
  options: { readonly traced?: boolean } = {},
): Promise<Outcome> {
  database.reset();
  const dice = createDice(scenario.seed);
  const world = createWorld({ dice: dice.fork('world'), traced: options.traced ?? false });
  const { rates, spared, leaseMs, activeMs } = scenario;
  const faults = createFaults({ dice: dice.fork('faults'), rates, spared });
  const recorder = createRecorder(world);
  let skewMs = 0;
  database.clock.now = () => EPOCH_MS + world.now() + skewMs;
  const cluster = startCluster({
    world,
    database,
    dice: dice.fork('cluster'),
    faults,
    recorder,
    roles: scenario.roles,
    leaseMs,
  });
  const network = createNetwork({ world, cluster, faults, recorder, dice: dice.fork('network') });
  let isCalm = false;
  let isOver = false;
  const outside: Outside = { world, network, isCalm: () => isCalm, isOver: () => isOver };
  const nemesis = { world, cluster, faults, dice: dice.fork('nemesis'), leaseMs };
  unleashNemesis({
    ...nemesis,
    moveClock: (ms) => {
      skewMs += ms;
      world.note(`the database's clock moves by ${ms} ms`);
    },
  });

  const known: { readonly tenantId: string; readonly executionId: string }[] = [];
  let starting = scenario.starts.length;
  for (const start of scenario.starts) {
    void runCaller(outside, start, dice.fork(start.name), (execution) => {
      known.push(execution);
    }).finally(() => (starting -= 1));
  }
  for (const worker of scenario.workers) void runWorker(outside, worker, dice.fork(worker.name));
  const dumps: Dump[] = [];
  const sample = (): void => void dumps.push({ ...database.dump(), takenAt: database.clock.now() });
  const sampling = dice.fork('samples');
  for (let count = 0; count < SAMPLES; count += 1) {
    world.after(sampling.fraction() * activeMs, () => {
      sample();
      if (known.length > 0) void readAll(outside, { client: 'reader', ...sampling.pick(known) });
    });
  }

  await world.run({ isOver: () => false, untilMs: activeMs });
  world.note('all get well');
  faults.heal();
  cluster.heal();
  isCalm = true;
  let isAtRest = false;
  function lookForRest(): void {
    isAtRest = starting === 0 && database.unfinished() === 0;
    if (!isAtRest) world.after(100, lookForRest);
  }
  world.after(0, lookForRest);
  await world.run({ isOver: () => isAtRest, untilMs: activeMs + REST_MS_MAX });
  const restedMs = world.now();
  isOver = true;
  let reading = known.length;
  for (const execution of known) {
    void readAll(outside, { client: 'reader', ...execution }).finally(() => (reading -= 1));
  }
  await world.run({ isOver: () => reading === 0, untilMs: restedMs + 10_000 });
  sample();
  const { history, counts, troubles } = recorder;
  return {
    violations: [
      ...checkInvariants({ history, dumps, isAtRest }),
      ...troubles.map((trouble) => ({
        rule: 'no process meets an error of its own',
        saw: trouble,
      })),
    ],
    counts: new Map([
      ...counts,
      ...faults.fired.entries().map(([kind, of]) => [`fault ${kind}`, of] as const),
    ]),
    faultsDrawn: faults.drawn(),
    virtualMs: restedMs,
    lines: world.lines,
  };
}
