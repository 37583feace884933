import type { JsonObject } from '../../src/shared/domain/json.ts';

/*
 * Bodies that the tests expect from the service. They are separate from the service's own types, so
 * that a change of those types shows.
 */

export interface ExecutionSummary {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly status: 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
  readonly created_at: string;
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly parent_execution_id: string | null;
}

export interface Execution extends ExecutionSummary {
  readonly labels: Readonly<Record<string, string>>;
  readonly usage: JsonObject;
  readonly state: JsonObject;
  readonly current_state: JsonObject;
  readonly steps_executed: number;
  readonly input: JsonObject;
  readonly initial_input: JsonObject;
  readonly waiting_on: readonly {
    readonly node_id: string;
    readonly waiting_for: string;
    readonly correlation_key: string | null;
    readonly attempt: number;
    readonly child_execution_id: string | null;
  }[];
  readonly continued_from: string | null;
  readonly continued_as: string | null;
  readonly pauses: readonly {
    readonly scope: string;
    readonly actor_id: string;
    readonly reason: string | null;
  }[];
  readonly retried_from: { readonly execution_id: string; readonly node_id: string | null } | null;
  readonly retried_as: string | null;
}

export interface ExecutionEvent {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly created_at: string;
  readonly event_id: string;
  readonly execution_id: string;
  readonly actor_id: string;
  readonly payload: JsonObject;
}

export interface WorkItem {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue_type: string;
  readonly payload: JsonObject;
  readonly attempt: number;
  readonly lease_fence: number;
  readonly idempotency_key: string;
  readonly lease_expires_at: string;
  readonly heartbeat_interval_ms: number;
  readonly max_attempts: number;
}

export interface ClaimAnswer {
  readonly claimed: boolean;
  readonly work_item?: WorkItem;
  readonly work_items?: readonly WorkItem[];
}

/** Answers to complete, fail, heartbeat and requeue, including refusals. */
export interface ItemAnswer {
  readonly error?: string;
  readonly reason?: string;
  readonly completed?: boolean;
  readonly failed?: boolean;
  readonly renewed?: boolean;
  readonly requeued?: boolean;
  readonly work_item_id?: string;
  readonly retryable?: boolean;
  readonly attempt?: number;
  readonly warning?: string;
  readonly lease_expires_at?: string;
}

export interface Acceptance {
  readonly execution_id: string;
  readonly accepted: boolean;
  readonly node_id?: string | null;
}

export interface DeadLetter {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue_type: string;
  readonly status: string;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  readonly dead_lettered_at: string;
}
