import type { JsonObject } from '../../src/shared/domain/json.ts';

/** Rows of the tables at one moment, from either store; times in Unix milliseconds. */
export interface Dump {
  readonly takenAt: number;
  /**
   * `follows`: nothing happens between this dump and a removal by retention. `over`: retention has
   * run until nothing was due, and nothing has changed since.
   */
  readonly removal?: 'follows' | 'over';
  readonly executions: readonly ExecutionOf[];
  readonly events: readonly EventOf[];
  readonly work_items: readonly (Owned & {
    readonly work_item_id: string;
    readonly node_id: string;
    readonly visit: number;
    readonly idempotency_key: string;
    readonly retry_policy: JsonObject;
    readonly queue_name?: string | null;
  })[];
  readonly work_queue: readonly (TicketOf & { readonly queue_name?: string | null })[];
  readonly work_leases: readonly (TicketOf & {
    readonly lease_fence: number;
    readonly expires_at: number;
  })[];
  readonly retry_timers: readonly TicketOf[];
  readonly timers: readonly (Owned & { readonly name: string; readonly purpose: string })[];
  readonly runnable: readonly { readonly execution_id: string }[];
  readonly recorded_outputs: readonly {
    readonly execution_id: string;
    readonly idempotency_key: string;
    readonly work_item_id: string;
    readonly event_sequence: number | null;
    readonly written_in?: string;
  }[];
  readonly dead_letters: readonly (Owned & { readonly work_item_id: string })[];
  readonly request_keys: readonly {
    readonly tenant_id: string;
    readonly key: string;
    readonly execution_id: string;
    readonly written_in?: string;
  }[];
  readonly tenants: readonly { readonly id: string }[];
  readonly tokens: readonly {
    readonly token_id: string;
    readonly tenant_id: string;
    readonly name: string;
  }[];
  readonly definitions: readonly {
    readonly tenant_id: string;
    readonly workflow_id: string;
    readonly version: string;
    readonly revision: number;
  }[];
  /** Changes that no event records. */
  readonly audit_log: readonly {
    readonly tenant_id: string;
    readonly execution_id: string | null;
    readonly event_type: string;
    readonly actor_id: string;
    readonly payload: JsonObject;
  }[];
  readonly snapshots?: readonly { readonly execution_id: string }[];
  readonly execution_usage?: readonly {
    readonly execution_id: string;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number;
  }[];
  readonly execution_labels?: readonly (Owned & {
    readonly name: string;
    readonly value: string;
  })[];
  readonly retention_policies?: readonly PolicyOf[];
  /** One row: the moment up to which the audit log is sealed; null: nothing is sealed. */
  readonly sealed?: readonly { readonly covers_to: number | null }[];
  /** Children that wait for a place, or use their parent's; and starts that wait for their tenant. */
  readonly child_places?: readonly {
    readonly execution_id: string;
    readonly parent_execution_id: string | null;
    readonly state: string;
  }[];
  /** Executions that wait for a place of their key. */
  readonly flow_waits?: readonly { readonly execution_id: string }[];
  /** Executions that a pause of their workflow holds. */
  readonly workflow_holds?: readonly { readonly execution_id: string }[];
  /** Executions that retention has removed. */
  readonly retired_executions?: readonly { readonly execution_id: string }[];
  readonly imported_executions?: readonly ImportOf[];
  readonly schedules?: readonly ScheduleOf[];
  readonly webhook_deliveries?: readonly {
    readonly seq: number;
    /** Absent where it follows from nothing that a run knows. */
    readonly delivery_id?: string;
    readonly webhook_id: string;
    readonly tenant_id: string;
    readonly execution_id: string;
    readonly event_type: string;
    readonly status: string;
  }[];
}

export interface ImportOf extends Owned {
  readonly imported_by: string;
  readonly imported_at: number;
  readonly document_sha256: string;
  /** The removal that it reverts; null: the execution ran elsewhere. */
  readonly retirement_id: string | null;
}

/** In days. Null: the tenant's policy decides, then the installation. 0: keep forever. */
export interface PolicyOf {
  readonly tenant_id: string;
  /** Empty: the policy of the tenant, for workflows without their own. */
  readonly workflow_id: string;
  readonly completed_days: number | null;
  readonly failed_days: number | null;
  readonly cancelled_days: number | null;
}

export interface ScheduleOf {
  readonly tenant_id: string;
  readonly name: string;
  /** Counts the changes that callers made. */
  readonly revision: number;
  readonly overlap_policy: string;
  /** Null: it is paused. */
  readonly next_fire_at: number | null;
  readonly waiting_fire_at: number | null;
  readonly starting_fire_at: number | null;
  readonly started: number;
  readonly skipped: number;
  readonly missed: number;
  readonly failed: number;
}

interface Owned {
  readonly execution_id: string;
  readonly tenant_id: string;
}

export interface ExecutionOf {
  readonly id: string;
  readonly tenant_id: string;
  readonly workflow_id: string;
  readonly parent_execution_id: string | null;
  readonly status: string;
  readonly last_sequence: number;
  readonly completed_at?: number | null;
}

export interface EventOf {
  readonly execution_id: string;
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload: JsonObject;
  readonly actor_id: string;
  readonly created_at: number;
  /** The position among all events in write order; absent where the store doesn't record it. */
  readonly place?: number;
  /** The transaction that wrote the row; absent where the store doesn't record it. */
  readonly written_in?: string;
}

export interface TicketOf extends Owned {
  readonly work_item_id: string;
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
  readonly queue: string;
}

/** A field of a payload if it is text, else the empty string. */
export function textIn(payload: JsonObject, name: string): string {
  const value = payload[name];
  return typeof value === 'string' ? value : '';
}
