import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { ClaimFilter } from '../domain/work/claim-filter.ts';
import type {
  QueuePlace,
  WorkItemRecord,
  WorkQueue,
  WorkTicket,
} from '../domain/work/work-item.ts';

export interface WorkStore {
  /**
   * Leases the items that are next (priority, then age, or tag where keys take turns) on the given queues, of those that the
   * filter admits, each under a fence never used before. Items past their schedule-to-start bound are left alone. `tenantId` null:
   * of all tenants (the `engine` queue).
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedItem[]>;
  /**
   * A hint that another process may have added an item to this queue. Without it a claim finds the first
   * share of a queue only after a second.
   */
  noteAdded(queueKey: string): void;
  /** As if the claimers had claimed one after another, all at once; what each got, in their order. */
  claimTogether(request: JointClaim): Promise<readonly (readonly ClaimedItem[])[]>;
  /** Renews the leases still held under their fences; answers which were, in the order asked. */
  renew(leases: readonly LeaseRenewal[]): Promise<readonly (RenewedLease | null)[]>;
  /** The items that a claim leased and whose leases nobody has ended since, in the order of the claim. */
  listClaimed(claim: ClaimRef): Promise<readonly ClaimedItem[]>;
  find(id: WorkItemId, tenantId: TenantId): Promise<FoundWorkItem | null>;
  /**
   * Leases of items on the engine's queue that a process holds, of one execution or of all
   * (`executionId` null), those included whose time is over and that nobody has taken back.
   */
  listHeld(params: {
    readonly workerId: string;
    readonly executionId: ExecutionId | null;
  }): Promise<readonly Lease[]>;
  /** Leases whose time is over by the database's clock, oldest first. */
  listExpiredLeases(params: { readonly limit: number }): Promise<readonly Lease[]>;
  /** Queued items past their schedule-to-start bound, oldest first. */
  listOverdueQueued(params: { readonly limit: number }): Promise<readonly WorkTicket[]>;
  /**
   * Ends a leased item without any event (rules 1, 2 and 7 of the worker protocol). `record`: keep
   * this result under the item's key; `deadLetter`: why it failed. False when it was not leased.
   */
  settleUnfenced(params: {
    readonly workItemId: WorkItemId;
    /** Needed for an item of the engine's queue, which has no record that names it. */
    readonly executionId?: ExecutionId;
    readonly tenantId: TenantId;
    readonly record: { readonly output: JsonValue; readonly statePatch: JsonObject } | null;
    readonly deadLetter: string | null;
  }): Promise<boolean>;
  /** The result recorded under a key, if any. */
  recordedOutput(params: {
    readonly executionId: ExecutionId;
    readonly idempotencyKey: string;
  }): Promise<{ readonly output: JsonValue; readonly statePatch: JsonObject } | null>;
  /** Newest first. */
  listDeadLetters(params: ListDeadLetters): Promise<readonly DeadLetter[]>;
  findDeadLetter(id: WorkItemId, tenantId: TenantId): Promise<DeadLetter | null>;
  /**
   * Puts a dead-lettered item of a live execution back on its queue, with attempts counted from 0, unless
   * the execution has moved past what the caller decided this on.
   */
  requeue(params: {
    readonly workItemId: WorkItemId;
    readonly tenantId: TenantId;
    readonly expectedSequence: number;
    readonly actorId: string;
  }): Promise<'requeued' | 'missing' | 'not_dead' | 'ended' | 'moved'>;
}

export type ClaimRequest = ClaimScope &
  Claimer & {
    /**
     * On the engine's queue alone: tenants take turns, before priority and age. How many items each has at
     * the claimer; tenants that are not named have none. Absent: by priority and age.
     */
    readonly heldOf?: ReadonlyMap<TenantId, number>;
  };

export interface JointClaim extends ClaimScope {
  readonly claimers: readonly Claimer[];
}

export interface ClaimScope extends ClaimFilter {
  readonly tenantId: TenantId | null;
  readonly queues: readonly WorkQueue[];
  readonly leaseMs: number;
  /** Engine queue only: items of these shards; null: all. */
  readonly shards: readonly number[] | null;
}

export interface Claimer {
  readonly workerId: string;
  readonly limit: number;
  /** A UUID; null or absent: `listClaimed` will not find the leases. */
  readonly claimId?: string | null;
}

/** A claim as its worker names it. */
export interface ClaimRef {
  readonly tenantId: TenantId;
  readonly workerId: string;
  readonly claimId: string;
}

export interface Lease {
  readonly ticket: WorkTicket;
  readonly leaseFence: number;
  readonly workerId: string;
  readonly claimedAt: string;
  readonly expiresAt: string;
  /** Where on its queue the item was claimed; absent: not known, or off no queue. */
  readonly queuePlace?: QueuePlace;
  /** Deadline of the attempt, which heartbeats do not extend; null: none. */
  readonly deadlineAt: string | null;
  /** True when `deadlineAt` is what has passed. */
  readonly timedOut: boolean;
}

export interface ClaimedItem extends Lease {
  /** Null on the `engine` queue. */
  readonly record: WorkItemRecord | null;
  /** The revision that its execution runs on; null on the `engine` queue. */
  readonly definitionId: DefinitionId | null;
  /** A result is recorded under the item's key already: replay it, don't hand the item out. */
  readonly hasRecordedOutput: boolean;
  /** The claim that took the item has left nothing that it could take. Absent: it may have. */
  readonly leftNothing?: boolean;
}

export type LeaseRenewal = {
  readonly workItemId: WorkItemId;
  readonly leaseFence: number;
  readonly leaseMs: number;
} & (
  | {
      readonly tenantId: TenantId;
      readonly executionId?: ExecutionId;
    }
  | {
      /** An item of the engine, of any tenant: it has no record that names its execution. */
      readonly tenantId: null;
      readonly executionId: ExecutionId;
    }
);

export interface RenewedLease {
  readonly expiresAt: string;
}

export interface FoundWorkItem {
  readonly record: WorkItemRecord;
  /** The revision that its execution runs on. */
  readonly definitionId: DefinitionId;
  /** Null: not leased now. */
  readonly lease: Lease | null;
  readonly place: 'queued' | 'leased' | 'retrying' | 'settled' | 'dead_lettered';
  /** For an item that waits after a release: the fence of the release. */
  readonly releasedFence: number | null;
}

export interface ListDeadLetters {
  readonly tenantId: TenantId;
  readonly limit: number;
  /** Dead-lettered before this ISO instant. */
  readonly before: string | null;
  /** Absent: of any workflow, or node. */
  readonly workflowId?: string | null;
  readonly nodeId?: string | null;
  /** Only those after this one in the list. */
  readonly cursor?: { readonly deadLetteredAt: string; readonly workItemId: WorkItemId } | null;
}

export interface DeadLetter {
  readonly workItemId: WorkItemId;
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  readonly queue: WorkQueue;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  readonly deadLetteredAt: string;
}
