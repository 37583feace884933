import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Event, ObservedRun } from 'ava/internal';

export type Totals = {
  readonly passed: number;
  readonly failed: number;
  /** Each failure with its file and reason, for the last lines of a long output. */
  readonly failures: readonly string[];
};

/** Lines of a failure that are repeated at the end; its whole text stands where it happened. */
const FAILURE_LINES_MAX = 20;

const NO_TOTALS: Totals = { passed: 0, failed: 0, failures: [] };

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Ends of a process that carry no error; ava's types lack the second. */
const EXITS: ReadonlySet<string> = new Set(['worker-failed', 'process-exit']);

type FailedTest = Extract<Event, { type: 'test-failed' }>;

/** The counts of ava; its own type lacks the processes that ended during their tests. */
export type AvaStats = Extract<Event, { type: 'stats' }>['stats'] & {
  readonly unexpectedProcessExits?: number;
};

/** Saves the totals of a run to the file that TEST_TOTALS_FILE names, if any. */
export async function writeTotals(run: ObservedRun): Promise<void> {
  const file = process.env['TEST_TOTALS_FILE'];
  if (file === undefined) return;
  const failures: string[] = [];
  for await (const event of run.events) {
    const failure = describeFailure(event);
    if (failure !== null) failures.push(failure);
    // Written after each event, and not only at the end, because a signal may kill the run.
    if (event.type === 'stats') {
      writeFileSync(file, JSON.stringify({ ...countTotals(event.stats), failures }));
    }
  }
}

/** Null for an event that is no failure. */
export function describeFailure(event: Event): string | null {
  const { err, title, testFile } = event as Partial<FailedTest>;
  if (event.type === 'timeout') return describeTimeout(event.pendingTests);
  if (err === undefined) return EXITS.has(event.type) ? describeExit(event) : null;
  const place = [testFile && relative(repository, testFile), title ?? event.type];
  const details = err.type === 'ava' ? [err.formattedDetails].flat() : [err.stack];
  const lines = [place.filter(Boolean).join(' › '), err.message, ...details.map(textOfDetail)];
  return lines.join('\n').split('\n').slice(0, FAILURE_LINES_MAX).join('\n  ');
}

function describeExit(event: Event): string {
  const { signal, testFile = '' } = event as { signal?: string; testFile?: string };
  return `${relative(repository, testFile)}: its process ended early (${signal ?? 'exit'})`;
}

function describeTimeout(pending: ReadonlyMap<string, ReadonlySet<string>>): string {
  const files = [...pending].map(
    ([file, titles]) => `${relative(repository, file)}: ${[...titles].join(', ')}`,
  );
  return ['no test ended for too long; still running:', ...files].join('\n  ');
}

function textOfDetail(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  const { label = '', formatted = '' } = (detail ?? {}) as { label?: string; formatted?: string };
  return `${label} ${stripVTControlCharacters(formatted)}`;
}

function readTotals(file: string): Totals {
  return JSON.parse(readFileSync(file, 'utf8')) as Totals;
}

/** The same for a run that may not have begun; none then. */
export function readTotalsIfAny(file: string): Totals {
  return existsSync(file) ? readTotals(file) : NO_TOTALS;
}

export function addTotals(all: readonly Totals[]): Totals {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    failures: all.flatMap(({ failures }) => failures),
  };
}

/** A crashed file, a broken hook and a test that never ended count as failures, too. */
export function countTotals(stats: AvaStats): Omit<Totals, 'failures'> {
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
