import type { ExecutionState } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { DueTimer, ExecutionRow, LoadedExecution } from '../../store/store.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { commitOfCancel } from '../executions/cancel-execution.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';
import { type EndOfChild, endOfChild, readEnd } from './end-of-child.ts';
import { END_ASKED } from './family.ts';
import { foldLoaded } from './load-execution.ts';
import { recordUntoldEnds } from './untold-ends.ts';

/** Reports all ended children to their parent, in one commit. */
export async function tellParent(deps: EngineDeps, timers: readonly DueTimer[]): Promise<void> {
  const [parent] = timers;
  if (parent === undefined) return;
  const ends = await Promise.all(timers.map((timer) => readEnd(deps, timer)));
  const commit: CommitPlan = {
    ...emptyCommit(parent),
    firesTimers: timers.map(({ name }) => name),
    events: ends.map((end) => newEvent(end, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) {
    deps.report.count('timers_fired', timers.length, { purpose: 'child_ended' });
    wakeFor(deps.wake, commit, shardOf(parent.executionId));
  } else if (verdict.reason === 'ended' || verdict.reason === 'missing') {
    await recordUntoldEnds(deps, parent.executionId, ends);
    await deps.store.timers.discard(timers);
  }
}

/** The end of a child for which undos of its parent may wait. */
export interface UntoldEnd {
  readonly parentId: ExecutionId;
  readonly end: EndOfChild;
  /** It asked for the end. */
  readonly timer: DueTimer;
}

/**
 * Cancels a child that no visit waits for any more. If it continued as another run, it cancels that
 * run first, and then deletes the timer. Not null: it has ended, and `tellAsked` reports that.
 */
export async function endChild(deps: EngineDeps, timer: DueTimer): Promise<UntoldEnd | null> {
  let run: ExecutionId | null = timer.executionId;
  let untold: UntoldEnd | null = null;
  while (run !== null) {
    const executionId: ExecutionId = run;
    const ended = await retryWhileMoved(`execution ${executionId}`, () =>
      endRun(deps, timer, executionId),
    );
    run = ended.continuedAs;
    ({ untold = null } = ended);
  }
  return untold;
}

/** Tells one parent of all these ends in one commit, and then deletes the timers that asked for them. */
export async function tellAsked(deps: EngineDeps, untold: readonly UntoldEnd[]): Promise<void> {
  const [first] = untold;
  if (first === undefined) return;
  // Two runs of one child may both be asked.
  const ends = new Map(untold.map(({ end }) => [end.payload.child_execution_id, end]));
  await recordUntoldEnds(deps, first.parentId, [...ends.values()]);
  await deps.store.timers.discard(untold.map(({ timer }) => timer));
}

interface Ended {
  readonly continuedAs: ExecutionId | null;
  readonly untold?: UntoldEnd | null;
}

/** Null: the run has moved meanwhile. */
async function endRun(
  deps: EngineDeps,
  timer: DueTimer,
  executionId: ExecutionId,
): Promise<Ended | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  const state = loaded && foldLoaded(loaded, null);
  if (loaded !== null && state !== null && !isTerminal(loaded.row.status)) {
    return cancelOnce(deps, timer, { loaded, state });
  }
  const continuedAs = state?.continuedAs ?? null;
  if (continuedAs !== null) return { continuedAs };
  const parent = isAwaited(timer) ? (state?.parent ?? null) : null;
  if (loaded === null || state === null || parent === null) {
    await deps.store.timers.discard([timer]);
    return { continuedAs };
  }
  const { tenantId } = timer;
  const end = await endOfChild(deps, { ...parent, tenantId }, { row: loaded.row, state });
  return { continuedAs, untold: { parentId: parent.executionId, end, timer } };
}

/** Undos of its parent wait for the end of the child, see `parentEnded`. */
function isAwaited({ visit }: DueTimer): boolean {
  return visit !== null;
}

/**
 * Cancels an execution because one of its ancestors has ended. If the execution has moved
 * meanwhile, the next runner that finds it cancels it.
 * True: it is ending already, and an ancestor has ended.
 */
export async function cancelOrphan(
  deps: EngineDeps,
  known: { readonly row: ExecutionRow; readonly state: ExecutionState },
): Promise<boolean> {
  const row = { ...known.row, lastSequence: known.state.sequence };
  const parentId = known.state.parent?.executionId ?? null;
  const parent = parentId && (await deps.store.executions.find(parentId, null));
  // Its children have been asked for their ends, and are not asked again each time that it begins none.
  if (known.state.ending !== null && known.state.pauses.length === 0) {
    return hasEndedAncestor(deps, parent);
  }
  // Only undos of a parent that is ending itself, or of the run that continues it, may wait for its end.
  const tellsParent =
    parent !== null && (!isTerminal(parent.status) || parent.status === 'completed');
  const by = { actorId: SCHEDULER_ACTOR, tellsParent };
  const commit = await commitOfCancel(deps, { row, state: known.state }, by);
  if (commit === null) return hasEndedAncestor(deps, parent);
  const verdict = await deps.committer.commit(commit, { ahead: true });
  if (verdict.accepted) afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
  return false;
}

async function hasEndedAncestor(deps: EngineDeps, parent: ExecutionRow | null): Promise<boolean> {
  if (parent === null || isTerminal(parent.status)) return parent !== null;
  const above = parent.parentExecutionId;
  return hasEndedAncestor(deps, above && (await deps.store.executions.find(above, null)));
}

async function cancelOnce(
  deps: EngineDeps,
  timer: DueTimer,
  { loaded: { row }, state }: { readonly loaded: LoadedExecution; readonly state: ExecutionState },
): Promise<Ended | null> {
  const isOwn = row.executionId === timer.executionId;
  // Else its parent no longer waits for it, and has usually ended too.
  const by = {
    actorId: SCHEDULER_ACTOR,
    tellsParent: isAwaited(timer),
    keepsPause: timer.name === END_ASKED,
  };
  const cancel = await commitOfCancel(deps, { row, state }, by);
  if (cancel !== null || isOwn) {
    const commit: CommitPlan = {
      ...(cancel ?? emptyCommit(row)),
      firesTimers: isOwn ? [timer.name] : [],
      // The setting of the timer removed its mark, so an execution that is already ending gets it
      // back.
      ...(cancel === null && { runnable: 'mark' as const }),
    };
    const verdict = await deps.committer.commit(commit, { ahead: true });
    if (!verdict.accepted) return verdict.reason === 'stale' ? { continuedAs: null } : null;
    deps.report.count('timers_fired', 1, { purpose: 'parent_ended' });
    afterCommit(deps, { commit, row, committedAt: verdict.createdAt });
  }
  if (!isOwn) await deps.store.timers.discard([timer]);
  return { continuedAs: null };
}
