import {
  OVERLAP_POLICIES,
  type OverlapPolicy,
} from '../../src/shared/domain/schedules/schedule.ts';
import { createDice, type Dice } from './dice.ts';
import { FAULTS, type FaultKind, type FaultRates } from './faults.ts';
import type { ProcessRole } from '../../src/shared/config/listeners.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';
import { withWaits, type PlannedWaits } from './waiters.ts';
import {
  EVENTS,
  FAIR,
  FAIR_TWINS,
  LIMITED_TENANT,
  TENANTS,
  STARTED,
  WITH_BUDGETS,
  WITH_FUNCTIONS,
  WITH_KEYS,
  WITH_UNDOS,
  type WorkflowName,
} from './workflows.ts';

/** Everything that defines one history. It follows from the seed; shrinking removes parts. */
export interface Scenario {
  readonly seed: string;
  readonly roles: readonly ProcessRole[];
  readonly leaseMs: number;
  /** Faults strike until then. Afterwards all processes work, and everything must end. */
  readonly activeMs: number;
  readonly starts: readonly PlannedStart[];
  readonly workers: readonly PlannedWorker[];
  readonly functionWorkers: readonly PlannedFunctionWorker[];
  /** Tenants with an operator for dead letters, which old workers cause often. */
  readonly operators: readonly string[];
  readonly suspensions: readonly PlannedSuspension[];
  readonly switches: readonly PlannedSwitch[];
  readonly schedules: readonly PlannedSchedule[];
  /** Tenants with a webhook. */
  readonly told: readonly string[];
  /** Whether the audit log is sealed during the history. */
  readonly sealed: boolean;
  readonly retention: PlannedRetention | null;
  /** Starts beyond the limit of a tenant wait, instead of being refused. */
  readonly queuesStarts: boolean;
  /** How many executions a scheduler has under way before their calls wait for room. */
  readonly underWayMax: number;
  readonly rates: FaultRates;
  /** See `createFaults`. */
  readonly spared: ReadonlySet<number>;
}

export interface PlannedStart {
  readonly name: string;
  readonly tenantId: string;
  readonly workflowId: WorkflowName;
  readonly atMs: number;
  /** Counted from the answer to the start; null: never. */
  readonly cancelAfterMs: number | null;
  readonly eventAfterMs: number;
  /** How many reviewers race to decide. */
  readonly reviewers: number;
  /** How the execution is paused after its start; null: never. */
  readonly paused: PlannedPause | null;
  /** How many times in a row a failed or cancelled execution is retried. */
  readonly retries: number;
  /** How many times it is forked, and its forks once less. */
  readonly forks: number;
  /** How many times somebody imports it, as it is or changed. */
  readonly imports: number;
  /** How often an operator moves its functions to another build. */
  readonly moves: number;
  /** How clients wait for its result; absent: not at all. */
  readonly waits?: PlannedWaits;
}

export interface PlannedPause {
  readonly afterMs: number;
  readonly forMs: number;
  readonly times: number;
}

/** Ended executions age by hours now and then, and an operator runs retention. */
export interface PlannedRetention {
  readonly keptDays: KeptDays;
  /** A tenant with times of its own. */
  readonly policy: { readonly tenantId: string; readonly days: KeptDays };
  readonly everyMs: number;
  /** How many executions one batch removes. */
  readonly batchMax: number;
  /** Whether removed executions are archived. */
  readonly archives: boolean;
  /** Whether archived executions are imported again after the faults. */
  readonly restores: boolean;
}

export interface PlannedSuspension {
  readonly tenantId: string;
  readonly atMs: number;
  readonly forMs: number;
}

/** A workflow that is paused repeatedly. */
export interface PlannedSwitch extends PlannedPause {
  readonly name: string;
  readonly tenantId: string;
  readonly workflowId: WorkflowName;
}

export interface PlannedSchedule {
  readonly name: string;
  readonly tenantId: string;
  readonly workflowId: WorkflowName;
  readonly overlapPolicy: OverlapPolicy;
}

export interface PlannedWorker {
  readonly name: string;
  readonly tenantId: string;
  readonly queues: readonly ('python_tool' | 'java_tool')[];
  readonly maxItems: number;
  readonly waitMs: number;
  /** The share of its items on which the worker misbehaves. */
  readonly mischief: number;
  /** Whether the worker may speak the old protocol, without fences. */
  readonly isOld: boolean;
  /** Whether the request that settles an item also claims. */
  readonly carriesEnds: boolean;
}

export interface PlannedFunctionWorker {
  readonly name: string;
  readonly tenantId: string;
  readonly waitMs: number;
  /** The share of its turns in which the worker misbehaves. */
  readonly mischief: number;
  /** Null: it names no build. */
  readonly buildId: string | null;
}

export function drawScenario(seed: string): Scenario {
  const dice = createDice(seed).fork('scenario');
  const drawn = dice.chance(SMALL) ? inSmall(drawAny(seed, dice), dice) : drawAny(seed, dice);
  const about = dice.chance(0.25) ? aboutLeases(drawn, dice) : drawn;
  const all = withSides(withOldWorkers(about, dice.fork('operators')), dice.fork('sides'));
  const tried = withFunctions(withRetries(all, dice.fork('retries')), dice.fork('functions'));
  const limited = withBudgets(tried, dice.fork('budgets'));
  const built = withBuilds(limited, dice.fork('builds'));
  const switched = withSwitches(
    withRetention(built, dice.fork('retention')),
    dice.fork('switches'),
  );
  const keyed = withKeys(withUndos(switched, dice.fork('undos')), dice.fork('keys'));
  const shared = withShares(keyed, dice.fork('shares'));
  const forked = withForks(shared, dice.fork('forks'));
  const archived = withArchives(forked, dice.fork('archives'));
  const imported = withImports(archived, dice.fork('imports'));
  const queued = { ...imported, queuesStarts: dice.fork('queues').chance(0.5) };
  const crowded = withLittleRoom(queued, dice.fork('room'));
  return withWaits(crowded, dice.fork('waits'));
}

/** In some histories calls wait for room, and tenants take turns. Most executions there are single calls. */
function withLittleRoom(drawn: Scenario, dice: Dice): Scenario {
  const [first] = drawn.starts;
  const isTaken =
    drawn.functionWorkers.length > 0 || isOneOf([...WITH_UNDOS, ...WITH_KEYS, ...FAIR], first);
  if (first === undefined || isTaken || !dice.chance(CROWDED)) return drawn;
  const starts = Array.from({ length: dice.between(8, 14) }, (_, index) => ({
    ...(drawn.starts[index] ?? first),
    ...(dice.chance(0.9) && { tenantId: dice.pick(TENANTS), workflowId: 'leaf' as const }),
    name: `start${index}`,
    atMs: dice.between(0, 20),
  }));
  return { ...drawn, starts, underWayMax: dice.between(1, 2) };
}

const CROWDED = 0.15;

/** Adds pauses, suspensions, schedules, webhooks and sealing, each to some histories. */
function withSides(drawn: Scenario, dice: Dice): Scenario {
  const tenants = [...new Set(drawn.starts.map(({ tenantId }) => tenantId))];
  const isScheduled = dice.chance(0.08);
  const suspended = tenants.filter(() => dice.chance(0.1));
  return {
    ...drawn,
    activeMs: isScheduled ? dice.between(1_200, 2_200) : drawn.activeMs,
    starts: drawn.starts.map((start) => ({ ...start, paused: drawPause(dice.fork(start.name)) })),
    suspensions: suspended.map((tenantId) => ({
      tenantId,
      atMs: dice.between(0, drawn.activeMs / 2),
      forMs: dice.between(50, 500),
    })),
    schedules: isScheduled
      ? [
          {
            name: 'schedule0',
            tenantId: dice.pick(TENANTS),
            // Most of them last longer than the second between two fires, so that fires overlap.
            workflowId: dice.chance(0.7)
              ? 'lasting'
              : dice.pick(['chain', 'timers', 'rounds'] as const),
            overlapPolicy: dice.pick(OVERLAP_POLICIES),
          },
        ]
      : [],
    told: dice.chance(0.2) ? TENANTS : [],
    sealed: dice.chance(0.3),
  };
}

/** In some histories all executions run durable functions. */
function withFunctions(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(FUNCTIONS)) return drawn;
  const tenants = [...new Set(drawn.starts.map(({ tenantId }) => tenantId))];
  return {
    ...drawn,
    activeMs: Math.max(drawn.activeMs, 500),
    starts: drawn.starts.map((start) => ({
      ...start,
      workflowId: dice.chance(0.5) ? 'durable' : dice.pick(WITH_FUNCTIONS),
      cancelAfterMs: dice.chance(0.3) ? dice.between(0, drawn.activeMs) : null,
      eventAfterMs: dice.between(0, drawn.activeMs),
    })),
    functionWorkers: tenants.flatMap((tenantId) =>
      [0, 1].map((index) => ({
        name: `${tenantId}-functions${index}`,
        tenantId,
        waitMs: dice.pick([0, 300]),
        mischief: dice.pick([0, 0.3, 0.6, 0.9]),
        buildId: null,
      })),
    ),
  };
}

/** In some of these histories the functions and tools use models, within budgets. */
function withBudgets(drawn: Scenario, dice: Dice): Scenario {
  if (drawn.functionWorkers.length === 0 || !dice.chance(LIMITED)) return drawn;
  return {
    ...drawn,
    starts: drawn.starts.map((start) => ({ ...start, workflowId: dice.pick(WITH_BUDGETS) })),
  };
}

/** The share of the histories with functions. */
const LIMITED = 0.35;

/** In some histories all executions undo their steps, and operators requeue undos that failed. */
function withUndos(drawn: Scenario, dice: Dice): Scenario {
  if (drawn.functionWorkers.length > 0 || !dice.chance(UNDONE)) return drawn;
  return {
    ...drawn,
    starts: drawn.starts.map((start) => ({
      ...start,
      workflowId: dice.pick(WITH_UNDOS),
      retries: 0,
    })),
    operators: [...new Set(drawn.starts.map(({ tenantId }) => tenantId))],
  };
}

const UNDONE = 0.1;

/** In some histories all executions are of one workflow, and most have one key of its concurrency. */
function withKeys(drawn: Scenario, dice: Dice): Scenario {
  const [first] = drawn.starts;
  const isTaken = drawn.functionWorkers.length > 0 || isOneOf(WITH_UNDOS, first);
  if (first === undefined || isTaken || !dice.chance(KEYED)) return drawn;
  const workflowId = dice.pick(WITH_KEYS);
  const { activeMs } = drawn;
  // The checker knows no retries of executions that have undone their steps.
  const undoes = workflowId === 'latest' || workflowId === 'latest_two';
  const starts = Array.from({ length: dice.between(3, 7) }, (_, index) => {
    const like = drawn.starts[index] ?? first;
    return {
      ...like,
      name: `start${index}`,
      tenantId: first.tenantId,
      workflowId,
      atMs: dice.chance(0.4) ? dice.between(0, 20) : dice.between(0, activeMs / 2),
      cancelAfterMs: dice.chance(0.2) ? dice.between(0, activeMs) : null,
      retries: undoes ? 0 : like.retries,
    };
  });
  return { ...drawn, starts };
}

function isOneOf(
  names: readonly string[],
  start: { readonly workflowId: string } | undefined,
): boolean {
  return start !== undefined && names.includes(start.workflowId);
}

const KEYED = 0.15;

/** In some histories the items of executions have keys of fairness; see `keys.ts`. */
function withShares(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(SHARED)) return drawn;
  if (drawn.functionWorkers.length > 0) {
    const starts = drawn.starts.map((start) => ({
      ...start,
      workflowId: FAIR_TWINS[start.workflowId] ?? start.workflowId,
    }));
    return { ...drawn, starts };
  }
  const first = drawn.starts.find(({ tenantId }) => tenantId !== LIMITED_TENANT);
  const isTaken = isOneOf([...WITH_UNDOS, ...WITH_KEYS], first);
  if (first === undefined || isTaken) return drawn;
  const starts = Array.from({ length: dice.between(3, 6) }, (_, index) => ({
    ...(drawn.starts[index] ?? first),
    name: `start${index}`,
    tenantId: first.tenantId,
    workflowId: dice.chance(0.6) ? 'fair' : dice.pick(FAIR),
    atMs: dice.chance(0.6) ? dice.between(0, 30) : dice.between(0, drawn.activeMs),
    cancelAfterMs: dice.chance(0.1) ? dice.between(0, drawn.activeMs) : null,
  }));
  const { tenantId } = first;
  const switches = drawn.switches.map((one) => ({ ...one, tenantId, workflowId: 'fair' as const }));
  return { ...drawn, starts, switches };
}

const SHARED = 0.15;

/**
 * In some histories clients fork executions. Once retention has removed the original, nobody finds a
 * fork whose answer was lost, so there nothing is forked that waits for an event.
 */
function withForks(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(FORKED)) return drawn;
  const isFound = ({ workflowId }: PlannedStart): boolean =>
    drawn.retention === null || EVENTS[workflowId] === undefined || workflowId === 'timers';
  const starts = drawn.starts.map((start) => ({
    ...start,
    forks: isFound(start) ? dice.between(0, 2) : 0,
  }));
  return { ...drawn, activeMs: Math.max(drawn.activeMs, 500), starts };
}

const FORKED = 0.2;

/** In some histories executions are exported and imported, more often where retention removes them. */
function withImports(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(drawn.retention === null ? IMPORTED : IMPORTED_AFTER_REMOVAL)) return drawn;
  return {
    ...drawn,
    activeMs: Math.max(drawn.activeMs, 700),
    sealed: drawn.sealed || dice.chance(0.5),
    rates: { ...drawn.rates, crash_at_import: RATES.crash_at_import },
    starts: drawn.starts.map((start) => ({ ...start, imports: dice.between(1, 5) })),
  };
}

const IMPORTED = 0.1;
const IMPORTED_AFTER_REMOVAL = 0.5;

/** In some of these histories the workers of functions have builds, and operators move functions. */
function withBuilds(drawn: Scenario, dice: Dice): Scenario {
  if (drawn.functionWorkers.length === 0 || !dice.chance(BUILT)) return drawn;
  // Every build keeps a worker to the end, so that every pinned function can end.
  const hasBuildless = dice.chance(0.3);
  return {
    ...drawn,
    starts: drawn.starts.map((start) => ({
      ...start,
      workflowId: dice.chance(0.7) ? 'pinned' : start.workflowId,
      moves: dice.between(0, 3),
    })),
    functionWorkers: drawn.functionWorkers.flatMap((worker) => {
      const { name } = worker;
      const builds = BUILDS.map((buildId) => ({ ...worker, name: `${name}-${buildId}`, buildId }));
      return hasBuildless ? [...builds, worker] : builds;
    }),
  };
}

export const BUILDS = ['blue', 'green'] as const;
/** The share of the histories with functions. */
const BUILT = 0.35;

/** The share of these histories. */
const FUNCTIONS = 0.2;

/** In some histories much fails, and most failed or cancelled executions are retried. */
function withRetries(drawn: Scenario, dice: Dice): Scenario {
  const isFragile = dice.chance(0.15);
  return {
    ...drawn,
    activeMs: isFragile ? Math.max(drawn.activeMs, 600) : drawn.activeMs,
    starts: drawn.starts.map((start) => ({
      ...start,
      workflowId: isFragile && dice.chance(0.8) ? 'fragile' : start.workflowId,
      retries: dice.chance(0.7) ? dice.between(1, 3) : 0,
    })),
  };
}

function withRetention(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(0.15)) return drawn;
  const days = (): number => dice.pick([0, 1, 1, 2]);
  const drawDays = (): KeptDays => ({ completed: days(), failed: days(), cancelled: days() });
  return {
    ...drawn,
    activeMs: dice.between(800, 1_600),
    sealed: true,
    rates: { ...drawn.rates, crash_at_removal: RATES.crash_at_removal },
    retention: {
      keptDays: drawDays(),
      policy: { tenantId: dice.pick(TENANTS), days: drawDays() },
      everyMs: dice.between(60, 300),
      batchMax: dice.between(1, 3),
      archives: false,
      restores: false,
    },
  };
}

/** In most histories with retention, executions are archived before they are removed. */
function withArchives(drawn: Scenario, dice: Dice): Scenario {
  if (drawn.retention === null || !dice.chance(ARCHIVED)) return drawn;
  const share = dice.pick([0, 0.5, 0.8]);
  const rates = ARCHIVE_FAULTS.filter(() => dice.chance(share)).map((kind) => [kind, RATES[kind]]);
  return {
    ...drawn,
    rates: { ...drawn.rates, ...(Object.fromEntries(rates) as FaultRates) },
    retention: { ...drawn.retention, archives: true, restores: dice.chance(0.3) },
  };
}

const ARCHIVED = 0.6;
export const ARCHIVE_FAULTS: readonly FaultKind[] = [
  'crash_at_archive',
  'archive_full',
  'archive_away',
  'power_lost',
];

/** Pauses a workflow that clients start, or sometimes one that other workflows start. */
function withSwitches(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(0.25)) return drawn;
  const { tenantId, workflowId } = dice.pick(drawn.starts);
  const draw = (name: string): PlannedSwitch => ({
    name,
    tenantId,
    workflowId: dice.chance(0.8) ? workflowId : 'tools',
    afterMs: dice.chance(0.4) ? 0 : dice.between(1, 300),
    forMs: dice.between(0, 400),
    times: dice.between(1, 3),
  });
  return { ...drawn, switches: ['switch0', 'switch1'].slice(0, dice.between(1, 2)).map(draw) };
}

function drawPause(dice: Dice): PlannedPause | null {
  if (!dice.chance(0.2)) return null;
  const afterMs = dice.chance(0.5) ? 0 : dice.between(1, 300);
  return { afterMs, forMs: dice.between(0, 400), times: dice.between(1, 3) };
}

/** The share of histories with a single execution, because these find most bugs soonest. */
const SMALL = 0.6;

function inSmall(drawn: Scenario, dice: Dice): Scenario {
  const [start] = drawn.starts;
  if (start === undefined) return drawn;
  return {
    ...drawn,
    roles: dice.chance(0.7) ? ['all'] : ['all', 'all'],
    activeMs: Math.min(drawn.activeMs, 400),
    starts: [start],
    workers: drawWorkers(dice, start.tenantId)
      .map((worker) => ({ ...worker, queues: BOTH }))
      .slice(0, dice.between(1, 2)),
  };
}

/** In some histories all workers speak the old protocol, and operators requeue dead letters. */
function withOldWorkers(drawn: Scenario, dice: Dice): Scenario {
  if (!dice.chance(0.3)) return drawn;
  return {
    ...drawn,
    workers: drawn.workers.map((worker) => ({
      ...worker,
      isOld: true,
      carriesEnds: false,
      mischief: Math.max(worker.mischief, 0.6),
    })),
    operators: [...new Set(drawn.workers.map(({ tenantId }) => tenantId))],
  };
}

/** Short leases, careless workers and two servers, so that several holders of an item return. */
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
    functionWorkers: [],
    operators: [],
    suspensions: [],
    switches: [],
    schedules: [],
    told: [],
    sealed: false,
    retention: null,
    queuesStarts: false,
    underWayMax: ROOMY,
    rates: drawRates(dice),
    spared: new Set(),
  };
}

/** More than the executions of a history. */
export const ROOMY = 100;

const CLUSTERS: readonly (readonly ProcessRole[])[] = [
  ['all'],
  ['all', 'all'],
  ['api', 'scheduler', 'scheduler'],
  ['api', 'all', 'scheduler'],
];

function drawStart(dice: Dice, name: string, activeMs: number): PlannedStart {
  const tenantId = dice.pick(TENANTS);
  const workflowId = dice.pick(STARTED);
  return {
    name,
    tenantId,
    workflowId,
    atMs: dice.chance(0.5) ? 0 : dice.between(0, activeMs / 2),
    cancelAfterMs: dice.chance(0.2) ? dice.between(0, activeMs) : null,
    eventAfterMs:
      EVENTS[workflowId] !== undefined && dice.chance(0.5) ? 0 : dice.between(0, activeMs),
    reviewers: dice.between(1, 2),
    paused: null,
    retries: 0,
    forks: 0,
    imports: 0,
    moves: 0,
  };
}

const BOTH = ['python_tool', 'java_tool'] as const;

function drawWorkers(dice: Dice, tenantId: string): PlannedWorker[] {
  const both = dice.chance(0.5);
  const queues = both ? [BOTH, BOTH] : [['python_tool'] as const, ['java_tool'] as const];
  return queues.map((of, index) => ({
    name: `${tenantId}-worker${index}`,
    tenantId,
    queues: of,
    maxItems: dice.between(1, 2),
    waitMs: dice.pick([0, 300]),
    mischief: dice.pick([0, 0.3, 0.6, 0.9]),
    isOld: false,
    carriesEnds: dice.chance(0.5),
  }));
}

/** Some histories have many faults of few kinds, some a few of all kinds, and some none. */
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
    kinds
      .filter((kind) => !isOfSome(kind) && dice.chance(share))
      .map((kind) => [kind, RATES[kind] * scale]),
  );
}

/** Only histories with imports, or with archives, have these faults. */
function isOfSome(kind: FaultKind): boolean {
  return kind === 'crash_at_import' || ARCHIVE_FAULTS.includes(kind);
}

/**
 * The probability per store call, request, hint or step of an archive; for faults of processes, power
 * and clocks, per tenth of a second.
 */
const RATES: Readonly<Record<FaultKind, number>> = {
  unavailable: 0.01,
  pool_exhausted: 0.01,
  serialization: 0.01,
  deadlock: 0.01,
  timed_out_before: 0.005,
  timed_out_after: 0.01,
  slow: 0.02,
  crash_before: 0.005,
  crash_after: 0.01,
  crash_at_pause: 0.15,
  crash_at_retry: 0.3,
  crash_at_removal: 0.4,
  crash_at_import: 0.3,
  crash_at_archive: 0.06,
  archive_full: 0.4,
  archive_away: 0.06,
  power_lost: 0.08,
  crash: 0.05,
  pause: 0.08,
  clock_forward: 0.03,
  clock_back: 0.03,
  request_lost: 0.03,
  request_doubled: 0.08,
  reply_lost: 0.05,
  reply_late: 0.03,
  hint_lost: 0.2,
  receiver_away: 0.2,
  receiver_fails: 0.2,
  receiver_mute: 0.2,
};
