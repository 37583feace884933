import type { BudgetAction } from '../budget/budget.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type {
  ApprovalReceivedPayload,
  BatchClosedPayload,
  CarriedPayload,
  ChildEndPayload,
  NodeCompletedPayload,
  NodeFailedPayload,
  NodeParkedPayload,
  NodeProgressPayload,
  NodeResumedPayload,
  NodeScheduledPayload,
  PauseScope,
  PausedPayload,
  ForkedFromPayload,
  RetriedFromPayload,
  TimerPayload,
  WorkflowEndingPayload,
} from './event-payloads.ts';
import type {
  NodeContinuedAsNewPayload,
  NodePinnedPayload,
  NodeSuspendedPayload,
  RollbackScheduledPayload,
  StepRecordedPayload,
} from './function-events.ts';
import type { Labels } from './labels/labels.ts';
import type { GivenRules } from '../workflow/flow/given-rules.ts';
import type { UndoPayload } from './undo/undo-state.ts';
import type { UsagePayload } from './usage-payload.ts';

/**
 * The events of an execution: what happened, in order, never changed afterwards. The store and the
 * API use payloads unchanged, so their names are in snake_case. `visit` numbers the entries of a
 * node from 0. The state of an execution is a fold of these events only (see `evolve.ts`).
 */
export type ExecutionEvent =
  | Event<
      'WorkflowStarted',
      {
        workflow_id: string;
        workflow_version: string;
        definition_id: string;
        input: JsonObject;
        /** Absent: it has none. */
        labels?: Labels;
        parent_execution_id?: string;
        /** The visit of the parent that waits for this execution. */
        parent_node_id?: string;
        parent_visit?: number;
        /** The wait of a durable function. */
        parent_step?: string;
        /** How many executions it is nested in; absent: none. */
        depth?: number;
        /** The root of its tree of executions; absent: itself, or not known. */
        root_execution_id?: string;
        /** The run that this one continues, and the state it handed over. */
        continued_from?: string;
        carried?: CarriedPayload;
        /** The execution that this one retries. */
        retried_from?: RetriedFromPayload;
        /** The execution whose beginning this one carries. */
        forked_from?: ForkedFromPayload;
        /** Its input is that of a batch, which the one that it retries, forks or continues has gathered. */
        is_batch?: true;
        /** Rules of flow control that its start brought, as in the request. Absent: none. */
        start_rules?: GivenRules;
        /** W3C Trace Context of the request that started it, the parent of its spans. */
        traceparent?: string;
      }
    >
  /** The execution begins for several starts: `input` replaces its own. */
  | Event<'BatchClosed', BatchClosedPayload>
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
  | NodeEvent<'StepRecorded', StepRecordedPayload>
  | NodeEvent<'NodeSuspended', NodeSuspendedPayload>
  | NodeEvent<'NodeContinuedAsNew', NodeContinuedAsNewPayload>
  | NodeEvent<'NodePinned', NodePinnedPayload>
  | NodeEvent<'RollbackScheduled', RollbackScheduledPayload>
  | NodeEvent<'NodeCompleted', NodeCompletedPayload>
  | NodeEvent<'NodeFailed', NodeFailedPayload>
  | NodeEvent<'NodeSkipped', Record<never, never>>
  | NodeEvent<
      'NodeCancelled',
      {
        visit: number;
        reason: string;
        /** The compensations have run: the visit ends now. */
        rolled_back?: true;
        /** Undos wait for the ends of the children that it had started. */
        awaits_children?: true;
        /** The models that the completion of the rollback used. */
        usage?: UsagePayload;
      }
    >
  | NodeEvent<
      'RetryScheduled',
      {
        visit: number;
        attempt: number;
        delay_ms: number;
        /** Set if the item of the previous attempt is settled: this attempt has its own item. */
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
        /** The wait of a durable function. */
        step?: string;
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
        /** The exact call to approve, if the approval is about a call. */
        shown?: JsonObject;
        /** SHA-256 in hex of the canonical JSON of `shown`; a decision may name it. */
        shown_hash?: string;
        /** The wait of a durable function. */
        step?: string;
      }
    >
  | NodeEvent<'ApprovalReceived', ApprovalReceivedPayload>
  | Event<
      'TimerStarted',
      TimerPayload &
        ({ delay_ms: number } | { until: string }) & {
          /** The timer of a function stops while the function is suspended. */
          count_suspended?: false;
        }
    >
  | Event<'TimerFired', TimerPayload>
  /** A budget stopped further work, or its warning threshold was reached. */
  | Event<
      'BudgetExceeded',
      {
        visit: number | null;
        /** The execution that the budget belongs to: this one or an ancestor. */
        account: string;
        tokens: number;
        token_budget: number | null;
        /**
         * Input tokens and their limit, if the budget limits input tokens separately; output alike.
         */
        input_tokens?: number;
        input_token_budget?: number;
        output_tokens?: number;
        output_token_budget?: number;
        cost_usd: number;
        cost_budget_usd: number | null;
        action: BudgetAction;
      }
    >
  /** A tool or a model that a policy does not allow, or a violated rule of a `policy` node. */
  | NodeEvent<
      'PolicyViolation',
      {
        visit: number;
        /** Name of the tool, the model or the rule. */
        name: string;
        rule: 'blocked_tools' | 'model_allowlist' | 'rule';
        /** The glob that blocks the tool. */
        pattern?: string;
        message?: string;
      }
    >
  | NodeEvent<'ExternalEventWaiting', { visit: number; correlation_key: string }>
  | Event<'ExternalEventReceived', { correlation_key: string; payload: JsonValue }>
  /** The runtime derives nothing from further events until a resume. */
  | Event<'ExecutionPaused', PausedPayload>
  | Event<'ExecutionResumed', { scope: PauseScope; by: string; reason?: string }>
  /** Only undos and finalizers remain, and run now; the terminal event follows them. */
  | Event<'WorkflowEnding', WorkflowEndingPayload>
  | Event<'WorkflowCompleted', { continued_as?: string }>
  | Event<
      'WorkflowFailed',
      { error: string; error_class: string; node_id: string | null; undo?: UndoPayload }
    >
  | Event<'WorkflowCancelled', { reason?: string; undo?: UndoPayload }>;

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

/** An event in the log. */
export type RecordedEvent = ExecutionEvent & {
  readonly sequence: number;
  /** ISO 8601 UTC with milliseconds; the database's clock, never decreasing within an execution. */
  readonly createdAt: string;
  /** `token:<name>`, `worker:<id>`, `agent:<id>` or `system:scheduler`. */
  readonly actorId: string;
};
