import type { WorkTicket } from '../../domain/work/work-item.ts';
import type { EngineDeps } from '../deps.ts';
import { failAttempt } from '../work/fail-attempt.ts';
import type { RoundResult } from './round-result.ts';
import { shardOf } from './shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';

/** Fails the nodes whose work no worker took within the schedule-to-start bound. Not retried: the queue is the same. */
export async function expireQueued(
  deps: EngineDeps,
  params: { readonly limit: number },
): Promise<RoundResult> {
  const overdue = await deps.store.work.listOverdueQueued(params);
  await Promise.all(overdue.map((ticket) => expire(deps, ticket)));
  return { found: overdue.length, more: overdue.length >= params.limit };
}

async function expire(deps: EngineDeps, ticket: WorkTicket): Promise<void> {
  const failed = await failAttempt(deps, {
    ticket,
    error: `no worker took the item from queue ${ticket.queue} within ${(ticket.scheduleToStartMs ?? 0) / 1_000} s`,
    errorClass: 'schedule_to_start_timeout',
    workerId: null,
    retry: 'never',
  });
  if (failed === null) return;
  const commit = { ...failed, expiresQueued: [ticket.workItemId] };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) wakeFor(deps.wake, commit, shardOf(ticket.executionId));
}
