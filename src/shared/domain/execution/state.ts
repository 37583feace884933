import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { CarriedMapPayload, PauseScope, VisitPhase } from './event-payloads.ts';
import type { JournalEntry } from './function-events.ts';
import type { ContinueRequest, FunctionRun } from './function-run.ts';
import type { Labels } from './labels/labels.ts';
import type { ExecutionStatus, TerminalStatus } from './status.ts';
import type { GivenRules } from '../workflow/flow/given-rules.ts';
import type { Undoing, UndoState } from './undo/undo-state.ts';

/**
 * An execution after its first `sequence` events: a fold of the events (see `evolve.ts`). It
 * contains no times: those belong to the events and to the execution's row.
 */
export interface ExecutionState {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly input: JsonObject;
  /** The input has the inputs of several starts as its `items`. */
  readonly isBatch: boolean;
  readonly labels: Labels;
  /** Rules of flow control that its start brought; null: none. */
  readonly startRules: GivenRules | null;
  /** The workflow's state: the input with every state patch applied in sequence order. */
  readonly data: JsonObject;
  readonly sequence: number;
  readonly status: ExecutionStatus;
  /** Number of NodeCompleted events. */
  readonly stepsExecuted: number;
  /** Model usage so far. */
  readonly usage: UsageTotal;
  /** How often budgets have been granted again, by account. */
  readonly budgetGrants: Readonly<Record<string, number>>;
  /** Accounts whose budget has warned. */
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
  /** A failure without an error edge: the next decision ends the execution with it. */
  readonly fatal: Failure | null;
  readonly workflowTimerFired: boolean;
  /** The first decision has started the timer of the time limit, if there is one. */
  readonly workflowTimerStarted: boolean;
  /** Null: it began at once, or has begun since. */
  readonly startWait: StartWait | null;
  /** The visit of another execution that started this one. */
  readonly parent: ParentLink | null;
  /** The number of executions that it is nested in. */
  readonly depth: number;
  /** The root of its tree of executions; null: itself, or not known. */
  readonly rootId: ExecutionId | null;
  readonly continuedFrom: ExecutionId | null;
  /** The run that continues this one. */
  readonly continuedAs: ExecutionId | null;
  readonly retriedFrom: RetriedFrom | null;
  readonly forkedFrom: ForkedFrom | null;
  /** The execution whose id is part of idempotency keys; null: itself. */
  readonly keysOf: ExecutionId | null;
  /**
   * Maps that begin again in a retry, by node, with their completed items. Removed once they begin.
   */
  readonly carriedMaps: Readonly<Record<string, CarriedMapPayload>>;
  /** Hashes of approvals for visits that a retry begins again, by `visitKey`. */
  readonly carriedApprovals: Readonly<Record<string, readonly string[]>>;
  /** Journals that a retry takes over, by `visitKey`. Gone once their visits have begun. */
  readonly carriedJournals: Readonly<Record<string, readonly JournalEntry[]>>;
  /** Inputs that functions continued with, by `visitKey`. Gone once their visits have begun. */
  readonly carriedInputs: Readonly<Record<string, JsonValue>>;
  /** Hashes of calls that models asked for and people approved, and that no node has made yet. */
  readonly grantedCalls: readonly string[];
  /** Not null: only undos and finalizers are live, and nothing else starts any more. */
  readonly ending: Ending | null;
  readonly undo: UndoState;
  /** Not empty: facts are recorded without consequences. At most one pause of each scope. */
  readonly pauses: readonly Pause[];
}

/** The start of an execution was put off, or may be by other executions. */
export interface StartWait {
  /** Nothing is decided before its time has come. */
  readonly isDelayed: boolean;
  readonly hasDeadline: boolean;
  /** The deadline has passed: it fails. */
  readonly isOverdue: boolean;
}

export function isDelayed({ startWait }: Pick<ExecutionState, 'startWait'>): boolean {
  return startWait !== null && startWait.isDelayed && !startWait.isOverdue;
}

export interface RetriedFrom {
  readonly executionId: ExecutionId;
  /** Sequence of its last event before those of its end. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly nodeId: string | null;
}

export interface ForkedFrom {
  readonly executionId: ExecutionId;
  /** Sequence of the last event that the fork carries. */
  readonly sequence: number;
  /** The node that the request named; null: it named the sequence. */
  readonly nodeId: string | null;
}

export interface Pause {
  readonly scope: PauseScope;
  /** Actor id of the requester. */
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
  /** The wait of a durable function. */
  readonly step?: string;
}

/** How an execution will end once its finalizers are done. */
export interface Ending {
  readonly outcome: TerminalStatus;
  /** Why it failed; null with the other outcomes. */
  readonly failure: Failure | null;
  /**
   * The first finalizer that failed permanently; it makes an otherwise completed execution fail.
   */
  readonly finalizerFailure: Failure | null;
}

export interface UsageTotal {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars, for calls with a known price. */
  readonly costUsd: number;
}

export const NO_USAGE: UsageTotal = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

/**
 * The values that the expressions of a visit see: pinned when it was scheduled, so a retry sees the
 * same.
 */
export interface VisitScope {
  readonly data: JsonObject;
  /** Output of the node that led here. */
  readonly output: JsonValue;
  /** Inputs of a join, in order; other kinds read only `output`. */
  readonly arrivals?: readonly NodeOutput[];
  /** The input that the visit before continued with, in place of the node's own. */
  readonly input?: JsonValue;
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
  /** The current attempt, from 0. */
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
  /** An external signal to this visit that no decision has answered yet. */
  readonly signal: VisitSignal | null;
  /** Null until the visit's work has recorded, asked for or received something. */
  readonly memory: VisitMemory | null;
  /** The child execution that is waited for. */
  readonly childId: ExecutionId | null;
  /** Set on a visit of a durable function. */
  readonly run: FunctionRun | null;
  /** The node that undoes it once it has completed; absent: none. */
  readonly undo?: string;
  /** Set on a visit that undoes another. */
  readonly undoes?: Undoing;
}

/** Values that the work of a visit keeps for its later attempts. */
export interface VisitMemory {
  /** Recorded values, by name. */
  readonly progress: Readonly<Record<string, JsonObject>>;
  /** Payloads of the external events the work was parked for, oldest first. */
  readonly resumedWith: readonly JsonValue[];
  /** The call that a person is asked to approve. */
  readonly asked: JsonObject | null;
  /** SHA-256 of the canonical JSON of everything approved so far. */
  readonly approvedHashes: readonly string[];
  /**
   * Attempts that did not count since the visit last got on: those that rate limits refused, and turns
   * of a function whose code did not fit its journal.
   */
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
  /** `counted` false: the same attempt again. */
  | { readonly is: 'retry'; readonly delayMs: number; readonly counted?: false }
  | { readonly is: 'timer_fired' }
  | { readonly is: 'child_ended'; readonly end: ChildEnd }
  /** The compensations of a function are to run. */
  | { readonly is: 'rollback' }
  /** The function continues in another visit. */
  | { readonly is: 'continue'; readonly input: JsonValue; readonly by: ContinueRequest }
  /** The time of a function's visit is over. */
  | { readonly is: 'overdue' }
  /** The work asks for an approval before it continues. */
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
  /**
   * Items before this index are scheduled or were complete before the retry: items start in order.
   */
  readonly scheduled: number;
  /** How many items from `scheduled` onwards were complete before the retry. */
  readonly carriedAhead: number;
  /** Visit numbers for the unfinished items of a retry, by index; null: no retry. */
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

/** A token: a control edge that was taken and has not started its target yet. */
export interface Arrival {
  /** Null: the start of the execution. */
  readonly from: string | null;
  readonly to: string;
  readonly output: JsonValue;
  /** In a retry: the visit of the target that begins again with this token. Absent: its next one. */
  readonly visit?: number;
}

export interface MailboxEntry {
  readonly sequence: number;
  readonly correlationKey: string;
  readonly payload: JsonValue;
}

export function visitKey(nodeId: string, visit: number): string {
  return `${nodeId}#${visit}`;
}
