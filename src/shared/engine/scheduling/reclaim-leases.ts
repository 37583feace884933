import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { Lease } from '../../store/store.ts';

import type { EngineDeps } from '../deps.ts';
import { failAttempt } from '../work/fail-attempt.ts';
import type { RoundResult } from './round-result.ts';
import { shardOf } from './shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';

/**
 * Takes back lapsed leases. A lapse counts as a failed attempt, so that an item that kills its workers
 * does not circulate forever. It is retried at once, since the lease was the wait. The commit checks
 * the lapse again by the database's clock: a heartbeat in between wins.
 */
export async function reclaimLeases(
  deps: EngineDeps,
  params: { readonly limit: number },
): Promise<RoundResult> {
  const leases = await deps.store.work.listExpiredLeases(params);
  await Promise.all(leases.map((lease) => reclaim(deps, lease)));
  return { found: leases.length, more: leases.length >= params.limit };
}

async function reclaim(deps: EngineDeps, lease: Lease): Promise<void> {
  const { ticket, leaseFence, workerId, timedOut } = lease;
  const failed = await failAttempt(deps, {
    ticket,
    workerId,
    ...(timedOut
      ? {
          error: `the attempt ran longer than ${(ticket.nodeTimeoutMs ?? 0) / 1_000} s`,
          errorClass: 'timeout',
          retry: 'backoff',
        }
      : {
          error: `the lease lapsed: worker ${workerId} sent no heartbeat in time`,
          errorClass: 'lease_lapsed',
          retry: 'at_once',
        }),
  });
  const settles = [{ workItemId: ticket.workItemId, leaseFence, onlyIfExpired: true }];
  const commit: CommitPlan = { ...(failed ?? emptyCommit(ticket)), settles };
  const verdict = await deps.committer.commit(commit);
  if (!verdict.accepted) {
    if (verdict.reason === 'ended' || verdict.reason === 'missing') await dropLease(deps, lease);
    return;
  }
  deps.report.count('leases_reclaimed', 1, { cause: timedOut ? 'timeout' : 'lapsed' });
  wakeFor(deps.wake, commit, shardOf(ticket.executionId));
}

/** An execution that has ended holds no items; this removes one that was left behind. */
async function dropLease(deps: EngineDeps, { ticket }: Lease): Promise<void> {
  const { workItemId, executionId, tenantId } = ticket;
  const item = { workItemId, executionId, tenantId };
  await deps.store.work.settleUnfenced({ ...item, record: null, deadLetter: null });
}
