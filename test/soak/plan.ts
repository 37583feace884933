import type { Bound } from './trend.ts';

const MINUTE = 60_000;
const MIB = 1_048_576;
const FAULT_EVERY_MS = 5 * MINUTE;
/** In a short run faults come more often, so that it has this many. */
const FAULTS_MIN = 4;

/** The times of a run, in milliseconds. */
export interface Plan {
  readonly durationMs: number;
  readonly faultEveryMs: number;
  /** The interval between two readings of the processes. */
  readonly processesEveryMs: number;
  /** The window of latencies, and the interval between two readings of the database. */
  readonly windowMs: number;
  /** How long the growth of a process, or of the run, doesn't count. */
  readonly warmUpMs: number;
}

export function planRun(hours: number): Plan {
  const durationMs = hours * 60 * MINUTE;
  return {
    durationMs,
    faultEveryMs: Math.min(FAULT_EVERY_MS, durationMs / FAULTS_MIN),
    processesEveryMs: between(1_000, durationMs / 400, 30_000),
    windowMs: between(5_000, durationMs / 60, MINUTE),
    warmUpMs: Math.min(10 * MINUTE, durationMs / 6),
  };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** The growth that a series may have over the whole run, by the beginning of its name. */
const BOUNDS: readonly (readonly [string, Bound])[] = [
  ['memory of', { absolute: 32 * MIB, share: 0.15 }],
  ['handles of', { absolute: 8, share: 0.1 }],
  ['sessions', { absolute: 8, share: 0.25 }],
  ['dead rows of', { absolute: 10_000, share: 0.5 }],
  ['size of', { absolute: 16 * MIB, share: 0.25 }],
  ['table bytes', { absolute: 64, share: 0.1 }],
  ['index bytes', { absolute: 64, share: 0.1 }],
  ['latency p50', { absolute: 50, share: 0.25 }],
  ['latency p99', { absolute: 500, share: 0.5 }],
];

/**
 * A shorter run is a trial: heaps and caches still fill, so memory and latency get four times the
 * bound.
 */
const TRIAL_MS = 20 * MINUTE;
const TRIAL_SLACK = 4;

export function boundOf(name: string, { durationMs }: Pick<Plan, 'durationMs'>): Bound {
  const found = BOUNDS.find(([prefix]) => name.startsWith(prefix));
  if (found === undefined) throw new Error(`no bound for ${name}`);
  const [prefix, bound] = found;
  if (durationMs >= TRIAL_MS || !/^(memory|latency)/.test(prefix)) return bound;
  return { absolute: bound.absolute * TRIAL_SLACK, share: bound.share * TRIAL_SLACK };
}

/** Faults that leave the machine unchanged: no full disk, no changed clock. */
export const SOAK_FAULTS = [
  'kill',
  'terminate',
  'freeze',
  'stall',
  'postgres-terminate-backends',
  'postgres-connections-taken',
  'postgres-table-locked',
  'postgres-restart',
];
