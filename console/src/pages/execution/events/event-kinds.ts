/** What a reader looks for, and the kinds of events that tell it. */
export const KIND_GROUPS = {
  failures: [
    'NodeFailed',
    'RetryScheduled',
    'WorkflowFailed',
    'ChildWorkflowFailed',
    'PolicyViolation',
    'BudgetExceeded',
    'NodeCancelled',
    'WorkflowCancelled',
  ],
  steps: ['NodeScheduled', 'NodeCompleted', 'NodeSkipped', 'ToolCallCompleted', 'StepRecorded'],
  people: ['ApprovalRequested', 'ApprovalReceived', 'ExecutionPaused', 'ExecutionResumed'],
  waits: [
    'NodeParked',
    'NodeResumed',
    'NodeSuspended',
    'TimerStarted',
    'TimerFired',
    'ExternalEventWaiting',
    'ExternalEventReceived',
  ],
  children: ['ChildWorkflowStarted', 'ChildWorkflowCompleted', 'ChildWorkflowFailed'],
} as const;

export type KindGroup = keyof typeof KIND_GROUPS;

export function isKindGroup(text: string): text is KindGroup {
  return Object.hasOwn(KIND_GROUPS, text);
}
