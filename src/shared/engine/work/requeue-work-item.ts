import type { Caller } from '../caller.ts';
import { conflict, notFound } from '../../domain/errors.ts';
import { type ExecutionState, isPausedByOperator, visitKey } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import { parseWorkItemId, type WorkItemId } from '../../domain/ids.ts';
import type { WorkItemRecord } from '../../domain/work/work-item.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { queueTopic } from '../wake/wake-for.ts';

/**
 * Puts a dead-lettered item back on its queue, with attempts counted from 0, if its node still
 * waits for it: that is so after a settlement without a fence. A node that failed permanently has
 * ended, and the history has no place for a later result.
 */
export async function requeueWorkItem(
  deps: EngineDeps,
  { tenantId, actorId }: Caller,
  params: { readonly workItemId: string },
): Promise<{ readonly workItemId: WorkItemId }> {
  const workItemId = parseWorkItemId(params.workItemId);
  return retryWhileMoved(`the execution of work item ${params.workItemId}`, async () => {
    const found = workItemId && (await deps.store.work.find(workItemId, tenantId));
    if (workItemId === null || found === null) throw notFound(`work item ${params.workItemId}`);
    if (found.place !== 'dead_lettered') {
      throw conflict(`work item ${workItemId} is not dead-lettered`);
    }
    const expectedSequence = await checkAwaited(deps, found.record);
    const outcome = await deps.store.work.requeue({
      workItemId,
      tenantId,
      expectedSequence,
      actorId,
    });
    switch (outcome) {
      case 'requeued':
        deps.wake.notify([queueTopic(found.record)]);
        return { workItemId };
      case 'missing':
        throw notFound(`work item ${params.workItemId}`);
      case 'not_dead':
        throw conflict(`work item ${workItemId} is not dead-lettered`);
      case 'ended':
        throw conflict(hasEnded(workItemId));
      case 'moved':
        return null;
    }
  });
}

/** The sequence at which the node was waiting for the item. */
async function checkAwaited(deps: EngineDeps, record: WorkItemRecord): Promise<number> {
  const { executionId, tenantId, workItemId } = record;
  // Most letters are of executions that have ended, and a history may be long.
  const row = await deps.store.executions.find(executionId, tenantId);
  if (row !== null && isTerminal(row.status)) throw conflict(hasEnded(workItemId));
  const loaded = row && (await deps.store.executions.load(executionId, tenantId));
  if (loaded === null) throw notFound(`work item ${workItemId}`);
  const refusal = whyNotRequeued(record, loaded.row.status, foldLoaded(loaded, null));
  if (refusal !== null) throw conflict(refusal);
  return loaded.row.lastSequence;
}

/** Why a dead letter can't be put back on its queue; null: it can. */
export function whyNotRequeued(
  { executionId, nodeId, visit, workItemId }: WorkItemRecord,
  status: ExecutionStatus,
  state: ExecutionState,
): string | null {
  if (isTerminal(status)) return hasEnded(workItemId);
  if (isPausedByOperator(state)) {
    return `execution ${executionId} is paused; resume it, then requeue the item`;
  }
  if (state.live.get(visitKey(nodeId, visit))?.workItemId === workItemId) return null;
  return `node ${nodeId} of execution ${executionId} no longer waits for work item ${workItemId}`;
}

function hasEnded(workItemId: WorkItemId): string {
  return `the execution of work item ${workItemId} has ended; start the workflow again`;
}
