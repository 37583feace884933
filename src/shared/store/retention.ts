import type { SealableItem } from '../domain/audit/seal.ts';
import type { TerminalStatus } from '../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { RetentionDays, RetentionPolicy } from '../domain/retention/retention-policy.ts';

/**
 * Removal of executions that ended long ago. The policies decide how long they are kept; the store
 * decides which must never be removed. An execution stays while it is live or ended less than a day
 * ago. It stays while it has a live child, a pending timer, an unsent webhook message or an
 * unsealed event. It also stays while its parent, its previous run or the execution that it retries
 * exists.
 */
export interface RetentionStore {
  /** In the order of tenants and workflows, those of whole tenants first. */
  listPolicies(params: {
    /** Null: of all. */
    readonly tenantId: TenantId | null;
    /** Only policies of later workflows, '' being that of the tenant; absent: all. */
    readonly after?: string | null;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly RetentionPolicy[]>;
  /** Creates it, or replaces the existing one. */
  setPolicy(policy: RetentionPolicy & { readonly actorId: string }): Promise<void>;
  /** False: there was none. */
  removePolicy(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string | null;
    readonly actorId: string;
  }): Promise<boolean>;
  /** The first tenant after this one that has executions; null: there is none. */
  nextTenant(after: TenantId | null): Promise<TenantId | null>;
  /** Looks through some of a tenant's executions, oldest first. */
  scan(params: RetentionScan): Promise<ScannedExecutions>;
  /** All events of these executions, as they are sealed. */
  histories(executionIds: readonly ExecutionId[]): Promise<readonly SealableItem[]>;
  /**
   * Removes executions with all that belongs to them and leaves the entry in the audit log, or does
   * nothing and returns false: one of them must stay, or no longer exists.
   */
  retire(retiring: Retiring): Promise<boolean>;
  /**
   * Looks through the results kept for replay, oldest executions first, and deletes those of
   * executions that ended longer ago than this: nobody asks for them any more.
   */
  forgetReplays(params: {
    readonly endedMs: number;
    readonly after: ReplayPosition | null;
    readonly limit: number;
  }): Promise<{
    readonly deleted: number;
    /** Null: this was all. */
    readonly next: ReplayPosition | null;
  }>;
  /**
   * Has events kept in partitions of so many days from the day after tomorrow on. For the owner of the
   * tables; once begun, to be ended or taken back within that time, which it does itself.
   */
  partitionEvents(params: { readonly days: number }): Promise<'done' | 'already' | 'unsupported'>;
  /**
   * Creates the partitions that are needed soon, and drops those whose executions are all removed.
   * From older partitions with remaining executions it deletes removed events (null: from none), or
   * rewrites the partition if only little stays in it. Does nothing without partitions.
   */
  tendPartitions(params: {
    readonly sweepAfterMs: number | null;
    readonly shrinkBytesMin?: number;
  }): Promise<PartitionRound>;
  /** In the order of time; none where there are none. */
  listPartitions(): Promise<readonly EventPartition[]>;
  /** The size of these executions on disk, without the overhead of indexes. */
  measure(executionIds: readonly ExecutionId[]): Promise<readonly MeasuredExecution[]>;
}

export interface EventPartition {
  readonly name: string;
  /** Executions begun then have their events in it; exclusive at its end. */
  readonly from: string;
  readonly to: string;
  /** The least ids of an execution in it and behind it. */
  readonly fromId: ExecutionId;
  readonly toId: ExecutionId;
  readonly bytes: number;
  /** Those that have not been removed. */
  readonly executions: number;
}

export interface MeasuredExecution {
  readonly executionId: ExecutionId;
  readonly bytes: number;
}

export interface PartitionRound {
  readonly made: number;
  readonly dropped: number;
  /** Rewritten with the few remaining rows. */
  readonly shrunk: number;
  /** Deleted from partitions in which others stay. */
  readonly sweptEvents: number;
  /** Others were using what had to be locked: the next round tries again. */
  readonly postponed: number;
}

export interface ReplayPosition {
  readonly executionId: ExecutionId;
  readonly idempotencyKey: string;
}

export interface RetentionSelection {
  readonly workflowId: string | null;
  readonly status: TerminalStatus | null;
  /**
   * Replaces every policy: executions that ended longer ago than this. Null: as the policies say.
   */
  readonly olderThanMs: number | null;
}

export interface RetentionScan extends RetentionSelection {
  readonly tenantId: TenantId;
  /** Where no policy of the database says anything. */
  readonly defaults: RetentionDays;
  /** Nothing younger can be due. */
  readonly ageMsMin: number;
  readonly after: ScanPosition | null;
  readonly limit: number;
}

export interface ScanPosition {
  readonly createdAt: string;
  readonly executionId: ExecutionId;
}

export interface ScannedExecutions {
  /** Those that may go, in the order of their creation. */
  readonly due: readonly DueExecution[];
  /** Where the next scan continues; null: the end. */
  readonly next: ScanPosition | null;
}

export interface DueExecution {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly lastSequence: number;
  readonly completedAt: string;
  /**
   * Existing executions that must be removed before it or with it: its parent, and the run that it
   * continues.
   */
  readonly behind: readonly ExecutionId[];
  /** Others may be behind this one. */
  readonly leads: boolean;
}

export interface Retiring {
  /** UUIDv7: of the entry in the audit log. */
  readonly retirementId: string;
  readonly tenantId: TenantId;
  readonly actorId: string;
  /** Fields of the entry. */
  readonly told: Readonly<Record<string, string | number | null>>;
  readonly executions: readonly {
    readonly executionId: ExecutionId;
    readonly lastSequence: number;
    /** See `RetiredExecution`. */
    readonly eventHashes: string;
  }[];
}

/** The least UUIDv7 of a moment: no execution made before it has a greater id. */
export function uuidFloor(milliseconds: number): string {
  const time = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The details of a changed policy in the audit log. */
export function toldOf({ workflowId, days }: RetentionPolicy): JsonObject {
  return {
    workflow_id: workflowId,
    completed_days: days.completed,
    failed_days: days.failed,
    cancelled_days: days.cancelled,
  };
}
