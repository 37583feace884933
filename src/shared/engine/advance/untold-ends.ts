import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';
import type { EndOfChild } from './end-of-child.ts';
import { CHILD_TIMER } from './family.ts';
import { foldLoaded } from './load-execution.ts';

/**
 * Records ends of children of one parent, as far as undos wait for them. A cancel drops the timers of an
 * execution, and with them the report of a child that had just ended. If the parent has continued as
 * another run, no commit can fire its timers, and the undos of that run wait. Rejects if that run moves too
 * fast: the timers that asked for these ends must stay until they are recorded.
 */
export async function recordUntoldEnds(
  deps: EngineDeps,
  parentId: ExecutionId,
  ends: readonly EndOfChild[],
): Promise<void> {
  let run: ExecutionId | null = parentId;
  while (run !== null) {
    const executionId: ExecutionId = run;
    const told = await retryWhileMoved(`execution ${executionId}`, () =>
      recordIn(deps, executionId, { parentId, ends }),
    );
    run = told.continuedAs;
  }
}

/** Null: the run has moved meanwhile. */
async function recordIn(
  deps: EngineDeps,
  executionId: ExecutionId,
  { parentId, ends }: { readonly parentId: ExecutionId; readonly ends: readonly EndOfChild[] },
): Promise<{ readonly continuedAs: ExecutionId | null } | null> {
  const known = await deps.store.executions.find(executionId, null);
  // Nothing waits for the children of most parents that have ended, and their histories may be long.
  if (known === null || known.status === 'failed' || known.status === 'cancelled') {
    return { continuedAs: null };
  }
  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return { continuedAs: null };
  const { row } = loaded;
  const state = foldLoaded(loaded, null);
  if (isTerminal(row.status)) return { continuedAs: state.continuedAs };
  const awaited = ends.filter((end) => isAwaited(state, parentId, end));
  if (awaited.length === 0) return { continuedAs: null };
  const commit: CommitPlan = {
    ...emptyCommit(row),
    expectedSequence: state.sequence,
    // Else a report that is on its way would come too.
    cancelsTimers: awaited.map(({ payload }) => CHILD_TIMER + payload.child_execution_id),
    events: awaited.map((end) => newEvent(end, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
  const verdict = await deps.committer.commit(commit, { ahead: true });
  if (!verdict.accepted) return null;
  wakeFor(deps.wake, commit, shardOf(executionId));
  return { continuedAs: null };
}

/** A later run may have started another child at a visit of the same number. */
function isAwaited(
  { undo, executionId }: ExecutionState,
  parentId: ExecutionId,
  { nodeId, payload }: EndOfChild,
): boolean {
  const children = undo.endingChildren?.get(visitKey(nodeId, payload.visit)) ?? [];
  return children.some(
    ({ step, startedBy = executionId }) =>
      startedBy === parentId && step === (payload.step ?? null),
  );
}
