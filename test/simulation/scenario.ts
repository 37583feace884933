import { createDice, type Dice } from './dice.ts';
import { FAULTS, type FaultKind, type FaultRates } from './faults.ts';
import type { Role } from './cluster.ts';
import {
  EVENTS,
  FAMILYLESS,
  LIMITED_TENANT,
  TENANTS,
  WORKFLOWS,
  type WorkflowName,
} from './workflows.ts';

/** All that one history begins with. It follows from the seed; shrinking takes parts away. */
export interface Scenario {
  readonly seed: string;
  readonly roles: readonly Role[];
  readonly leaseMs: number;
  /** Faults strike until then; afterwards everybody gets well, and all must come to rest. */
  readonly activeMs: number;
  readonly starts: readonly PlannedStart[];
  readonly workers: readonly PlannedWorker[];
  /** Tenants whose dead letters somebody looks after: those of old workers are many. */
  readonly operators: readonly string[];
  readonly rates: FaultRates;
  /** See `createFaults`. */
  readonly spared: ReadonlySet<number>;
}

export interface PlannedStart {
  readonly name: string;
  readonly tenantId: string;
  readonly workflowId: WorkflowName;
  readonly atMs: number;
  /** After the start is known; null: never. */
  readonly cancelAfterMs: number | null;
  readonly eventAfterMs: number;
  /** Reviewers who race to decide. */
  readonly reviewers: number;
}

export interface PlannedWorker {
  readonly name: string;
  readonly tenantId: string;
  readonly queues: readonly ('python_tool' | 'java_tool')[];
  readonly maxItems: number;
  readonly waitMs: number;
  /** How much of its work it does otherwise than well. */
  readonly mischief: number;
  /** It may speak the old protocol, without fences. */
  readonly isOld: boolean;
}

export function drawScenario(seed: string): Scenario {
  const dice = createDice(seed).fork('scenario');
  const drawn = drawAny(seed, dice);
  const about = dice.chance(0.25) ? aboutLeases(drawn, dice) : drawn;
  return withOldWorkers(about, dice.fork('operators'));
}

/** Some workers of some tenants, with somebody who puts right what they leave behind. */
function withOldWorkers(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(0.3)) return drawn;
  return {
    ...drawn,
    workers: drawn.workers.map((worker) => ({ ...worker, isOld: dice.chance(0.7) })),
    operators: [...new Set(drawn.workers.map(({ tenantId }) => tenantId))],
  };
}

/** Short leases, careless workers and two servers: an item has several holders who all come back. */
function aboutLeases(drawn: Scenario, dice: Dice): Scenario {
  return {
    ...drawn,
    roles: ['all', 'all'],
    leaseMs: 150,
    activeMs: 1_000,
    starts: drawn.starts.map((start) => ({
      ...start,
      workflowId: dice.pick(['tools', 'fan_out'] as const),
      atMs: 0,
    })),
    workers: drawn.workers.map((worker) => ({ ...worker, mischief: 0.9 })),
  };
}

function drawAny(seed: string, dice: Dice): Scenario {
  const activeMs = dice.between(200, 1_000);
  const starts = Array.from({ length: dice.between(1, 3) }, (_, index) =>
    drawStart(dice, `start${index}`, activeMs),
  );
  const tenants = TENANTS.filter((name) => starts.some(({ tenantId }) => tenantId === name));
  return {
    seed,
    roles: dice.pick(CLUSTERS),
    leaseMs: dice.pick([150, 300, 600]),
    activeMs,
    starts,
    workers: tenants.flatMap((tenantId) => drawWorkers(dice, tenantId)),
    operators: [],
    rates: drawRates(dice),
    spared: new Set(),
  };
}

const CLUSTERS: readonly (readonly Role[])[] = [
  ['all'],
  ['all', 'all'],
  ['api', 'scheduler', 'scheduler'],
  ['api', 'all', 'scheduler'],
];

function drawStart(dice: Dice, name: string, activeMs: number): PlannedStart {
  const tenantId = dice.pick(TENANTS);
  const names =
    tenantId === LIMITED_TENANT ? FAMILYLESS : (Object.keys(WORKFLOWS) as WorkflowName[]);
  const workflowId = dice.pick(names);
  return {
    name,
    tenantId,
    workflowId,
    atMs: dice.chance(0.5) ? 0 : dice.between(0, activeMs / 2),
    cancelAfterMs: dice.chance(0.2) ? dice.between(0, activeMs) : null,
    eventAfterMs:
      EVENTS[workflowId] !== undefined && dice.chance(0.5) ? 0 : dice.between(0, activeMs),
    reviewers: dice.between(1, 2),
  };
}

function drawWorkers(dice: Dice, tenantId: string): PlannedWorker[] {
  const both = dice.chance(0.5);
  const queues = both
    ? [['python_tool', 'java_tool'] as const, ['python_tool', 'java_tool'] as const]
    : [['python_tool'] as const, ['java_tool'] as const];
  return queues.map((of, index) => ({
    name: `${tenantId}-worker${index}`,
    tenantId,
    queues: of,
    maxItems: dice.between(1, 2),
    waitMs: dice.pick([0, 300]),
    mischief: dice.pick([0, 0.3, 0.6, 0.9]),
    isOld: false,
  }));
}

/** Some histories have many faults of few kinds, some a few of all, and some none. */
function drawRates(dice: Dice): FaultRates {
  const kinds = Object.keys(FAULTS) as FaultKind[];
  const [share, scale] = dice.pick([
    [0, 0],
    [0.3, 1],
    [0.3, 3],
    [1, 0.5],
    [1, 1],
  ] as const);
  return Object.fromEntries(
    kinds.filter(() => dice.chance(share)).map((kind) => [kind, RATES[kind] * scale]),
  );
}

/** Of each store call, request, hint or, for what befalls processes and clocks, tenth of a second. */
const RATES: Readonly<Record<FaultKind, number>> = {
  unavailable: 0.01,
  pool_exhausted: 0.01,
  serialization: 0.01,
  deadlock: 0.01,
  timed_out_before: 0.005,
  timed_out_after: 0.01,
  slow: 0.02,
  crash_before: 0.01,
  crash_after: 0.02,
  crash: 0.05,
  pause: 0.08,
  clock_forward: 0.03,
  clock_back: 0.03,
  request_lost: 0.03,
  request_doubled: 0.08,
  reply_lost: 0.05,
  reply_late: 0.03,
  hint_lost: 0.2,
};
