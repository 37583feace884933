import type { ExecutionId, WorkItemId } from '../ids.ts';
import { timerName } from './effect.ts';
import type { JournalEntry } from './function-events.ts';

/**
 * The progress of a visit of a durable function; `docs/reference/function-protocol.md` shows the
 * state machine. The history holds the entries themselves. This holds only the facts that decisions
 * and requests need, so it stays small when a journal has thousands of entries.
 */
export interface FunctionRun {
  /** From 0: one more each time the item comes back to its queue. */
  readonly turn: number;
  /** `rollback`: only compensations run, and the visit ends after them. */
  readonly mode: 'run' | 'rollback';
  /** Sequence of the event that recorded each identity, in the order of the journal. */
  readonly recorded: ReadonlyMap<string, number>;
  /** Compensations that were registered and have not run, in the order of registration. */
  readonly compensations: readonly string[];
  /** Open waits, in the order in which they were opened. */
  readonly waits: readonly FunctionWait[];
  /** The suspension that was asked for last. */
  readonly suspension: Suspension | null;
  /** Why it is rolled back; null in mode `run`. */
  readonly cause: RollbackCause | null;
  /** A timer bounds the whole visit. */
  readonly hasTimeout: boolean;
  /** The request that began this visit, in place of the one before it; null: a token did. */
  readonly begunBy: ContinueRequest | null;
  /** The build of workers that the visit is pinned to; null: none. */
  readonly buildId: string | null;
}

export type RollbackCause =
  | { readonly is: 'cancelled'; readonly reason: string }
  | { readonly is: 'failed'; readonly error: string; readonly errorClass: string };

export interface FunctionWait {
  readonly identity: string;
  readonly kind: 'timer' | 'event' | 'approval' | 'child';
  /** Set for an event. */
  readonly correlationKey: string | null;
  readonly childId: ExecutionId | null;
  /** There is a timer: that of the wait itself, or its time-out. */
  readonly hasTimer: boolean;
  readonly hasFired: boolean;
  /** Decided by a person, or given by the end of a child. */
  readonly answer: JournalEntry | null;
  /** The question of an approval. */
  readonly description: string | null;
  readonly shownHash: string | null;
}

/** Answers a request that is sent again, because its answer was lost, as the first. */
export interface Suspension {
  readonly leaseFence: number;
  readonly requestHash: string;
  /** Entries of the journal after it. */
  readonly length: number;
  /** The first entry that satisfied a wait at once; null: the lease ended. */
  readonly resumedAt: number | null;
  /** It named no waits: the next turn follows as soon as it may. */
  readonly yields?: true;
}

/** Answers a request to continue that is sent again as the first. */
export interface ContinueRequest {
  /** The item of the visit before. */
  readonly workItemId: WorkItemId;
  readonly leaseFence: number;
  readonly requestHash: string;
}

export const NEW_RUN: FunctionRun = {
  turn: 0,
  mode: 'run',
  recorded: new Map(),
  compensations: [],
  waits: [],
  suspension: null,
  cause: null,
  hasTimeout: false,
  begunBy: null,
  buildId: null,
};

/** The most entries that one visit records. */
export const ENTRIES_MAX = 10_000;
/** The most waits of a visit that are open at the same time. */
export const WAITS_MAX = 100;

/** Class of the error that workers report for code that does not fit the journal. It has run nothing new. */
export const MISFIT_CLASS = 'NonDeterminismError';

/** Prefix of the identity under which the run of a compensation is recorded. */
export const ROLLBACK_PREFIX = 'rollback/';

/** Whether compensations are to run before the visit ends. */
export function owesRollback(run: FunctionRun | null): boolean {
  return run !== null && run.compensations.length > 0;
}

/** Whether an outcome of this visit is followed by a rollback, and does not end it. */
export function beginsRollback(run: FunctionRun | null): boolean {
  return run?.mode === 'run' && owesRollback(run);
}

/** Names of timers, and children, that a function has open beside its item; they end with it. */
export function openEnds(of: {
  readonly nodeId: string;
  readonly visit: number;
  readonly run: FunctionRun;
}): { readonly timers: readonly string[]; readonly children: readonly ExecutionId[] } {
  const { nodeId, visit, run } = of;
  const waiting = run.waits.filter(({ hasTimer, hasFired }) => hasTimer && !hasFired);
  const timers = waiting.map(({ identity: step }) =>
    timerName({ purpose: 'function_wait', nodeId, visit, step }),
  );
  if (run.hasTimeout) timers.push(timerName({ purpose: 'function_timeout', nodeId, visit }));
  const children = openWaits(run).flatMap(({ childId }) => childId ?? []);
  return { timers, children };
}

/** Waits that have no answer yet. */
export function openWaits(run: FunctionRun): readonly FunctionWait[] {
  return run.waits.filter(({ answer }) => answer === null);
}
