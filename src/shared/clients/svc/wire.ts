import type { JsonObject, JsonValue } from '../../domain/json.ts';

/*
 * Bodies of the HTTP API as a client reads them: the contract's fields, and the additive ones this
 * client makes use of, which an older runtime may leave out.
 */

export interface WireProblem {
  readonly pointer: string;
  readonly message: string;
}

export interface WireWarning extends WireProblem {
  /** Absent from a runtime that has no codes. */
  readonly code?: string;
}

export interface WireRegistered {
  readonly workflow_id: string;
  readonly version: string;
  readonly revision?: number;
  readonly ir_hash?: string;
  readonly warnings?: readonly WireWarning[];
}

export interface WireWorkflow {
  readonly workflow_id: string;
  readonly version: string;
  readonly revision?: number;
  readonly ir_hash?: string;
  readonly created_at?: string;
  /** Absent from a runtime that knows of no such pauses. */
  readonly pause?: WireWorkflowPause | null;
  readonly ir?: JsonObject;
}

export interface WireExecution {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly workflow_version?: string;
  readonly status: string;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly waiting_for?: {
    readonly kind: string;
    readonly key: string | null;
    readonly since: string;
    /** With `start_after`: when it begins. */
    readonly until?: string | null;
  } | null;
  /** In lists only. Absent: the runtime is older. */
  readonly awaiting_approval?: { readonly node_id: string; readonly step: string | null } | null;
  /** On the single read only. */
  readonly state?: JsonValue;
  readonly steps_executed?: number;
  readonly error?: string | null;
  /** In lists only. */
  readonly error_class?: string | null;
  readonly error_node_id?: string | null;
  readonly ending?: { readonly outcome: string } | null;
  readonly failure?: WireFailure | null;
  readonly undo?: {
    readonly pending: number;
    readonly under_way?: number;
    readonly undone: number;
    readonly not_undone: readonly { readonly node_id: string; readonly error: string }[];
  } | null;
  /** The execution that continues this one, which is completed. */
  readonly continued_as?: string | null;
  readonly waiting_on?: readonly WireWaiting[];
  readonly pauses?: readonly WirePause[];
  readonly retried_from?: { readonly execution_id: string; readonly sequence?: number } | null;
  readonly retried_as?: string | null;
  readonly forked_from?: { readonly execution_id: string; readonly sequence: number } | null;
  readonly imported?: { readonly at: string; readonly actor_id: string } | null;
}

/** How an execution ended. */
export interface WireResult {
  readonly execution_id: string;
  readonly status: string;
  readonly output: JsonValue;
  /** Null: it completed. */
  readonly error: {
    readonly message: string;
    readonly class: string;
    readonly node_id: string | null;
  } | null;
  /** The run that continues this one; null: none. */
  readonly continued_as: string | null;
}

/** Absent: the runtime is older than the field. */
export interface WireFailure {
  readonly error: string;
  readonly error_class: string;
  readonly node_id: string | null;
}

export interface WireImported {
  readonly execution_id: string;
  readonly status: string;
  readonly events: number;
  /** False: it already existed. */
  readonly imported: boolean;
  /** It was removed there, and is back. */
  readonly restored: boolean;
  readonly missing_artifacts: readonly string[];
}

export interface WireWorkflowPause {
  readonly state: 'pausing' | 'paused' | 'resuming';
  readonly actor_id: string;
  readonly reason: string | null;
  readonly paused_at: string;
  readonly resumed_by: string | null;
  readonly resumed_at: string | null;
  readonly held: number;
  readonly held_is_exact: boolean;
}

export interface WireWorkflowPaused {
  readonly workflow_id: string;
  readonly pause: WireWorkflowPause | null;
}

export interface WirePause {
  readonly scope: string;
  readonly actor_id: string;
  readonly reason: string | null;
}

export interface WireStarts {
  readonly results: readonly {
    readonly status: number;
    readonly execution_id?: string | undefined;
    /** Absent: it is started. */
    readonly error?: string | undefined;
  }[];
}

export interface WireSimulation {
  readonly status: string;
  readonly state: JsonObject;
  readonly error: string | null;
  readonly events: readonly {
    readonly sequence: number;
    readonly kind: string;
    readonly node_id: string | null;
    readonly payload: unknown;
  }[];
  /** Nodes that had no sample. */
  readonly assumed: readonly string[];
  readonly is_complete: boolean;
}

export interface WireCounts {
  readonly total: number;
  readonly is_exact: boolean;
  readonly by_status: Readonly<Record<string, number>>;
  /** Absent: not asked for. */
  readonly groups?:
    readonly { readonly value: string | null; readonly count: number }[] | undefined;
}

export interface WireBulk {
  readonly results: readonly {
    readonly execution_id: string;
    readonly workflow_id: string;
    readonly status: string;
    readonly created_at: string;
    readonly outcome: string;
    readonly error: string | null;
    readonly retried_as: string | null;
    /** A cancelled one has it while its undos or finalizers run; an older runtime leaves it out. */
    readonly ending?: { readonly outcome: string } | undefined;
  }[];
  readonly next_cursor: string | null;
  readonly total: number | null;
  readonly total_is_exact: boolean;
}

export interface WireDeadLetter {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue_type: string;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  /** Absent from an older runtime. */
  readonly handled?: boolean;
  readonly undoes?: {
    readonly node_id: string;
    readonly visit: number;
    /** Absent from an older runtime, like the output. */
    readonly input?: JsonValue;
    readonly output?: JsonValue;
    readonly omitted?: readonly string[];
  } | null;
  readonly dead_lettered_at: string;
}

export interface WireDeadLetters {
  readonly work_items: readonly WireDeadLetter[];
  readonly next_cursor?: string | null;
}

export interface WireReadDeadLetter extends WireDeadLetter {
  readonly workflow_id: string;
  readonly execution_status: string;
  readonly visit: number;
  readonly max_attempts: number;
  readonly input: JsonValue;
  readonly omitted: readonly string[];
  readonly failures: readonly {
    readonly attempt: number;
    readonly error: string;
    readonly worker_id: string | null;
    readonly failed_at: string;
  }[];
  readonly actions: { readonly requeue: WireAction; readonly give_up: WireAction };
}

export interface WireAction {
  readonly allowed: boolean;
  readonly reason: string | null;
}

export interface WireRetried {
  readonly execution_id: string;
  readonly retried_from: string;
}

export interface WireForked {
  readonly execution_id: string;
  readonly forked_from: string;
  /** The last event that it carries. */
  readonly sequence: number;
  readonly node_id: string | null;
}

export interface WireForkPreview extends Omit<WireForked, 'execution_id'> {
  readonly begins: readonly string[];
  readonly kept: readonly WireVisits[];
  readonly left: readonly WireVisits[];
  readonly maps: readonly { readonly node_id: string; readonly kept_items: number }[];
  readonly approvals: readonly WireVisits[];
  readonly waiting_events: number;
  readonly undone: readonly { readonly node_id: string; readonly visit: number }[];
}

export interface WireVisits {
  readonly node_id: string;
  readonly visits: number;
}

export interface WireForks {
  readonly forks: readonly {
    readonly execution_id: string;
    readonly status: string;
    readonly sequence: number;
    readonly node_id: string | null;
    readonly actor_id: string;
    readonly forked_at: string;
  }[];
  readonly next_cursor: string | null;
}

export interface WireMoved {
  readonly execution_id: string;
  readonly build_id: string | null;
  readonly moved: readonly {
    readonly node_id: string;
    readonly visit: number;
    readonly from: string;
  }[];
}

export interface WireCancelled {
  readonly execution_id: string;
  readonly status: string;
  /** Absent: it has ended, or the runtime is older than the field. */
  readonly ending?: { readonly outcome: string } | undefined;
}

export interface WirePaused {
  readonly execution_id: string;
  readonly status: string;
  readonly pauses: readonly WirePause[];
}

export interface WireApproval {
  readonly node_id: string;
  readonly visit: number;
  readonly description: string | null;
  readonly requested_at: string;
  /** Absent from an older runtime. */
  readonly deadline_at?: string | null;
  readonly otherwise?: WireOtherwise | null;
  /** Absent from an older runtime; null where no tool is called. */
  readonly tool?: string | null;
  readonly arguments?: JsonValue;
  readonly shown: JsonObject | null;
  /** Only for approvals of durable functions. */
  readonly step?: string | undefined;
  readonly shown_hash: string | null;
}

/** The consequence of a rejection, and of the deadline. */
export interface WireOtherwise {
  readonly outcome: string;
  readonly to: readonly string[];
}

export interface WireDecision {
  readonly node_id: string;
  readonly decision: string;
  readonly user_id: string | null;
  readonly comment: string | null;
  readonly decided_at: string;
}

export interface WireApprovals {
  readonly execution_id: string;
  readonly pending: readonly WireApproval[];
  readonly decided: readonly WireDecision[];
}

export interface WireWaiting {
  readonly node_id: string;
  readonly waiting_for: string;
  readonly correlation_key?: string | null;
}

export interface WireExplanation {
  readonly execution_id: string;
  readonly status: string;
  readonly moving: boolean;
  readonly next_wake_up: string | null;
  readonly blockers: readonly WireBlocker[];
  readonly blockers_total: number;
  readonly ending?: { readonly outcome: string } | null;
  readonly failure?: WireFailure | null;
  readonly ended: {
    readonly message: string;
    readonly at: string | null;
    readonly actor_id: string | null;
    readonly error_class?: string | null;
    readonly node_id?: string | null;
  } | null;
}

export interface WireBlocker {
  readonly code: string;
  readonly node_id: string | null;
  readonly work_item_id?: string | undefined;
  readonly message: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly unblocked_by: string;
}

export interface WireEvent {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly created_at: string;
  readonly payload?: JsonValue;
}

export interface WireAccepted {
  readonly execution_id: string;
  readonly accepted: boolean;
  readonly node_id?: string | null;
}

/** Nothing follows one of these. */
export function isTerminalEvent(event: WireEvent): boolean {
  return TERMINAL_KINDS.has(event.kind);
}

const TERMINAL_KINDS: ReadonlySet<string> = new Set([
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

export interface WireState {
  readonly execution_id: string;
  readonly sequence: number;
  readonly last_sequence: number;
  readonly status: string;
  readonly at: string | null;
  readonly state: JsonObject;
  readonly omitted: readonly { readonly key: string; readonly chars: number }[];
  readonly omitted_total: number;
}

export interface WireStateDifference {
  readonly execution_id: string;
  readonly from: number;
  readonly to: number;
  readonly changes: readonly {
    readonly op: string;
    readonly path: string;
    readonly before: JsonValue;
    readonly after: JsonValue;
    readonly omitted: boolean;
  }[];
  readonly truncated: boolean;
}

export interface WireStateBlame {
  readonly execution_id: string;
  readonly sequence: number;
  readonly keys: readonly {
    readonly key: string;
    readonly sequence: number;
    readonly kind: string;
    readonly node_id: string | null;
    readonly actor_id: string;
    readonly at: string;
    readonly cause: {
      readonly sequence: number;
      readonly kind: string;
      readonly actor_id: string;
      readonly user_id: string | null;
    } | null;
  }[];
  readonly truncated: boolean;
}
