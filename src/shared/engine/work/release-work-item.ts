import type { Reader } from '../caller.ts';
import { notFound, protocolConflict, SvcError } from '../../domain/errors.ts';
import { type ExecutionState, isPausedByOperator, visitKey } from '../../domain/execution/state.ts';
import { parseWorkItemId, type WorkItemId } from '../../domain/ids.ts';
import { buildQueueName } from '../../domain/work/build-queue.ts';
import type { WorkItemRecord } from '../../domain/work/work-item.ts';
import { emptyCommit } from '../../store/commit.ts';
import type { FoundWorkItem, Lease } from '../../store/store.ts';
import { retryWhileMoved } from '../commit/retry-while-moved.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';

/*
 * A worker releases an item that it cannot do. The attempt does not count, and the history records
 * nothing. The item waits among the retries for a moment and then returns to its old place on its
 * queue, so that a worker that releases everything does not do so in a tight loop. The wait grows
 * with the age of the item.
 *
 * One commit ends the lease under its fence and begins the wait. If the execution is paused, the
 * commit also holds the item, so it reads the state first and depends on it.
 */
export async function releaseWorkItem(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: {
    readonly workItemId: string;
    readonly leaseFence: number;
  },
): Promise<{ readonly workItemId: WorkItemId }> {
  const { leaseFence } = params;
  const workItemId = parseWorkItemId(params.workItemId);
  return retryWhileMoved(`the execution of work item ${params.workItemId}`, async () => {
    const found = workItemId && (await deps.store.work.find(workItemId, tenantId));
    if (workItemId === null || found === null) throw notFound(`work item ${params.workItemId}`);
    // The answer to the first request was lost.
    if (found.releasedFence === leaseFence) return { workItemId };
    const { lease, record } = found;
    if (lease?.leaseFence !== leaseFence) {
      throw protocolConflict({ released: false, reason: reasonOf(found) });
    }
    const loaded = await deps.store.executions.load(record.executionId, tenantId);
    if (loaded === null) throw notFound(`work item ${params.workItemId}`);
    const state = foldLoaded(loaded, null);
    const isHeld = isPausedByOperator(state);
    const ticket = { ...lease.ticket, ...queueOfBuild(state, record) };
    const place = lease.queuePlace ?? null;
    const commit = {
      ...emptyCommit(record),
      expectedSequence: loaded.row.lastSequence,
      settles: [{ workItemId, leaseFence, onlyIfExpired: false }],
      retries: [{ ticket, delayMs: restMs(lease), released: { leaseFence, place, isHeld } }],
    };
    const verdict = await deps.committer.commit(commit);
    if (verdict.accepted) {
      deps.workerLeases.forget(workItemId);
      deps.report.count('items_released', 1);
      wakeFor(deps.wake, commit, shardOf(record.executionId));
      return { workItemId };
    }
    return null;
  });
}

/** A function that is pinned returns to the queue of its build. */
function queueOfBuild(
  { live }: ExecutionState,
  { nodeId, visit, queueName }: WorkItemRecord,
): { readonly queueName?: string } {
  const buildId = live.get(visitKey(nodeId, visit))?.run?.buildId ?? null;
  return buildId === null ? {} : { queueName: buildQueueName(queueName, buildId) };
}

/** Releases items that nobody will work on, as far as they are still leased; it never rejects. */
export async function releaseUnworked(
  deps: UseCaseDeps,
  caller: Reader,
  items: readonly { readonly workItemId: string; readonly leaseFence: number }[],
): Promise<void> {
  const release = (item: (typeof items)[number]) =>
    releaseWorkItem(deps, caller, item).catch((error: unknown) => {
      // The lease has ended otherwise.
      if (error instanceof SvcError) return;
      deps.report.trouble('releasing an item failed', error);
    });
  await Promise.all(items.map(release));
}

const REST_MS = { min: 1_000, max: 10_000 };

/** A tenth of the time that it had waited when it was claimed. */
function restMs({ queuePlace, claimedAt }: Lease): number {
  const waitedMs =
    queuePlace === undefined ? 0 : Date.parse(claimedAt) - Date.parse(queuePlace.queuedAt);
  return Math.round(Math.min(REST_MS.max, Math.max(REST_MS.min, waitedMs / 10)));
}

function reasonOf({ lease, place }: FoundWorkItem): string {
  return lease !== null || place === 'queued' || place === 'retrying'
    ? 'stale lease_fence: the lease was reclaimed; abandon this item'
    : 'already settled';
}
