import { readFileSync, writeFileSync } from 'node:fs';
import type { Event, ObservedRun } from 'ava/internal';

export type Totals = { readonly passed: number; readonly failed: number };

/** What ava counts; its own type forgets the processes that ended in the middle of their tests. */
export type AvaStats = Extract<Event, { type: 'stats' }>['stats'] & {
  readonly unexpectedProcessExits?: number;
};

/** Keeps the totals of a run in the file that TEST_TOTALS_FILE names, if it names one. */
export async function writeTotals(run: ObservedRun): Promise<void> {
  const file = process.env['TEST_TOTALS_FILE'];
  if (file === undefined) return;
  for await (const event of run.events) {
    // Written at each news, and not only at the end: a run may be killed.
    if (event.type === 'stats') writeFileSync(file, JSON.stringify(countTotals(event.stats)));
  }
}

export function readTotals(file: string): Totals {
  return JSON.parse(readFileSync(file, 'utf8')) as Totals;
}

/** A crashed file, a broken hook and a test that never ended are failures as much as a failed test. */
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
