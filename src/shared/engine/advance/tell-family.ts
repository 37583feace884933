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
import { foldLoaded } from './load-execution.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { commitOfUntoldEnds, endOfChild } from './untold-ends.ts';
import { wakeFor } from '../wake/wake-for.ts';

/** Reports all ended children to their parent, in one commit. */
export async function tellParent(deps: EngineDeps, timers: readonly DueTimer[]): Promise<void> {
  const [parent] = timers;
  if (parent === undefined) return;
  const events = await Promise.all(timers.map((timer) => endOfChild(deps, timer)));
  const commit: CommitPlan = {
    ...emptyCommit(parent),
    firesTimers: timers.map(({ name }) => name),
    events: events.map((event) => newEvent(event, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) {
    deps.report.count('timers_fired', timers.length, { purpose: 'child_ended' });
    wakeFor(deps.wake, commit, shardOf(parent.executionId));
  } else if (verdict.reason === 'ended' || verdict.reason === 'missing') {
    await deps.store.timers.discard(timers);
  }
}

/**
 * Cancels a child that no visit waits for any more. If it continued as another run, it cancels that
 * run first, and then deletes the timer.
 */
export async function endChild(deps: EngineDeps, timer: DueTimer): Promise<void> {
  let run: ExecutionId | null = timer.executionId;
  while (run !== null) {
    const executionId: ExecutionId = run;
    const ended = await retryWhileMoved(`execution ${executionId}`, () =>
      endRun(deps, timer, executionId),
    );
    run = ended.continuedAs;
  }
}

/** Null: the run has moved meanwhile. */
async function endRun(
  deps: EngineDeps,
  timer: DueTimer,
  executionId: ExecutionId,
): Promise<{ readonly continuedAs: ExecutionId | null } | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  const state = loaded && foldLoaded(loaded, null);
  if (loaded !== null && state !== null && !isTerminal(loaded.row.status)) {
    return cancelOnce(deps, timer, { loaded, state });
  }
  const continuedAs = state?.continuedAs ?? null;
  if (continuedAs !== null) return { continuedAs };
  if (isAwaited(timer) && !(await tellEnd(deps, state))) return null;
  await deps.store.timers.discard([timer]);
  return { continuedAs };
}

/** Undos of its parent wait for the end of the child, see `parentEnded`. */
function isAwaited({ visit }: DueTimer): boolean {
  return visit !== null;
}

/** Tells the parent of the end if it waits for that and does not know. False: it has moved meanwhile. */
async function tellEnd(deps: EngineDeps, ended: ExecutionState | null): Promise<boolean> {
  const parent = ended?.parent ?? null;
  const loaded = parent && (await deps.store.executions.load(parent.executionId, null));
  if (parent === null || loaded === null || isTerminal(loaded.row.status)) return true;
  const { row } = loaded;
  const child = { ...parent, step: parent.step ?? null };
  const commit = await commitOfUntoldEnds(deps, { row, state: foldLoaded(loaded, null), child });
  if (commit === null) return true;
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) wakeFor(deps.wake, commit, shardOf(row.executionId));
  return verdict.accepted;
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
  // Only undos of a parent that is ending itself may wait for its end.
  const tellsParent = parent !== null && !isTerminal(parent.status);
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
): Promise<{ readonly continuedAs: null } | null> {
  const isOwn = row.executionId === timer.executionId;
  // Else its parent no longer waits for it, and has usually ended too.
  const by = { actorId: SCHEDULER_ACTOR, tellsParent: isAwaited(timer) };
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
