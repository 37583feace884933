import { beginsRollback } from '../../domain/execution/function-run.ts';
import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import { awaitsChildren } from '../../domain/execution/undo/ending-children.ts';
import { NO_UNDO } from '../../domain/execution/undo/undo-state.ts';
import { judgeRetry } from '../../domain/work/retry.ts';
import type { WorkTicket } from '../../domain/work/work-item.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { endsWithFunction } from './functions/end-function.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { failureFact } from '../advance/outcome-facts.ts';
import { deadLetterOf } from '../overview/cause-of.ts';

/**
 * The commit by which the runtime fails an attempt after its worker went silent. The caller adds
 * the conditions. Null when the execution is gone or its plan no longer has the node.
 */
export async function failAttempt(
  deps: EngineDeps,
  params: {
    readonly ticket: WorkTicket;
    readonly error: string;
    readonly errorClass: string;
    readonly workerId: string | null;
    /** `at_once`: retried without backoff · `never`: the node fails permanently. */
    readonly retry: 'backoff' | 'at_once' | 'never';
  },
): Promise<CommitPlan | null> {
  const { ticket, error, errorClass } = params;
  const { attempt, idempotencyKey, workItemId } = ticket;
  const of = await readExecutionOf(deps, ticket);
  if (of === null) return null;
  const { row, state } = of;
  const { plan } = await deps.definitions.get(row.definitionId);
  const node = plan.nodes.get(ticket.nodeId);
  if (node === undefined) return null;
  // An expired lease says nothing about the work, so the workflow's list of retryable classes does
  // not apply.
  const policy =
    params.retry === 'at_once' ? { ...node.retryPolicy, retryableOn: null } : node.retryPolicy;
  const verdict =
    params.retry === 'never'
      ? ({ retryable: false } as const)
      : judgeRetry({ policy, attempt, errorClass, seed: idempotencyKey });
  const atOnce = params.retry === 'at_once' && verdict.retryable;
  const visit = state?.live.get(visitKey(ticket.nodeId, ticket.visit));
  const run = visit?.run ?? null;
  const awaits =
    visit !== undefined && !verdict.retryable && awaitsChildren(state?.undo ?? NO_UNDO, visit);
  const failed = failureFact(
    { ...ticket, ...(params.workerId !== null && { workerId: params.workerId }) },
    {
      error,
      errorClass,
      verdict: atOnce ? { retryable: true, delayMs: 0 } : verdict,
      awaitsChildren: awaits,
    },
  );
  const isOver = !verdict.retryable && !beginsRollback(run);
  const dead = isOver && ticket.queue !== 'engine';
  return {
    ...emptyCommit(ticket),
    events: [newEvent(failed, SCHEDULER_ACTOR)],
    deadLetters: dead ? [deadLetterOf({ workItemId, attempt, error, errorClass })] : [],
    runnable: 'mark',
    // Only this state shows the compensations that a function has to run.
    ...(state !== null && { expectedSequence: state.sequence }),
    ...(state !== null &&
      run !== null &&
      (isOver || awaits) &&
      endsWithFunction(state, { ...ticket, run, awaits })),
  };
}

/** Reads the state only for a durable function, whose failure compensations may follow. */
async function readExecutionOf(
  { store }: EngineDeps,
  { executionId, queue }: WorkTicket,
): Promise<{ readonly row: ExecutionRow; readonly state: ExecutionState | null } | null> {
  if (queue !== 'function') {
    const row = await store.executions.find(executionId, null);
    return row && { row, state: null };
  }
  const loaded = await store.executions.load(executionId, null);
  return loaded && { row: loaded.row, state: foldLoaded(loaded, null) };
}
