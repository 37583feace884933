import { setTimeout as delay } from 'node:timers/promises';

import { systemTimers } from '../../shared/engine/scheduling/timers.ts';
import type { Agenda } from '../../shared/store/sqlite/open-in-memory.ts';
import { openRuntimeOn, type Runtime, type RuntimeOptions } from '../open-runtime.ts';
import { createSkippingClock, type SkippingClock } from './skipping-clock.ts';

export interface TestRuntimeOptions extends Pick<RuntimeOptions, 'settings' | 'kinds' | 'ports'> {
  /** The time at which the clock starts. Default: the system's time. */
  readonly startAt?: Date;
}

export interface TestRuntime extends Runtime {
  readonly fetch: NonNullable<Runtime['fetch']>;
  /** The time of the runtime, which timers, schedules, leases and deadlines follow. */
  now(): Date;
  /**
   * Resolves when the runtime has nothing to do before its clock moves: every execution rests, and
   * no work item is leased, or queued for a worker that serves it.
   */
  settle(patience?: Patience): Promise<void>;
  /**
   * Moves the clock by so many milliseconds, from one due time to the next, and lets the runtime settle
   * at each.
   */
  advance(ms: number, patience?: Patience): Promise<void>;
}

export interface Patience {
  /** How long a work item may keep the runtime busy before it counts as rest: real time, 5 000 by default. */
  readonly busyMsMax?: number;
}

/**
 * Opens a runtime in memory for a test: the real engine, scheduler and API, without a listener, a file
 * or logs. Time passes as in the system until the test skips some.
 *
 * Throws a ConfigError for settings that cannot be used.
 */
export async function openTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const { startAt = new Date(), settings, ...others } = options;
  const clock = createSkippingClock({ startAt: startAt.getTime(), system: systemTimers });
  // SQLite is loaded by who tests, not by every program that names this module.
  const { openObservedStore } = await import('../../shared/store/sqlite/open-in-memory.ts');
  const { store, agenda } = await openObservedStore({ clock: () => Math.floor(clock.now()) });
  const runtime = await openRuntimeOn(
    { store, timers: clock.timers, failsMisfits: true },
    {
      ...others,
      database: ':memory:',
      settings: { 'auth.enabled': false, 'logging.level': 'silent', ...settings },
    },
  );
  const { fetch } = runtime;
  if (fetch === null) throw new Error('a runtime of every role has an API');
  const settle = async ({ busyMsMax = BUSY_MS_MAX }: Patience = {}) => {
    await waitUntilAtRest({ clock, agenda, busyMsMax });
  };
  return {
    ...runtime,
    fetch,
    now: () => new Date(clock.now()),
    settle,
    async advance(ms, patience) {
      // Work that is under way belongs to the time before.
      await settle(patience);
      const target = clock.now() + ms;
      for (;;) {
        const { dueAt } = agenda();
        const left = target - clock.now();
        if (left <= 0) return;
        const next = dueAt === null ? left : Math.min(left, Math.max(1, dueAt - clock.now()));
        clock.skip(next);
        await settle(patience);
      }
    },
  };
}

const BUSY_MS_MAX = 5_000;
const LOOK_EVERY_MS = 1;
/** That many looks in a row that find nothing to do, and no change since the one before. */
const LOOKS_AT_REST = 4;

async function waitUntilAtRest(params: {
  readonly clock: SkippingClock;
  readonly agenda: () => Agenda;
  readonly busyMsMax: number;
}): Promise<void> {
  const { clock, agenda, busyMsMax } = params;
  const begun = systemTimers.now();
  let before = agenda();
  for (let calm = 0; calm < LOOKS_AT_REST;) {
    await delay(LOOK_EVERY_MS);
    const seen = agenda();
    const isDue = seen.dueAt !== null && seen.dueAt <= clock.now();
    const isBusy = seen.runnable > 0 || seen.underWay > 0 || isDue;
    const isPatient = systemTimers.now() - begun < busyMsMax;
    calm = (isBusy && isPatient) || seen.changes !== before.changes ? 0 : calm + 1;
    before = seen;
  }
}
