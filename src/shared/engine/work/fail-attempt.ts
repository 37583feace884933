import { judgeRetry } from '../../domain/work/retry.ts';
import type { WorkTicket } from '../../domain/work/work-item.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';
import { failureFact } from '../advance/outcome-facts.ts';

/**
 * The commit by which the runtime itself fails an attempt whose worker was not heard of again. The
 * caller adds what it is conditional on. Null when the execution is gone or the node no longer in
 * its plan.
 */
export async function failAttempt(
  deps: EngineDeps,
  params: {
    readonly ticket: WorkTicket;
    readonly error: string;
    readonly errorClass: string;
    readonly workerId: string | null;
    /** `at_once`: retried without backoff · `never`: the node fails for good. */
    readonly retry: 'backoff' | 'at_once' | 'never';
  },
): Promise<CommitPlan | null> {
  const { ticket, error, errorClass } = params;
  const { attempt, idempotencyKey, workItemId } = ticket;
  const row = await deps.store.executions.find(ticket.executionId, null);
  if (row === null) return null;
  const { plan } = await deps.definitions.get(row.definitionId);
  const node = plan.nodes.get(ticket.nodeId);
  if (node === undefined) return null;
  // A lapse says nothing about the work, so the classes a workflow lists as retryable don't rule it out.
  const policy =
    params.retry === 'at_once' ? { ...node.retryPolicy, retryableOn: null } : node.retryPolicy;
  const verdict =
    params.retry === 'never'
      ? ({ retryable: false } as const)
      : judgeRetry({ policy, attempt, errorClass, seed: idempotencyKey });
  const atOnce = params.retry === 'at_once' && verdict.retryable;
  const failed = failureFact(
    { ...ticket, ...(params.workerId !== null && { workerId: params.workerId }) },
    { error, errorClass, verdict: atOnce ? { retryable: true, delayMs: 0 } : verdict },
  );
  const dead = !verdict.retryable && ticket.queue !== 'engine';
  return {
    ...emptyCommit(ticket),
    events: [newEvent(failed, SCHEDULER_ACTOR)],
    deadLetters: dead ? [{ workItemId, attempt, error }] : [],
    runnable: 'mark',
  };
}
