import type { TenantId } from '../../domain/ids.ts';
import type { WorkItemRecord } from '../../domain/work/work-item.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { ClaimedItem } from '../../store/store.ts';
import { completionFacts } from '../advance/outcome-facts.ts';
import { resolveReferences } from '../artifacts/resolve.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { wakeFor } from '../wake/wake-for.ts';
import { type OpenedTurn, openTurn } from './functions/open-turn.ts';
import { judgeClaimed } from './judge-claimed.ts';
import type { BornItem } from './waiting-claims.ts';
import type { WorkerLeases } from './worker-leases.ts';

/*
 * Leased items on their way to the worker. An item with a recorded result is not handed out: the result
 * is replayed. An item that a policy now blocks is not handed out either (see `judge-claimed.ts`).
 */

export interface ClaimedWork {
  readonly record: WorkItemRecord;
  readonly attempt: number;
  readonly leaseFence: number;
  readonly leaseExpiresAt: string;
  /** Set for a durable function. */
  readonly opened: OpenedTurn | null;
}

export interface HandedOut {
  readonly claimed: readonly ClaimedWork[];
  readonly failures: readonly unknown[];
}

export async function handOutAll(
  deps: UseCaseDeps,
  items: readonly (ClaimedItem | BornItem)[],
  /** The build of the worker. */
  buildId: string | null = null,
): Promise<HandedOut> {
  const claimed: ClaimedWork[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    const handedOut = await handOut(deps, item, buildId).catch((error: unknown) => {
      failures.push(error);
      return null;
    });
    if (handedOut === null) continue;
    claimed.push(handedOut);
    remember(deps.workerLeases, item, handedOut.opened);
  }
  return { claimed, failures };
}

/** The items leased so far would only expire, so they are returned although others failed. */
export function deliver(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { claimed, failures }: HandedOut,
): Promise<readonly ClaimedWork[]> {
  if (claimed.length === 0 && failures.length > 0) throw failures[0];
  for (const error of failures) reportNotHandedOut(deps, error);
  return withWholeInputs(deps, tenantId, claimed);
}

/** The others of the same claim are handed out. */
export function reportNotHandedOut({ report }: Pick<UseCaseDeps, 'report'>, error: unknown): void {
  report.trouble('handing out an item failed', error);
}

/** Workers get offloaded values back in full. */
async function withWholeInputs(
  deps: UseCaseDeps,
  tenantId: TenantId,
  claimed: readonly ClaimedWork[],
): Promise<readonly ClaimedWork[]> {
  const values = claimed.map(({ record }) => record.payload);
  const payloads = await resolveReferences(deps.store.artifacts, { tenantId, values });
  if (payloads === values) return claimed;
  return claimed.map((item, index) => {
    const payload = payloads[index] ?? item.record.payload;
    return { ...item, record: { ...item.record, payload } };
  });
}

function remember(
  leases: WorkerLeases,
  { record, definitionId, ...lease }: ClaimedItem,
  opened: OpenedTurn | null,
): void {
  if (record === null || definitionId === null) return;
  const { payload: _, ...kept } = record;
  const { cancelRequested } = opened ?? {};
  leases.noteHandedOut({
    record: kept,
    lease,
    definitionId,
    ...(cancelRequested !== undefined && { cancelRequested }),
  });
}

/** Null: the item is settled without a worker, or another process has it. */
async function handOut(
  deps: UseCaseDeps,
  item: ClaimedItem | BornItem,
  buildId: string | null,
): Promise<ClaimedWork | null> {
  const { record } = item;
  if (record === null) throw new Error(`${item.ticket.workItemId} has no record`);
  if (item.hasRecordedOutput) {
    await replay(deps, item);
    return null;
  }
  const refusal = await judgeClaimed(deps, { ...item, record });
  if (refusal !== null) {
    const verdict = await deps.committer.commit(refusal);
    if (verdict.accepted) wakeFor(deps.wake, refusal, shardOf(refusal.executionId));
    return null;
  }
  const isFunction = record.queue === 'function';
  const opened = isFunction ? await openTurn(deps, item, buildId) : null;
  // It is for another build, or the claim was repeated and the worker has settled it meanwhile.
  if (isFunction && opened === null) return null;
  // A worker that misses one heartbeat, or two, still keeps its item.
  const heartbeatMsMax = Math.floor(deps.settings.leaseMs / 3);
  return {
    record: {
      ...record,
      heartbeatIntervalMs: Math.min(record.heartbeatIntervalMs, heartbeatMsMax),
    },
    attempt: item.ticket.attempt,
    leaseFence: item.leaseFence,
    leaseExpiresAt: item.expiresAt,
    opened,
  };
}

/** Settles an item with the result recorded under its key, as if the worker had given it again. */
async function replay(deps: UseCaseDeps, item: ClaimedItem): Promise<void> {
  const { ticket, record } = item;
  const { executionId, idempotencyKey } = ticket;
  const recorded = await deps.store.work.recordedOutput({ executionId, idempotencyKey });
  if (recorded === null || record === null) {
    throw new Error(`the recorded result of ${ticket.workItemId} is gone`);
  }
  const commit: CommitPlan = {
    ...emptyCommit(ticket),
    settles: [{ workItemId: ticket.workItemId, leaseFence: item.leaseFence, onlyIfExpired: false }],
    events: completionFacts(ticket, {
      ...recorded,
      report: { tool: record.tool, replayed: true },
    }).map((event) => newEvent(event, SCHEDULER_ACTOR)),
    runnable: 'mark',
  };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) wakeFor(deps.wake, commit, shardOf(executionId));
}
