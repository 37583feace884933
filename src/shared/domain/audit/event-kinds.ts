import type { ExecutionEvent } from '../execution/event.ts';

/** Whether events of this kind exist. */
export function isEventKind(kind: string): kind is ExecutionEvent['kind'] {
  return Object.hasOwn(KINDS, kind);
}

/** The compiler reports a kind that is missing here. */
const KINDS: Readonly<Record<ExecutionEvent['kind'], true>> = {
  WorkflowStarted: true,
  BatchClosed: true,
  NodeScheduled: true,
  NodeStarted: true,
  ToolCallCompleted: true,
  NodeProgress: true,
  NodeParked: true,
  NodeResumed: true,
  StepRecorded: true,
  NodeSuspended: true,
  NodeContinuedAsNew: true,
  NodePinned: true,
  RollbackScheduled: true,
  NodeCompleted: true,
  NodeFailed: true,
  NodeSkipped: true,
  NodeCancelled: true,
  RetryScheduled: true,
  ChildWorkflowStarted: true,
  ChildWorkflowCompleted: true,
  ChildWorkflowFailed: true,
  ApprovalRequested: true,
  ApprovalReceived: true,
  TimerStarted: true,
  TimerFired: true,
  BudgetExceeded: true,
  PolicyViolation: true,
  ExternalEventWaiting: true,
  ExternalEventReceived: true,
  ExecutionPaused: true,
  ExecutionResumed: true,
  WorkflowEnding: true,
  WorkflowCompleted: true,
  WorkflowFailed: true,
  WorkflowCancelled: true,
};
