import type { WireOtherwise } from './wire.ts';

/* Answers about all executions of a tenant, as far as the commands print them. */

export interface WireListedApproval {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly node_id: string;
  readonly step: string | null;
  readonly description: string | null;
  readonly requested_at: string;
  readonly deadline_at: string | null;
  readonly otherwise?: WireOtherwise | null;
  readonly tool: string | null;
  readonly shown_hash: string | null;
  readonly decision: 'approved' | 'rejected' | null;
  readonly user_id: string | null;
  readonly comment: string | null;
  readonly decided_at: string | null;
}

export interface WireListedApprovals {
  readonly approvals: readonly WireListedApproval[];
  readonly next_cursor: string | null;
}

export interface WireDecisions {
  readonly results: readonly {
    readonly execution_id: string;
    readonly accepted: boolean;
    readonly node_id: string | null;
    readonly error: string | null;
  }[];
}

export interface WireQueues {
  readonly queues: readonly {
    readonly queue_type: string;
    readonly queue: string | null;
    readonly tool: string;
    readonly waiting: number;
    readonly oldest_at: string | null;
    readonly leased: number;
    readonly failed_last_hour: number;
    readonly served_by: readonly string[];
  }[];
  readonly is_exact: boolean;
}

export interface WireWorkers {
  readonly workers: readonly {
    readonly worker_id: string;
    readonly kind: 'runtime' | 'tool';
    readonly role: string | null;
    readonly tools?: readonly string[] | null | undefined;
    readonly build_ids?: readonly string[] | undefined;
    readonly version: string;
    readonly host: string;
    readonly last_heartbeat: string;
    readonly active_items: number;
  }[];
  /** Absent: the service is of an earlier version, and counts all. */
  readonly active_items_are_exact?: boolean;
}

export interface WireFailures {
  readonly groups: readonly {
    readonly id: string;
    readonly kind: 'work_item' | 'execution';
    readonly cause: string;
    readonly workflow_id: string;
    readonly node_id: string | null;
    readonly tool: string | null;
    readonly count: number;
    readonly live: number;
    readonly last_at: string;
    readonly members: readonly { readonly execution_id: string }[];
  }[];
  readonly next_cursor: string | null;
  readonly is_exact: boolean;
}

export interface WireFailuresOfGroup {
  readonly failures: readonly {
    readonly execution_id: string;
    /** Null: the execution itself failed. */
    readonly work_item_id: string | null;
    readonly error: string;
    readonly failed_at: string;
    /** Whether its execution has not ended. */
    readonly live: boolean;
  }[];
  readonly next_cursor: string | null;
  readonly is_exact: boolean;
}
