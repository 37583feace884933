import type { BudgetAction } from '../budget/budget.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { TerminalStatus } from './status.ts';

/**
 * The events of an execution: what happened, in order, never changed afterwards. Payloads are
 * stored and shown as they stand here, hence their snake_case names. `visit` numbers the entries of
 * a node from 0. The state of an execution is a fold of these and nothing else (see `evolve.ts`).
 */
export type ExecutionEvent =
  | Event<
      'WorkflowStarted',
      {
        workflow_id: string;
        workflow_version: string;
        definition_id: string;
        input: JsonObject;
        parent_execution_id?: string;
        /** The visit of the parent that waits for this execution. */
        parent_node_id?: string;
        parent_visit?: number;
        /** How many executions it is nested in; absent: none. */
        depth?: number;
        /** The execution that all of its tree descend from; absent: itself, or it is not known. */
        root_execution_id?: string;
        /** The run that this one goes on from, and what it left. */
        continued_from?: string;
        carried?: CarriedPayload;
        /** The execution that is tried again here. */
        retried_from?: RetriedFromPayload;
        /** Of the request that started it: where its spans belong, by W3C Trace Context. */
        traceparent?: string;
      }
    >
  | NodeEvent<'NodeScheduled', NodeScheduledPayload>
  | NodeEvent<'NodeStarted', { visit: number }>
  | NodeEvent<
      'ToolCallCompleted',
      {
        visit: number;
        work_item_id: string;
        attempt: number;
        tool: string;
        duration_ms?: number;
        worker_id?: string;
        gen_ai_model?: string;
        finish_reason?: string;
        /** True when a recorded output was replayed instead of calling the tool. */
        replayed?: boolean;
      }
    >
  | NodeEvent<'NodeProgress', NodeProgressPayload>
  | NodeEvent<'NodeParked', NodeParkedPayload>
  | NodeEvent<'NodeResumed', NodeResumedPayload>
  | NodeEvent<'NodeCompleted', NodeCompletedPayload>
  | NodeEvent<'NodeFailed', NodeFailedPayload>
  | NodeEvent<'NodeSkipped', Record<never, never>>
  | NodeEvent<'NodeCancelled', { visit: number; reason: string }>
  | NodeEvent<
      'RetryScheduled',
      {
        visit: number;
        attempt: number;
        delay_ms: number;
        /** Set where the item of the attempt before is settled: the attempt has one of its own. */
        work_item_id?: string;
      }
    >
  | NodeEvent<
      'ChildWorkflowStarted',
      {
        visit: number;
        attempt: number;
        work_item_id: string;
        child_execution_id: string;
        workflow_id: string;
        workflow_version: string;
      }
    >
  | NodeEvent<'ChildWorkflowCompleted', ChildEndPayload & { output: JsonObject }>
  | NodeEvent<
      'ChildWorkflowFailed',
      ChildEndPayload & { status: 'failed' | 'cancelled'; error: string; error_class: string }
    >
  | NodeEvent<
      'ApprovalRequested',
      {
        visit: number;
        description: string | null;
        timeout_ms: number | null;
        /** What exactly is to be approved, when it is a call that is about to be made. */
        shown?: JsonObject;
        /** SHA-256 in hex of the canonical JSON of `shown`: a decision may be bound to it. */
        shown_hash?: string;
      }
    >
  | NodeEvent<'ApprovalReceived', ApprovalReceivedPayload>
  | Event<'TimerStarted', TimerPayload & ({ delay_ms: number } | { until: string })>
  | Event<'TimerFired', TimerPayload>
  /** Further work was held up by a budget, or a warning of it. */
  | Event<
      'BudgetExceeded',
      {
        visit: number | null;
        /** The execution whose budget it is: this one, or one that it is a descendant of. */
        account: string;
        tokens: number;
        token_budget: number | null;
        /** With its budget, where the budget limits input tokens by themselves; output alike. */
        input_tokens?: number;
        input_token_budget?: number;
        output_tokens?: number;
        output_token_budget?: number;
        cost_usd: number;
        cost_budget_usd: number | null;
        action: BudgetAction;
      }
    >
  /** A tool or a model that a policy doesn't allow, or a rule of a `policy` node that doesn't hold. */
  | NodeEvent<
      'PolicyViolation',
      {
        visit: number;
        /** Of the tool, the model or the rule. */
        name: string;
        rule: 'blocked_tools' | 'model_allowlist' | 'rule';
        /** The glob that blocks the tool. */
        pattern?: string;
        message?: string;
      }
    >
  | NodeEvent<'ExternalEventWaiting', { visit: number; correlation_key: string }>
  | Event<'ExternalEventReceived', { correlation_key: string; payload: JsonValue }>
  /** Nothing follows from what happens until it is resumed. */
  | Event<'ExecutionPaused', PausedPayload>
  | Event<'ExecutionResumed', { scope: PauseScope; by: string }>
  /** All is over but the finalizers, which run now; the terminal event comes after them. */
  | Event<'WorkflowEnding', WorkflowEndingPayload>
  | Event<'WorkflowCompleted', { continued_as?: string }>
  | Event<'WorkflowFailed', { error: string; error_class: string; node_id: string | null }>
  | Event<'WorkflowCancelled', { reason?: string }>;

export type EventKind = ExecutionEvent['kind'];

interface Event<Kind extends string, Payload> {
  readonly kind: Kind;
  /** Null for workflow-level events. */
  readonly nodeId: string | null;
  readonly payload: Readonly<Payload>;
}

interface NodeEvent<Kind extends string, Payload> extends Event<Kind, Payload> {
  readonly nodeId: string;
}

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
  /** Indexes of the items that were done before the retry, and are not run again. */
  readonly carried_items?: readonly number[];
  /** The grant that stands for an approval of this call, see `granted_calls`. */
  readonly granted_hash?: string;
  /** Set on a visit that is one item of a `map` visit. */
  readonly map?: { readonly node_id: string; readonly visit: number; readonly index: number };
}

/**
 * What a visit does: `work`: a work item is out · `map`: item visits are under way · `none`: it is
 * over in the decision that began it · `child`: a child execution is under way · the rest wait for
 * the outside.
 */
export type VisitPhase =
  'none' | 'work' | 'approval' | 'timer' | 'event' | 'either' | 'map' | 'child';

export type RetriedFromPayload = {
  readonly execution_id: string;
  /** Of its last event that counts: what came after it was its end. */
  readonly sequence: number;
  /** The node that failed; null: it was cancelled, or its time was over. */
  readonly node_id: string | null;
  /** Whose calls these are to the outside: the execution that was tried first. */
  readonly keys_of: string;
};

/** Where a run leaves off and its successor begins. */
export type CarriedPayload = {
  readonly state: JsonObject;
  readonly arrivals: readonly {
    readonly from: string | null;
    readonly to: string;
    readonly output: JsonValue;
  }[];
  /** External events that nothing had taken. */
  readonly mailbox: readonly { readonly correlation_key: string; readonly payload: JsonValue }[];
  /** Nodes that were entered or skipped: they are not recorded as skipped again. */
  readonly settled_nodes: readonly string[];
  /** How often nodes were entered whose kind counts it. */
  readonly visits?: Readonly<Record<string, number>>;
  readonly usage: UsagePayload;
  /** How often each budget was granted again, and those that were warned of, by account. */
  readonly budget_grants?: Readonly<Record<string, number>>;
  readonly budgets_warned?: readonly string[];
  /** Of a retry: the maps that begin again, with what is left of them. */
  readonly maps?: readonly CarriedMapPayload[];
  /** Of a retry: what people approved for visits that are made again. */
  readonly approvals?: readonly CarriedApprovalPayload[];
  /** Calls of models that people approved and that no node has made yet, by their hashes. */
  readonly granted_calls?: readonly string[];
};

export type CarriedMapPayload = {
  readonly node_id: string;
  /** The node that each item enters. */
  readonly body: string;
  /** Items that are done; they are not run again while they are the same. */
  readonly done: readonly {
    readonly index: number;
    /** SHA-256 of the item's canonical JSON. */
    readonly item_hash: string;
    readonly output: JsonValue;
  }[];
  /** Visits of the items that are not, by index: their calls keep their keys. */
  readonly visits: Readonly<Record<string, number>>;
};

export type CarriedApprovalPayload = {
  readonly node_id: string;
  readonly visit: number;
  readonly shown_hash: string;
};

interface ChildEndPayload {
  readonly visit: number;
  /** The last run of a child that went on as others. */
  readonly child_execution_id: string;
  /** What the child and its own children used, in all. */
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
}

/** Something a node that is still at work wants to have on record. */
export interface NodeProgressPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly work_item_id: string;
  readonly name: string;
  readonly data: JsonObject;
  /** Handed to later attempts of the visit; of one name the last. */
  readonly kept: boolean;
}

/** The work is given up for now: the visit waits for an event, or for a person's approval. */
export interface NodeParkedPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly work_item_id: string;
  readonly correlation_key?: string;
  readonly approval?: { readonly description: string; readonly shown: JsonObject };
  readonly usage?: UsagePayload;
}

/** What a visit was parked for is there, and its work goes on. */
export interface NodeResumedPayload {
  readonly visit: number;
  readonly work_item_id: string;
  readonly queue: string;
  readonly idempotency_key: string;
  /** The external event that was waited for, and its payload. */
  readonly event_sequence?: number;
  readonly payload?: JsonValue;
  /** What was approved, and what the approval changed in the state. */
  readonly approved?: JsonObject;
  /** The budget that was granted once more. */
  readonly budget_account?: string;
  readonly state_patch?: JsonObject;
}

/** What a call of a model used. */
export type UsagePayload = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** US dollars; null: the price of the model is not known. */
  readonly cost_usd: number | null;
  readonly model?: string;
  readonly finish_reason?: string;
};

export interface NodeFailedPayload {
  readonly visit: number;
  readonly attempt: number;
  readonly error: string;
  readonly error_class: string;
  /** False: no attempt is left (or none is allowed for this class). */
  readonly retryable: boolean;
  /** Backoff chosen at the failure; absent when not retryable. */
  readonly retry_delay_ms?: number;
  /** False: turned away by a rate limit, so the attempt doesn't count. */
  readonly counted?: false;
  readonly usage?: UsagePayload;
  readonly work_item_id?: string;
  readonly worker_id?: string;
}

export interface ApprovalReceivedPayload {
  readonly visit: number;
  readonly decision: 'approved' | 'rejected';
  readonly user_id: string | null;
  readonly comment: string | null;
  /** Of the ApprovalRequested that was decided. */
  readonly shown_hash?: string;
  readonly state_patch?: JsonObject;
}

/** What was meant by a pause: the execution alone, or its workflow, which holds all of its executions. */
export type PauseScope = 'execution' | 'workflow';

export type PausedPayload = {
  readonly scope: PauseScope;
  /** Who asked for it, as an actor id. */
  readonly by: string;
  readonly reason?: string;
};

/** How the execution will end; the rest stands with `failed`. */
export interface WorkflowEndingPayload {
  readonly outcome: TerminalStatus;
  readonly error?: string;
  readonly error_class?: string;
  readonly node_id?: string | null;
}

export interface TimerPayload {
  readonly purpose: TimerPurpose;
  /** Null for the workflow's own timeout. */
  readonly visit: number | null;
}

/**
 * `child_ended`, `parent_ended`: due at once, written by the end of another execution; see
 * `engine/scheduling/fire-timers.ts`. They are answered with events of their own, never with TimerFired.
 */
export type TimerPurpose =
  'wait' | 'approval_timeout' | 'workflow_timeout' | 'child_ended' | 'parent_ended';

/** An event as it stands in the log. */
export type RecordedEvent = ExecutionEvent & {
  readonly sequence: number;
  /** ISO 8601 UTC with milliseconds; the database's clock, never decreasing within an execution. */
  readonly createdAt: string;
  /** `token:<name>`, `worker:<id>`, `agent:<id>` or `system:scheduler`. */
  readonly actorId: string;
};
