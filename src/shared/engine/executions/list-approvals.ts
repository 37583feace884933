import { timerName } from '../../domain/execution/effect.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ExecutionRow, ExecutionStore } from '../../store/store.ts';
import { findForCaller, readEventsOf } from '../advance/load-execution.ts';
import { type Otherwise, otherwiseOf } from '../approvals/otherwise.ts';
import type { ExecutionRef, Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { redactEvent } from './redact-view.ts';

export interface Approvals {
  readonly executionId: ExecutionId;
  readonly pending: readonly PendingApproval[];
  readonly decided: readonly DecidedApproval[];
}

export interface PendingApproval {
  readonly nodeId: string;
  readonly visit: number;
  readonly description: string | null;
  readonly requestedAt: string;
  readonly timeoutMs: number | null;
  /** Null: it waits for ever, or its time stands still. */
  readonly dueAt: string | null;
  readonly otherwise: Otherwise;
  /** Null: no call that is about to be made, but a step of the workflow. */
  readonly shown: JsonObject | null;
  readonly shownHash: string | null;
  /** The wait of a durable function; null: the node itself waits. */
  readonly step: string | null;
}

export interface DecidedApproval {
  readonly nodeId: string;
  readonly visit: number;
  readonly decision: 'approved' | 'rejected';
  readonly userId: string | null;
  readonly comment: string | null;
  /** Hash of the shown call. */
  readonly shownHash: string | null;
  readonly step: string | null;
  readonly decidedAt: string;
}

const ASKED_OR_DECIDED = ['ApprovalRequested', 'ApprovalReceived'];
/** These may end a wait without a decision. */
const ENDS = ['NodeCompleted', 'NodeFailed', 'NodeCancelled', 'NodeContinuedAsNew', 'StepRecorded'];

/**
 * The approvals of an execution, read from its events: who asked, who decided, when. A long history
 * is not read whole: only requests and decisions, and the ends of visits after a request without a
 * decision.
 */
export async function listApprovals(
  deps: EngineDeps,
  { tenantId }: Reader,
  { executionId: asked }: ExecutionRef,
): Promise<Approvals> {
  const { executions } = deps.store;
  const row = await findForCaller({ executions, tenantId, executionId: asked });
  const { plan } = await deps.definitions.get(row.definitionId);
  const open = new Map<string, OpenRequest>();
  const decided: DecidedApproval[] = [];
  for await (const recorded of eventsOfKinds(executions, {
    row,
    after: 0,
    kinds: ASKED_OR_DECIDED,
  })) {
    const event = redactEvent(recorded, plan, deps.pseudonym);
    if (event.kind === 'ApprovalRequested') open.set(approvalKey(event), requested(event));
    if (event.kind !== 'ApprovalReceived') continue;
    open.delete(approvalKey(event));
    decided.push(decision(event));
  }
  await dropEnded(executions, row, open);
  const asking = [...open.values()].map(({ approval }) => approval);
  const deadlines = await findDeadlines(deps, row, asking);
  const pending = asking.map((approval) => ({
    ...approval,
    dueAt: deadlines.get(timerOf(approval)) ?? null,
    otherwise: otherwiseOf(plan, approval.nodeId, approval.step),
  }));
  return { executionId: row.executionId, pending, decided };
}

/** When the timers of approvals are due, by name; a timer that is held is not among them. */
async function findDeadlines(
  { store }: EngineDeps,
  { executionId, tenantId }: ExecutionRow,
  asking: readonly Asking[],
): Promise<ReadonlyMap<string, string>> {
  if (asking.length === 0) return new Map();
  const timerNames = asking.map(timerOf);
  const question = { executionId, tenantId, workItemIds: [], timerNames };
  return (await store.diagnosis.executionFacts(question))?.timers ?? new Map();
}

function timerOf({ nodeId, visit, step }: Asking): string {
  return step === null
    ? timerName({ purpose: 'approval_timeout', nodeId, visit })
    : timerName({ purpose: 'function_wait', nodeId, visit, step });
}

type Asking = Omit<PendingApproval, 'dueAt' | 'otherwise'>;

interface OpenRequest {
  readonly sequence: number;
  readonly approval: Asking;
}

const EVENTS_AT_A_TIME = 500;

async function* eventsOfKinds(
  executions: ExecutionStore,
  of: { readonly row: ExecutionRow; readonly after: number; readonly kinds: readonly string[] },
): AsyncGenerator<RecordedEvent> {
  let { after } = of;
  for (;;) {
    const page = await readEventsOf(executions, { ...of, after, limit: EVENTS_AT_A_TIME });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_AT_A_TIME) return;
    after = last.sequence;
  }
}

async function dropEnded(
  executions: ExecutionStore,
  row: ExecutionRow,
  open: Map<string, OpenRequest>,
): Promise<void> {
  if (open.size === 0) return;
  const after = Math.min(...open.values().map(({ sequence }) => sequence));
  for await (const event of eventsOfKinds(executions, { row, after, kinds: ENDS })) {
    for (const [key, { sequence, approval }] of open) {
      if (sequence < event.sequence && endsWait(event, approval)) open.delete(key);
    }
    if (open.size === 0) return;
  }
}

function endsWait(event: RecordedEvent, { nodeId, visit, step }: Asking): boolean {
  if (event.kind === 'StepRecorded') {
    return (
      event.nodeId === nodeId &&
      event.payload.visit === visit &&
      event.payload.entries.some(({ identity }) => identity === step)
    );
  }
  return isEndOfVisit(event) && event.nodeId === nodeId && event.payload.visit === visit;
}

type EndOfVisit = Extract<
  RecordedEvent,
  { kind: 'NodeCompleted' | 'NodeFailed' | 'NodeCancelled' | 'NodeContinuedAsNew' }
>;

/** A function that fails for now still waits for what it asked. */
function isEndOfVisit(event: RecordedEvent): event is EndOfVisit {
  switch (event.kind) {
    case 'NodeCompleted':
    case 'NodeCancelled':
    case 'NodeContinuedAsNew':
      return true;
    case 'NodeFailed':
      return !event.payload.retryable;
    default:
      return false;
  }
}

function approvalKey(event: {
  readonly nodeId: string;
  readonly payload: { readonly visit: number; readonly step?: string };
}): string {
  const { visit, step } = event.payload;
  return step === undefined ? `${event.nodeId}#${visit}` : `${event.nodeId}#${visit}/${step}`;
}

function requested(event: Extract<RecordedEvent, { kind: 'ApprovalRequested' }>): OpenRequest {
  const { nodeId, sequence, createdAt, payload } = event;
  return {
    sequence,
    approval: {
      nodeId,
      visit: payload.visit,
      description: payload.description,
      requestedAt: createdAt,
      timeoutMs: payload.timeout_ms,
      shown: payload.shown ?? null,
      shownHash: payload.shown_hash ?? null,
      step: payload.step ?? null,
    },
  };
}

function decision(event: Extract<RecordedEvent, { kind: 'ApprovalReceived' }>): DecidedApproval {
  const { nodeId, createdAt, payload } = event;
  return {
    nodeId,
    visit: payload.visit,
    decision: payload.decision,
    userId: payload.user_id,
    comment: payload.comment,
    shownHash: payload.shown_hash ?? null,
    step: payload.step ?? null,
    decidedAt: createdAt,
  };
}
