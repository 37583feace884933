import type { Plan } from '../workflow/plan/plan.ts';
import { type Draft, draftOf } from './draft.ts';
import type { ExecutionEvent } from './event.ts';
import type { FoldedBy } from './fold/folded-by.ts';
import { foldChildCompleted, foldChildFailed, foldChildStarted } from './fold/fold-child.ts';
import { foldEnd, foldEnding, foldWorkflowCompleted } from './fold/fold-end.ts';
import { foldCompleted, foldFailed, foldRetryScheduled } from './fold/fold-outcome.ts';
import { foldContinuedAsNew } from './fold/fold-continuation.ts';
import {
  foldNodeCancelled,
  foldPinned,
  foldRollbackScheduled,
  foldStepRecorded,
  foldSuspended,
} from './fold/fold-function.ts';
import { foldPaused, foldUnpaused } from './fold/fold-pause.ts';
import { foldScheduled } from './fold/fold-schedule.ts';
import { foldBatchClosed, foldStarted } from './fold/fold-start.ts';
import {
  foldApprovalReceived,
  foldApprovalRequested,
  foldExternalEvent,
  foldParked,
  foldProgress,
  foldResumed,
  foldTimerFired,
  foldTimerStarted,
} from './fold/fold-waiting.ts';
import type { ExecutionState } from './state.ts';

/** An event at its place in the log. */
export type SequencedEvent = ExecutionEvent & { readonly sequence: number };

/**
 * The state after further events. It handles every history that the engine writes; an event that
 * does not fit is a broken invariant and throws.
 *
 * With a null `plan` it does not compute the successors of a completed node: enough for reading an
 * execution, not for deciding on it.
 */
export function evolve(params: {
  readonly state: ExecutionState;
  readonly events: readonly SequencedEvent[];
  readonly plan: Plan | null;
}): ExecutionState {
  const draft = draftOf(params.state);
  for (const event of params.events) applyEvent(draft, event, params);
  return draft;
}

/** Folds one event into a draft. */
export function applyEvent(draft: Draft, event: SequencedEvent, by: FoldedBy): void {
  if (event.sequence !== draft.sequence + 1) {
    throw new Error(
      `broken history of ${draft.executionId}: event ${event.sequence} after ${draft.sequence}`,
    );
  }
  draft.sequence = event.sequence;
  switch (event.kind) {
    case 'WorkflowStarted':
      return foldStarted(draft, event, by);
    case 'BatchClosed':
      return foldBatchClosed(draft, event);
    case 'NodeScheduled':
      return foldScheduled(draft, event);
    case 'NodeProgress':
      return foldProgress(draft, event);
    case 'NodeParked':
      return foldParked(draft, event);
    case 'NodeResumed':
      return foldResumed(draft, event);
    case 'StepRecorded':
      return foldStepRecorded(draft, event);
    case 'NodeSuspended':
      return foldSuspended(draft, event);
    case 'NodeContinuedAsNew':
      return foldContinuedAsNew(draft, event);
    case 'NodePinned':
      return foldPinned(draft, event);
    case 'RollbackScheduled':
      return foldRollbackScheduled(draft, event);
    case 'NodeCompleted':
      return foldCompleted(draft, event, by);
    case 'NodeFailed':
      return foldFailed(draft, event, by);
    case 'RetryScheduled':
      return foldRetryScheduled(draft, event);
    case 'ChildWorkflowStarted':
      return foldChildStarted(draft, event);
    case 'ChildWorkflowCompleted':
      return foldChildCompleted(draft, event);
    case 'ChildWorkflowFailed':
      return foldChildFailed(draft, event);
    case 'NodeCancelled':
      return foldNodeCancelled(draft, event);
    case 'NodeSkipped':
      draft.skipped.add(event.nodeId);
      return;
    case 'ApprovalRequested':
      return foldApprovalRequested(draft, event);
    case 'ApprovalReceived':
      return foldApprovalReceived(draft, event);
    case 'TimerStarted':
      return foldTimerStarted(draft, event);
    case 'TimerFired':
      return foldTimerFired(draft, event);
    case 'ExternalEventReceived':
      return foldExternalEvent(draft, event);
    case 'ExecutionPaused':
      return foldPaused(draft, event);
    case 'ExecutionResumed':
      return foldUnpaused(draft, event);
    case 'WorkflowEnding':
      return foldEnding(draft, event);
    case 'WorkflowCompleted':
      return foldWorkflowCompleted(draft, event);
    case 'WorkflowFailed':
      return foldEnd(draft, 'failed', event.payload.error);
    case 'WorkflowCancelled':
      return foldEnd(draft, 'cancelled', null);
    case 'BudgetExceeded':
      if (event.payload.action === 'warn') draft.warned = [...draft.warned, event.payload.account];
      return;
    case 'NodeStarted':
    case 'ToolCallCompleted':
    case 'PolicyViolation':
    case 'ExternalEventWaiting':
      return;
    default:
      throw new Error(`unknown event kind ${(event satisfies never as ExecutionEvent).kind}`);
  }
}
