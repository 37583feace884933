import type { TerminalStatus } from '../domain/execution/status.ts';
import type { UsagePayload } from '../domain/execution/usage-payload.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { Usage } from '../nodes/run.ts';

/** Counters and durations the engine reports; the process turns them into metrics and logs. */
export interface EngineReport {
  count(
    name:
      | 'commits'
      | 'commit_refusals'
      | 'unfenced_settles'
      | 'unrecorded_keys'
      | 'leases_reclaimed'
      | 'dead_letters'
      | 'retries'
      | 'items_claimed'
      | 'items_completed'
      | 'items_failed'
      | 'items_released'
      | 'executions_started'
      | 'executions_admitted'
      | 'executions_displaced'
      | 'executions_gathered'
      | 'quota_items_admitted'
      | 'timers_fired'
      | 'webhook_attempts'
      | 'schedule_fires'
      | 'executions_retired'
      | 'events_retired'
      | 'replay_records_deleted'
      | 'event_partitions_dropped'
      | 'event_partitions_shrunk'
      | 'artifacts_removed'
      | 'artifact_bytes_removed'
      | 'events'
      | 'model_tokens'
      | 'model_cost'
      | 'trace_spans',
    by: number,
    labels?: Readonly<Record<string, string>>,
  ): void;
  observe(
    name:
      | 'commit_batch_plans'
      | 'execution_seconds'
      | 'execution_wait_seconds'
      | 'node_seconds'
      | 'tool_seconds'
      | 'claim_wait_seconds',
    value: number,
    labels?: Readonly<Record<string, string>>,
  ): void;
  /** An attempt at a node's work is over; absent: nobody traces, and nobody reads of it in a log. */
  attempt?(of: AttemptReport): void;
  /** A durable function has recorded steps; absent: nobody traces. */
  steps?(of: StepsReport): void;
  /** An execution has ended. */
  ended?(of: EndReport): void;
  /** Something unexpected that was survived: logged once, with ids, without payload. */
  trouble(what: string, error: unknown, ids?: Readonly<Record<string, string>>): void;
}

export interface AttemptReport {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workItemId: WorkItemId;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly nodeKind: string;
  /** Null: it is none of the kinds that call one. */
  readonly tool: string | null;
  /** Null: none was asked. `provider` null: a worker asked, and does not say whom. */
  readonly model: { readonly name: string; readonly provider: string | null } | null;
  /** Null: it ran in this process. */
  readonly workerId: string | null;
  readonly ms: number;
  /** ISO 8601, by the database's clock; null: just now. */
  readonly endedAt: string | null;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly usage: Usage | null;
}

export interface StepsReport {
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly steps: readonly StepReport[];
}

/** A step as the worker ran it, by the worker's clock. */
export interface StepReport {
  readonly identity: string;
  /** `step`, `rollback` and others. */
  readonly kind: string;
  /** From 1. */
  readonly attempts: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly ms: number;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly usage: UsagePayload | null;
}

export interface EndReport {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly error: string | null;
  /** ISO 8601, by the database's clock. */
  readonly startedAt: string;
  readonly endedAt: string;
}
