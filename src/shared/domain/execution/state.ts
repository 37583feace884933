import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { CarriedMapPayload, PauseScope, VisitPhase } from './event.ts';
import type { ExecutionStatus, TerminalStatus } from './status.ts';

/**
 * What an execution is after its first `sequence` events: a fold of the events (see `evolve.ts`).
 * It holds no times: those belong to the events and to the execution's row.
 */
export interface ExecutionState {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly input: JsonObject;
  /** The workflow's state: the input with every state patch applied in sequence order. */
  readonly data: JsonObject;
  readonly sequence: number;
  readonly status: ExecutionStatus;
  /** Number of NodeCompleted events. */
  readonly stepsExecuted: number;
  /** What models have used so far. */
  readonly usage: UsageTotal;
  /** How often budgets have been granted once more, by account. */
  readonly budgetGrants: Readonly<Record<string, number>>;
  /** Accounts whose budget has been warned of. */
  readonly warned: readonly string[];
  readonly error: string | null;
  /** Next visit number of every node entered so far. */
  readonly nextVisit: ReadonlyMap<string, number>;
  /** Visits that have not ended, by `visitKey`. */
  readonly live: ReadonlyMap<string, LiveVisit>;
  /** Tokens waiting at their target until it may start, in order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** External events that no wait has taken yet, oldest first. */
  readonly mailbox: readonly MailboxEntry[];
  readonly skipped: ReadonlySet<string>;
  /** A failure nothing leads on from: the next decision ends the execution with it. */
  readonly fatal: Failure | null;
  readonly workflowTimerFired: boolean;
  /** The first decision has set the time limit going, if there is one. */
  readonly workflowTimerStarted: boolean;
  /** The visit of another execution that this one was started for. */
  readonly parent: ParentLink | null;
  /** How many executions it is nested in. */
  readonly depth: number;
  /** The execution that all of its tree descend from; null: itself, as far as is known. */
  readonly rootId: ExecutionId | null;
  readonly continuedFrom: ExecutionId | null;
  /** The run that goes on where this one has ended. */
  readonly continuedAs: ExecutionId | null;
  readonly retriedFrom: RetriedFrom | null;
  /** The execution whose id stands in idempotency keys; null: its own. */
  readonly keysOf: ExecutionId | null;
  /** Maps that begin again in a retry, by node: what is left of them. Gone once they have begun. */
  readonly carriedMaps: Readonly<Record<string, CarriedMapPayload>>;
  /** Hashes of what people approved for visits that a retry makes again, by `visitKey`. */
  readonly carriedApprovals: Readonly<Record<string, readonly string[]>>;
  /** Hashes of calls that models asked for and people approved, and that no node has made yet. */
  readonly grantedCalls: readonly string[];
  /** Not null: what is live are finalizers, and nothing else starts any more. */
  readonly ending: Ending | null;
  /** Not empty: facts are recorded, and nothing follows from them. One of each scope at most. */
  readonly pauses: readonly Pause[];
}

export interface RetriedFrom {
  readonly executionId: ExecutionId;
  /** Of its last event that counts. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly nodeId: string | null;
}

export interface Pause {
  readonly scope: PauseScope;
  /** Who asked for it, as an actor id. */
  readonly by: string;
  readonly reason: string | null;
}

export function isPausedByOperator({ pauses }: Pick<ExecutionState, 'pauses'>): boolean {
  return pauses.length > 0;
}

export interface ParentLink {
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  readonly visit: number;
}

/** How an execution will end once its finalizers are done. */
export interface Ending {
  readonly outcome: TerminalStatus;
  /** Why it failed; null with the other outcomes. */
  readonly failure: Failure | null;
  /** The first finalizer that failed for good: an execution that completed otherwise fails by it. */
  readonly finalizerFailure: Failure | null;
}

export interface UsageTotal {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars, of the calls whose price is known. */
  readonly costUsd: number;
}

export const NO_USAGE: UsageTotal = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** What the expressions of a visit see: pinned when it was scheduled, so a retry sees the same. */
export interface VisitScope {
  readonly data: JsonObject;
  /** Output of the node that led here. */
  readonly output: JsonValue;
  /** What a join was entered with, in order; others look at `output` alone. */
  readonly arrivals?: readonly NodeOutput[];
}

export interface NodeOutput {
  readonly nodeId: string;
  readonly output: JsonValue;
}

export interface LiveVisit {
  readonly nodeId: string;
  readonly visit: number;
  readonly nodeKind: string;
  readonly phase: VisitPhase;
  /** Attempt under way, from 0. */
  readonly attempt: number;
  readonly workItemId: WorkItemId | null;
  readonly queue: string | null;
  readonly outputKey: string | null;
  readonly correlationKey: string | null;
  readonly idempotencyKey: string | null;
  /** Sequence of its NodeScheduled. */
  readonly scheduledSequence: number;
  readonly scope: VisitScope;
  /** Set on a visit that is one item of a `map` visit. */
  readonly item: { readonly nodeId: string; readonly visit: number; readonly index: number } | null;
  /** Set on a `map` visit. */
  readonly map: MapProgress | null;
  /** What the outside has said about this visit and no decision has answered yet. */
  readonly signal: VisitSignal | null;
  /** Null until the visit's work has recorded, asked or been sent back something. */
  readonly memory: VisitMemory | null;
  /** The child execution that is waited for. */
  readonly childId: ExecutionId | null;
}

/** What the work of a visit left behind for its later attempts. */
export interface VisitMemory {
  /** What was recorded to be kept, by name. */
  readonly progress: Readonly<Record<string, JsonObject>>;
  /** Payloads of the external events the work was parked for, oldest first. */
  readonly resumedWith: readonly JsonValue[];
  /** What a person is being asked to approve. */
  readonly asked: JsonObject | null;
  /** Of everything approved so far: SHA-256 of the canonical JSON. */
  readonly approvedHashes: readonly string[];
  /** Attempts that rate limits turned away and that don't count. */
  readonly uncounted: number;
}

export const NO_MEMORY: VisitMemory = {
  progress: {},
  resumedWith: [],
  asked: null,
  approvedHashes: [],
  uncounted: 0,
};

export type VisitSignal =
  /** `counted` false: the same attempt once more. */
  | { readonly is: 'retry'; readonly delayMs: number; readonly counted?: false }
  | { readonly is: 'timer_fired' }
  | { readonly is: 'child_ended'; readonly end: ChildEnd }
  /** The work asks for an approval before it goes on. */
  | { readonly is: 'ask'; readonly description: string; readonly shown: JsonObject }
  | {
      readonly is: 'approval';
      readonly decision: 'approved' | 'rejected';
      readonly userId: string | null;
      readonly comment: string | null;
      readonly statePatch: JsonObject | null;
    };

/** How a child execution ended; `output` is its last state. */
export type ChildEnd =
  | { readonly ok: true; readonly childId: ExecutionId; readonly output: JsonObject }
  | {
      readonly ok: false;
      readonly childId: ExecutionId;
      readonly status: 'failed' | 'cancelled';
      readonly error: string;
      readonly errorClass: string;
    };

export interface MapProgress {
  readonly itemCount: number;
  /** Items before this index are scheduled or were done before: items are taken in order. */
  readonly scheduled: number;
  /** How many of the items from `scheduled` on were done before the retry. */
  readonly carriedAhead: number;
  /** Visits under which a retry runs the items that were not done, by index; null: no retry. */
  readonly carriedVisits: {
    readonly body: string;
    readonly byIndex: Readonly<Record<string, number>>;
  } | null;
  readonly results: ReadonlyMap<number, MapItemResult>;
}

export type MapItemResult =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly error: string };

export interface Failure {
  readonly nodeId: string | null;
  readonly error: string;
  readonly errorClass: string;
}

/** A token: a control edge that was taken and whose target has not started for it yet. */
export interface Arrival {
  /** Null: the start of the execution. */
  readonly from: string | null;
  readonly to: string;
  readonly output: JsonValue;
}

export interface MailboxEntry {
  readonly sequence: number;
  readonly correlationKey: string;
  readonly payload: JsonValue;
}

export function visitKey(nodeId: string, visit: number): string {
  return `${nodeId}#${visit}`;
}
