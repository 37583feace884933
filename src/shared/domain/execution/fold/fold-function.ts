import { hashJson } from '../../canonical-json.ts';
import type { ExecutionId } from '../../ids.ts';
import type { Draft } from '../draft.ts';
import type { TimerPayload } from '../event-payloads.ts';
import { takeLabels } from '../labels/labels.ts';
import {
  type JournalEntry,
  labelsOfSteps,
  shownOf,
  type StepRecordedPayload,
  usagesOfSteps,
  type WaitPayload,
} from '../function-events.ts';
import {
  type FunctionRun,
  type FunctionWait,
  owesRollback,
  ROLLBACK_PREFIX,
  type RollbackCause,
} from '../function-run.ts';
import { type ChildEnd, type LiveVisit, visitKey } from '../state.ts';
import { addUsage } from './add-usage.ts';
import type { EventOf } from './event-of.ts';
import { endUndo, foldEndingChildren, isUndo } from './fold-undo.ts';
import { changeVisit, liveVisit, memoryOnward } from './live-visit.ts';

/* Folds the events of durable functions into their visits. */

export function foldStepRecorded(draft: Draft, { nodeId, payload }: EventOf<'StepRecorded'>): void {
  const visit = liveVisit(draft, nodeId, payload.visit);
  const run = runOf(draft, visit);
  const { entries } = payload;
  takeEvents(draft, entries);
  for (const usage of usagesOfSteps(payload)) addUsage(draft, usage);
  const labels = labelsOfSteps(payload);
  if (labels.length > 0) draft.labels = { ...draft.labels, ...takeLabels(draft.labels, labels) };
  if (payload.carried === true) {
    const { [visitKey(nodeId, payload.visit)]: _, ...others } = draft.carriedJournals;
    draft.carriedJournals = others;
  }
  changeVisit(draft, visit, {
    memory: memoryOnward(visit),
    run: {
      ...run,
      recorded: record(draft, run.recorded, payload),
      compensations: compensationsAfter(run.compensations, entries),
      waits: run.waits.filter(({ identity }) => !entries.some((one) => one.identity === identity)),
    },
  });
}

function takeEvents(draft: Draft, entries: readonly JournalEntry[]): void {
  const taken = new Set(entries.flatMap((entry) => entry.event_sequence ?? []));
  if (taken.size === 0) return;
  draft.mailbox = draft.mailbox.filter(({ sequence }) => !taken.has(sequence));
}

function record(
  draft: Draft,
  recorded: ReadonlyMap<string, number>,
  { entries, position }: StepRecordedPayload,
): ReadonlyMap<string, number> {
  if (position !== recorded.size) {
    throw new Error(
      `broken history of ${draft.executionId}: entry ${position} of a journal of ${recorded.size}`,
    );
  }
  const own = ownRecorded(draft, recorded);
  for (const { identity } of entries) own.set(identity, draft.sequence);
  if (own.size !== position + entries.length) {
    throw new Error(
      `broken history of ${draft.executionId}: an identity is recorded twice at ${draft.sequence}`,
    );
  }
  return own;
}

/** Copied once in a fold: a copy for every entry would take a long journal seconds to fold. */
function ownRecorded(draft: Draft, recorded: ReadonlyMap<string, number>): Map<string, number> {
  const known = owned.get(draft) ?? new WeakMap<ReadonlyMap<string, number>, Map<string, number>>();
  owned.set(draft, known);
  const own = known.get(recorded) ?? new Map(recorded);
  known.set(own, own);
  return own;
}

/** The journals that each draft has copied and may therefore change. */
const owned = new WeakMap<Draft, WeakMap<ReadonlyMap<string, number>, Map<string, number>>>();

function compensationsAfter(
  before: readonly string[],
  entries: readonly JournalEntry[],
): readonly string[] {
  const touched = entries.some(({ kind }) => kind === 'on_rollback' || kind === 'rollback');
  if (!touched) return before;
  const done = new Set(entries.flatMap((one) => (one.kind === 'rollback' ? one.identity : [])));
  const registered = entries.flatMap((one) => (one.kind === 'on_rollback' ? one.identity : []));
  return [...before, ...registered].filter((identity) => !done.has(ROLLBACK_PREFIX + identity));
}

export function foldSuspended(draft: Draft, { nodeId, payload }: EventOf<'NodeSuspended'>): void {
  const visit = liveVisit(draft, nodeId, payload.visit);
  const run = runOf(draft, visit);
  const length = run.recorded.size;
  const { lease_fence: leaseFence, request_hash: requestHash } = payload;
  const isResumed = payload.resumed === true;
  const open = new Set(run.waits.map(({ identity }) => identity));
  const opened = payload.waits.filter(({ identity }) => !open.has(identity)).map(openWait);
  changeVisit(draft, visit, {
    phase: isResumed ? visit.phase : 'suspended',
    memory: memoryOnward(visit),
    run: {
      ...run,
      waits: [...run.waits, ...opened],
      suspension: {
        leaseFence,
        requestHash,
        length,
        resumedAt: isResumed ? length : null,
        ...(payload.waits.length === 0 && { yields: true }),
      },
    },
  });
}

/** A wait as it is opened. */
export function openWait(wait: WaitPayload): FunctionWait {
  const { identity, kind, error } = wait;
  const shown = shownOf(wait.context);
  return {
    identity,
    kind,
    correlationKey: wait.correlation_key ?? null,
    childId: (wait.child_execution_id ?? null) as ExecutionId | null,
    hasTimer: kind === 'timer' || wait.timeout_ms !== undefined,
    hasFired: false,
    answer: error === undefined ? null : { identity, kind, error },
    description: wait.description ?? null,
    shownHash: shown === undefined ? null : hashJson(shown),
  };
}

export function foldPinned(draft: Draft, { nodeId, payload }: EventOf<'NodePinned'>): void {
  const visit = liveVisit(draft, nodeId, payload.visit);
  changeVisit(draft, visit, { run: { ...runOf(draft, visit), buildId: payload.build_id } });
}

/** An outcome of the visit that compensations follow: they run in a turn of their own. */
export function foldRollbackDue(draft: Draft, visit: LiveVisit, cause: RollbackCause): void {
  const run = runOf(draft, visit);
  changeVisit(draft, visit, {
    phase: 'work',
    signal: { is: 'rollback' },
    run: { ...run, mode: 'rollback', suspension: null, cause: run.cause ?? cause },
  });
}

export function foldRollbackScheduled(
  draft: Draft,
  { nodeId, payload }: EventOf<'RollbackScheduled'>,
): void {
  const visit = liveVisit(draft, nodeId, payload.visit);
  const { turn, attempt } = payload;
  changeVisit(draft, visit, {
    attempt,
    signal: null,
    memory: memoryOnward(visit),
    run: { ...runOf(draft, visit), turn, waits: [], hasTimeout: false },
  });
}

/** A rollback that is cancelled begins again: what it was about to do is still to be done. */
export function foldNodeCancelled(
  draft: Draft,
  { nodeId, payload }: EventOf<'NodeCancelled'>,
): void {
  const key = visitKey(nodeId, payload.visit);
  const visit = draft.live.get(key);
  addUsage(draft, payload.usage);
  if (visit !== undefined && payload.awaits_children === true) foldEndingChildren(draft, visit);
  if (visit !== undefined && owesRollback(visit.run) && payload.rolled_back !== true) {
    return foldRollbackDue(draft, visit, { is: 'cancelled', reason: payload.reason });
  }
  if (visit !== undefined && isUndo(visit)) return endUndo(draft, visit, payload.reason);
  draft.live.delete(key);
}

/** Finds the wait by its identity: a child that continued as other runs now has another id. */
export function foldChildOfFunction(
  draft: Draft,
  visit: LiveVisit,
  { end, step: identity }: { readonly end: ChildEnd; readonly step: string },
): void {
  const answer: JournalEntry = end.ok
    ? { identity, kind: 'child', output: end.output }
    : { identity, kind: 'child', error: { message: end.error, class: end.errorClass } };
  answerWait(draft, { ...visit, identity }, { answer });
}

export function foldFunctionTimeout(
  draft: Draft,
  { nodeId, payload }: { readonly nodeId: string | null; readonly payload: TimerPayload },
): void {
  const visit = findVisit(draft, nodeId, payload.visit);
  if (visit === undefined || visit.run === null) return;
  changeVisit(draft, visit, { run: { ...visit.run, hasTimeout: true } });
}

/** A timer of a visit that is over by now tells nothing. */
export function foldFunctionTimer(
  draft: Draft,
  { nodeId, payload }: { readonly nodeId: string | null; readonly payload: TimerPayload },
): void {
  const visit = findVisit(draft, nodeId, payload.visit);
  if (visit === undefined || visit.run === null) return;
  const { purpose, step } = payload;
  if (purpose === 'function_wait') {
    return answerWait(draft, { ...visit, identity: step ?? '' }, { hasFired: true });
  }
  const run = { ...visit.run, hasTimeout: false };
  const isOver = visit.run.mode === 'rollback';
  changeVisit(draft, visit, { run, ...(!isOver && { signal: { is: 'overdue' } }) });
}

/** The wait may be over by now: of decision, event and time-out the first counts. */
export function answerWait(
  draft: Draft,
  of: { readonly nodeId: string; readonly visit: number; readonly identity: string },
  change: Partial<Pick<FunctionWait, 'answer' | 'hasFired'>>,
): void {
  const visit = draft.live.get(visitKey(of.nodeId, of.visit));
  if (visit === undefined || visit.run === null) return;
  const waits = visit.run.waits.map((wait) =>
    wait.identity === of.identity && wait.answer === null ? { ...wait, ...change } : wait,
  );
  changeVisit(draft, visit, { run: { ...visit.run, waits } });
}

function findVisit(
  draft: Draft,
  nodeId: string | null,
  visit: number | null,
): LiveVisit | undefined {
  return nodeId === null || visit === null ? undefined : draft.live.get(visitKey(nodeId, visit));
}

function runOf(draft: Draft, { run, nodeId }: LiveVisit): FunctionRun {
  if (run === null)
    throw new Error(`broken history of ${draft.executionId}: ${nodeId} is no function`);
  return run;
}
