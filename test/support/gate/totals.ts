import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Event, ObservedRun } from 'ava/internal';

export type Totals = { readonly passed: number; readonly failed: number };

/** The counts of ava; its own type lacks the processes that ended during their tests. */
export type AvaStats = Extract<Event, { type: 'stats' }>['stats'] & {
  readonly unexpectedProcessExits?: number;
};

/** Saves the totals of a run to the file that TEST_TOTALS_FILE names, if any. */
export async function writeTotals(run: ObservedRun): Promise<void> {
  const file = process.env['TEST_TOTALS_FILE'];
  if (file === undefined) return;
  for await (const event of run.events) {
    // Written after each event, and not only at the end, because a signal may kill the run.
    if (event.type === 'stats') writeFileSync(file, JSON.stringify(countTotals(event.stats)));
  }
}

export function readTotals(file: string): Totals {
  return JSON.parse(readFileSync(file, 'utf8')) as Totals;
}

/** The same for a run that may not have begun; none then. */
export function readTotalsIfAny(file: string): Totals {
  return existsSync(file) ? readTotals(file) : { passed: 0, failed: 0 };
}

export function addTotals(all: readonly Totals[]): Totals {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** A crashed file, a broken hook and a test that never ended count as failures, too. */
export function countTotals(stats: AvaStats): Totals {
  return {
    passed: stats.passedTests,
    failed:
      stats.failedTests +
      stats.failedHooks +
      stats.failedWorkers +
      stats.timedOutTests +
      stats.uncaughtExceptions +
      stats.unhandledRejections +
      (stats.unexpectedProcessExits ?? 0) +
      stats.internalErrors +
      stats.sharedWorkerErrors,
  };
}
