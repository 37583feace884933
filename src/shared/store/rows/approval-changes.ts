import type { CommitPlan, NewEvent } from '../commit.ts';

/**
 * A change of the list of approvals. `ask`: an approval is open, and replaces an open one of the same
 * wait · `decide`: a person has decided it · `close`: the wait has ended without a decision.
 */
export interface ApprovalChange {
  readonly is: 'ask' | 'decide' | 'close';
  /** Position of the event in the plan. */
  readonly eventIndex: number;
  /** Null: all waits of the execution. */
  readonly nodeId: string | null;
  readonly visit: number | null;
  /** The wait of a durable function. A `close` without one means all waits of the visit. */
  readonly step: string | null;
}

const NONE: readonly never[] = [];

/** Read off the events, so that a plan without approvals costs a look at the kinds of its events. */
export function approvalChangesOf({ events }: CommitPlan): readonly ApprovalChange[] {
  if (!events.some(({ kind }) => KINDS.has(kind))) return NONE;
  const changes = events.flatMap((event, index) => readChange(event, index) ?? []);
  return changes.filter(
    (change) => change.is !== 'ask' || !changes.some((later) => ends(later, change)),
  );
}

export function changesApprovals({ events }: CommitPlan): boolean {
  return events.some(({ kind }) => KINDS.has(kind));
}

const KINDS: ReadonlySet<string> = new Set([
  'ApprovalRequested',
  'ApprovalReceived',
  'TimerFired',
  'NodeFailed',
  'NodeCancelled',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

/** Completions are not among them: only a function completes without a decision, see `listAllApprovals`. */
function readChange(event: NewEvent, eventIndex: number): ApprovalChange | null {
  if (!KINDS.has(event.kind)) return null;
  if (event.kind === 'WorkflowFailed' || event.kind === 'WorkflowCancelled') {
    return { is: 'close', eventIndex, nodeId: null, visit: null, step: null };
  }
  const payload = JSON.parse(event.payload) as EventPayload;
  const { visit = null, step = null } = payload;
  const { nodeId } = event;
  if (nodeId === null || visit === null) return null;
  switch (event.kind) {
    case 'ApprovalRequested':
      return { is: 'ask', eventIndex, nodeId, visit, step };
    case 'ApprovalReceived':
      return { is: 'decide', eventIndex, nodeId, visit, step };
    case 'NodeFailed':
      return payload.retryable === true ? null : { is: 'close', eventIndex, nodeId, visit, step };
    case 'TimerFired':
      return TIMEOUTS.has(payload.purpose ?? '')
        ? { is: 'close', eventIndex, nodeId, visit, step }
        : null;
    default:
      return { is: 'close', eventIndex, nodeId, visit, step };
  }
}

interface EventPayload {
  readonly visit?: number | null;
  readonly step?: string | null;
  readonly retryable?: boolean;
  readonly purpose?: string;
}

const TIMEOUTS: ReadonlySet<string> = new Set(['approval_timeout', 'function_wait']);

/** Whether a later event of the same plan ends an approval that the plan asks for. */
function ends(later: ApprovalChange, asked: ApprovalChange): boolean {
  if (later.is !== 'close' || later.eventIndex < asked.eventIndex) return false;
  if (later.nodeId === null) return true;
  const isSameVisit = later.nodeId === asked.nodeId && later.visit === asked.visit;
  return isSameVisit && (later.step === null || later.step === asked.step);
}
