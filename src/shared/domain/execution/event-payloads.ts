import type { UsagePayload } from './usage-payload.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { CarriedInputPayload, CarriedJournalPayload } from './function-events.ts';
import type { Labels } from './labels/labels.ts';
import type { TerminalStatus } from './status.ts';

/* The payloads of events, in the order of `event.ts`; those of durable functions are in `function-events.ts`. */

export interface NodeScheduledPayload {
  readonly visit: number;
  /** Kind of the node: `python_fn`, `wait`, … */
  readonly node_kind: string;

  readonly phase: VisitPhase;
  /** Nodes whose completion led here; empty for the start node. */
  readonly from: readonly string[];
  readonly work_item_id?: string;
  readonly queue?: string;
  /** Absent: the default queue of that type. */
  readonly queue_name?: string;
  readonly idempotency_key?: string;
  /** State key under which the node's output is stored. */
  readonly output_key?: string;
  readonly correlation_key?: string;
  /** Number of items of a `map` visit. */
  readonly item_count?: number;
  /** Indexes of the items that were complete before the retry and do not run again. */
  readonly carried_items?: readonly number[];
  /** The grant that replaces an approval of this call, see `granted_calls`. */
  readonly granted_hash?: string;
  /** Set on a visit that is one item of a `map` visit. */
  readonly map?: { readonly node_id: string; readonly visit: number; readonly index: number };
  /** The visit of the same node that continued as this one. */
  readonly continues?: number;
  /** The node that undoes this visit if it completes and the execution fails or is cancelled. */
  readonly undo?: string;
  /** Set on a visit that undoes another. `sequence`: of its completion; null: in an earlier run. */
  readonly undoes?: {
    readonly node_id: string;
    readonly visit: number;
    readonly sequence: number | null;
  };
}

/**
 * The activity of a visit: `work`: a work item is out · `map`: item visits are under way · `none`: the
 * visit ends in the decision that began it · `child`: a child execution is under way · `suspended`: a
 * durable function waits · the rest wait for an outside event.
 */
export type VisitPhase =
  'none' | 'work' | 'approval' | 'timer' | 'event' | 'either' | 'map' | 'child' | 'suspended';

export type BatchClosedPayload = {
  /** The executions whose starts the batch gathered, in the order of `input.items`; this one is the first. */
  execution_ids: readonly string[];
  input: { items: readonly JsonObject[] };
};

export type RetriedFromPayload = {
  readonly execution_id: string;
  /** Sequence of its last event before those of its end. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly node_id: string | null;
  /** The first execution of the chain of retries; its id is part of idempotency keys. */
  readonly keys_of: string;
};

export type ForkedFromPayload = {
  readonly execution_id: string;
  /** Sequence of the last event that the fork carries. */
  readonly sequence: number;
  /** The node that the request named; null: it named the sequence. */
  readonly node_id: string | null;
};

/** The point where a run ends and its successor begins. */
export type CarriedPayload = {
  readonly state: JsonObject;
  readonly arrivals: readonly {
    readonly from: string | null;
    readonly to: string;
    readonly output: JsonValue;
    /** In a retry: the visit that begins again with this token. */
    readonly visit?: number;
  }[];
  /** External events that no visit has taken. */
  readonly mailbox: readonly { readonly correlation_key: string; readonly payload: JsonValue }[];
  /** Nodes that were entered or skipped; the successor does not record them as skipped again. */
  readonly settled_nodes: readonly string[];
  /** How often each node was entered, for kinds that count it and for nodes of `ending_children`. */
  readonly visits?: Readonly<Record<string, number>>;
  readonly usage: UsagePayload;
  /** How often each budget was granted again, and which budgets have warned, by account. */
  readonly budget_grants?: Readonly<Record<string, number>>;
  readonly budgets_warned?: readonly string[];
  /** In a retry: the maps that begin again, with their completed items. */
  readonly maps?: readonly CarriedMapPayload[];
  /** In a retry: the approvals for visits that begin again. */
  readonly approvals?: readonly CarriedApprovalPayload[];
  /** Hashes of calls that models requested and people approved, and that no node has made yet. */
  readonly granted_calls?: readonly string[];
  /** In a retry: the journals of functions that continue after their last entry. */
  readonly journals?: readonly CarriedJournalPayload[];
  /** Inputs that functions continued with, for visits that begin in this run. */
  readonly inputs?: readonly CarriedInputPayload[];
  /** Completed visits that an end of this run may undo, in order of completion. */
  readonly undo?: readonly CarriedUndoPayload[];
  /** Children of earlier runs, for whose ends the undos of this run wait. */
  readonly ending_children?: readonly CarriedChildPayload[];
};

export type CarriedMapPayload = {
  readonly node_id: string;
  /** The node that each item enters. */
  readonly body: string;
  /** Completed items; an item that is still the same does not run again. */
  readonly done: readonly {
    readonly index: number;
    /** SHA-256 of the item's canonical JSON. */
    readonly item_hash: string;
    readonly output: JsonValue;
  }[];
  /** Visits of the other items, by index: their calls keep their idempotency keys. */
  readonly visits: Readonly<Record<string, number>>;
};

export type CarriedUndoPayload = {
  readonly node_id: string;
  readonly visit: number;
  readonly output: JsonValue;
  /** The item of its map, and its key. */
  readonly item?: { readonly key: string; readonly value: JsonValue };
};

export type CarriedChildPayload = {
  readonly node_id: string;
  readonly visit: number;
  /** The wait of a durable function. */
  readonly step?: string;
  readonly child_execution_id: string;
  /** The run that started it. */
  readonly parent_execution_id: string;
};

export type CarriedApprovalPayload = {
  readonly node_id: string;
  readonly visit: number;
  readonly shown_hash: string;
};

export interface ChildEndPayload {
  readonly visit: number;
  /** The last run of a child that continued as other runs. */
  readonly child_execution_id: string;
  /** The wait of a durable function. */
  readonly step?: string;
  /** Total usage of the child and its own children. */
  readonly usage?: UsagePayload;
}

export interface NodeCompletedPayload {
  readonly visit: number;
  readonly output: JsonValue;
  /** RFC 7396 merge patch applied to the state, after `output` went under the output key. */
  readonly state_patch?: JsonObject;
  /** The successors a `condition` or `parallel` node chose itself. */
  readonly targets?: readonly string[];
  /** Sequence of the ExternalEventReceived that ended this wait. */
  readonly event_sequence?: number;
  readonly usage?: UsagePayload;
  /** Labels that the worker gave the execution with its result. */
  readonly labels?: Labels;
  /** Undos wait for the ends of the children that a durable function no longer waits for. */
  readonly awaits_children?: true;
}

/** Progress that a node records while it works. */
export interface NodeProgressPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly work_item_id: string;
  readonly name: string;
  readonly data: JsonObject;
  /** Handed to later attempts of the visit; the last value of each name. */
  readonly kept: boolean;
}

/** The work stops for now: the visit waits for an event, or for a person's approval. */
export interface NodeParkedPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly work_item_id: string;
  readonly correlation_key?: string;
  readonly approval?: { readonly description: string; readonly shown: JsonObject };
  readonly usage?: UsagePayload;
}

/** The reason why a visit was parked is resolved, and its work continues. */
export interface NodeResumedPayload {
  readonly visit: number;
  readonly work_item_id: string;
  readonly queue: string;
  readonly idempotency_key: string;
  /** The awaited external event, and its payload. */
  readonly event_sequence?: number;
  readonly payload?: JsonValue;
  /** The approval, and its change of the state. */
  readonly approved?: JsonObject;
  /** The budget that was granted again. */
  readonly budget_account?: string;
  readonly state_patch?: JsonObject;
  /** For a durable function: the item goes back to its queue for this turn. */
  readonly turn?: number;
}

export interface NodeFailedPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly error: string;
  readonly error_class: string;
  /** False: no attempt is left (or none is allowed for this class). */
  readonly retryable: boolean;
  /** Backoff chosen at the failure; absent when not retryable. */
  readonly retry_delay_ms?: number;
  /** False: a rate limit refused the call, so the attempt does not count. */
  readonly counted?: false;
  readonly usage?: UsagePayload;
  readonly work_item_id?: string;
  readonly worker_id?: string;
  /** The compensations of the function have run: the visit ends now. */
  readonly rolled_back?: true;
  /** Undos wait for the ends of the children that the visit had started. */
  readonly awaits_children?: true;
}

export interface ApprovalReceivedPayload {
  readonly visit: number;
  readonly decision: 'approved' | 'rejected';
  readonly user_id: string | null;
  readonly comment: string | null;
  /** Sequence of the ApprovalRequested that was decided. */
  readonly shown_hash?: string;
  /** The wait of a durable function. */
  readonly step?: string;
  readonly state_patch?: JsonObject;
}

/** The scope of a pause: the execution alone, or its workflow with all its executions. */
export type PauseScope = 'execution' | 'workflow';

export type PausedPayload = {
  readonly scope: PauseScope;
  /** Actor id of the requester. */
  readonly by: string;
  readonly reason?: string;
};

/** How the execution will end; the other fields are set with `failed`. */
export interface WorkflowEndingPayload {
  readonly outcome: TerminalStatus;
  /** Why it is cancelled; absent: somebody asked for it. */
  readonly reason?: string;
  readonly error?: string;
  readonly error_class?: string;
  readonly node_id?: string | null;
}

export interface TimerPayload {
  readonly purpose: TimerPurpose;
  /** Null for timers of the execution as a whole. */
  readonly visit: number | null;
  /** The wait of a durable function. */
  readonly step?: string;
}

/**
 * `start_after`: the execution begins · `start_deadline`: it fails unless it has begun ·
 * `function_wait`: of one wait of a durable function · `function_timeout`: bounds its visit ·
 * `child_ended`, `parent_ended`: due at once, written by the end of another execution; see
 * `engine/scheduling/fire-timers.ts`. They are answered with events of their own, never with TimerFired.
 */
export type TimerPurpose =
  | 'start_after'
  | 'start_deadline'
  | 'wait'
  | 'approval_timeout'
  | 'workflow_timeout'
  | 'function_wait'
  | 'function_timeout'
  | 'child_ended'
  | 'parent_ended';
