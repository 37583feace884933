import type { Violation } from '../invariants/violation.ts';
import type { Fault } from './faults/fault.ts';
import type { Failpoint } from './faults/failpoints.ts';
import type { Strike } from './types.ts';

/*
 * A run in which little happened proves little, so it fails. The figures are well below those of a
 * run on a machine with two busy cores. A seed may by chance leave out what a run of its length does
 * only a few times: the report then says so, and the run does not fail for it.
 */

/** Per minute of faults. */
const PER_MINUTE: Readonly<Record<string, number>> = {
  'start ok': 20,
  'claim ok': 20,
  'complete ok': 20,
  'approve ok': 10,
  'event ok': 5,
  'cancel ok': 1,
  'pause ok': 3,
  'resume ok': 3,
  'pause_workflow ok': 3,
  'resume_workflow ok': 3,
  'retries begun': 0.5,
  'export ok': 3,
  'import ok': 3,
  'executions imported': 1,
  'read ok': 20,
  'read_events ok': 20,
  'follow ok': 1,
  WorkflowCompleted: 20,
  TimerFired: 5,
  StepRecorded: 20,
  NodeSuspended: 10,
  RollbackScheduled: 1,
  'messages of webhooks': 20,
  'messages that failed': 2,
  'messages that came again': 2,
};

/**
 * The effects that faults must have. All faults together cause each within a minute; some need
 * longer.
 */
const PER_MINUTE_OF_ALL: Readonly<Record<string, number>> = {
  'leases that lapsed': 1,
  'unknown operations that were carried out': 2,
  'unknown operations that were not': 2,
  'items claimed more than once': 1,
  'settles under a stale fence': 1,
  'starts sent more than once under one key': 1,
  'duties changed hands': 1,
  'streams of events that broke and continued': 0.3,
};

/** Chance leaves out a few of so many, and not all. */
const CERTAIN_FROM = 5;

/** In a run of this length every kind of fault strikes. */
const FULL_RUN_MINUTES = 10;
/**
 * Minimums of a full run: retention removes an execution only once it is sealed, a minute later.
 */
const IN_A_FULL_RUN: Readonly<Record<string, number>> = {
  'executions removed': 20,
  'removals that an import reverted': 1,
  'retries that came second': 5,
};
/**
 * Processes must die at these places in a full run; the names of the failpoints contain these
 * words.
 */
const DEATHS_OF_A_FULL_RUN = [
  'ExecutionPaused',
  'retried_from',
  'retire_executions',
  'import_execution',
];
const STRIKES_PER_MINUTE = 5;
const FAILPOINTS_OF_A_FULL_RUN = 10;

export interface Exercise {
  readonly violations: readonly Violation[];
  /** Too rare to be certain in a run of this length, and missing. */
  readonly unexercised: readonly string[];
}

interface Wanted {
  readonly what: string;
  readonly times: number;
  readonly atLeast: number;
}

export function checkExercise(run: {
  readonly minutes: number;
  readonly faults: readonly Fault[];
  /** Whether the run includes every fault. */
  readonly isWhole: boolean;
  readonly strikes: readonly Strike[];
  readonly failpoints: readonly Failpoint[];
  readonly exercised: Readonly<Record<string, number>>;
}): Exercise {
  const { minutes, isWhole, strikes, exercised } = run;
  const rates = { ...PER_MINUTE, ...(isWhole ? PER_MINUTE_OF_ALL : {}) };
  const perMinute = Object.entries(rates).map(([what, rate]) => ({
    what,
    times: exercised[what] ?? 0,
    atLeast: Math.floor(rate * minutes),
    isCertain: rate * minutes >= CERTAIN_FROM,
  }));
  const missing = perMinute.filter(isMissing);
  const struck = {
    what: 'strikes',
    times: strikes.length,
    atLeast: Math.floor(STRIKES_PER_MINUTE * minutes),
  };
  const certain = [
    ...missing.filter(({ isCertain }) => isCertain),
    ...[struck, ...wantedInFullRun(run)].filter(isMissing),
  ];
  return {
    violations: certain.map(({ what, times, atLeast }) => ({
      rule: 'a run exercises what it is for',
      about: { what },
      saw: `${times} times, at least ${atLeast} are wanted`,
    })),
    unexercised: missing
      .filter(({ isCertain }) => !isCertain)
      .map(({ what, times, atLeast }) => `${what}: ${times} times, usually at least ${atLeast}`),
  };
}

function isMissing({ times, atLeast }: Wanted): boolean {
  return times < atLeast;
}

function wantedInFullRun(run: Parameters<typeof checkExercise>[0]): readonly Wanted[] {
  const { minutes, faults, isWhole, strikes, failpoints, exercised } = run;
  if (minutes < FULL_RUN_MINUTES) return [];
  const missed = faults.filter(({ name }) => !strikes.some(({ fault }) => fault === name));
  const hit = failpoints.filter(({ hits }) => hits > 0).length;
  return [
    ...(isWhole
      ? [
          ...Object.entries(IN_A_FULL_RUN).map(([what, atLeast]) => ({
            what,
            times: exercised[what] ?? 0,
            atLeast,
          })),
          ...DEATHS_OF_A_FULL_RUN.map((what) => ({
            what: `deaths at ${what}`,
            times: hitsOf(failpoints, what),
            atLeast: 1,
          })),
        ]
      : []),
    ...missed.map(({ name }) => ({ what: name, times: 0, atLeast: 1 })),
    ...(faults.some(({ name }) => name === 'failpoint')
      ? [{ what: 'failpoints', times: hit, atLeast: FAILPOINTS_OF_A_FULL_RUN }]
      : []),
  ];
}

function hitsOf(failpoints: readonly Failpoint[], word: string): number {
  const named = failpoints.filter(({ statement }) => statement.includes(word));
  return named.reduce((sum, { hits }) => sum + hits, 0);
}
