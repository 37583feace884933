import type { SealableItem } from '../domain/audit/seal.ts';
import type { TerminalStatus } from '../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { RetentionDays, RetentionPolicy } from '../domain/retention/retention-policy.ts';

/**
 * Executions that ended long ago, and their removal. How long is up to the policies; what must never
 * go, whoever asks, is up to the store: an execution stays as long as it is live or ended less than a
 * day ago, has a live child, its parent, the run before it or the execution that it tries again is
 * there, a timer or a message to a webhook of it is under way, or one of its events is not sealed yet.
 */
export interface RetentionStore {
  /** In the order of tenants and workflows, those of whole tenants first. */
  listPolicies(params: {
    /** Null: of all. */
    readonly tenantId: TenantId | null;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly RetentionPolicy[]>;
  /** Makes it or takes the place of the one there is. */
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
   * nothing: false, when one of them may not go, or is not there any more.
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
   * Makes the partitions that are soon needed and drops those whose executions are all removed. From
   * those that ended so long ago and in which others stay (null: from none), removed events are
   * deleted; one that is so much larger than what little stays in it is written anew instead. Does
   * nothing where there are no partitions.
   */
  tendPartitions(params: {
    readonly sweepAfterMs: number | null;
    readonly shrinkBytesMin?: number;
  }): Promise<PartitionRound>;
  /** In the order of time; none where there are none. */
  listPartitions(): Promise<readonly EventPartition[]>;
  /** What these executions take of the disk, without what indexes have beyond their entries. */
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
  /** Written anew with what little stayed. */
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
  /** Takes the place of every policy: what ended longer ago than this. Null: as the policies say. */
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
  /** Where the next scan goes on; null: this was all. */
  readonly next: ScanPosition | null;
}

export interface DueExecution {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly lastSequence: number;
  readonly completedAt: string;
  /** What must go before it or with it, as far as it is there: its parent, and what it goes on from. */
  readonly behind: readonly ExecutionId[];
  /** Others may be behind this one. */
  readonly leads: boolean;
}

export interface Retiring {
  /** UUIDv7: of the entry in the audit log. */
  readonly retirementId: string;
  readonly tenantId: TenantId;
  readonly actorId: string;
  /** Of the entry. */
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

/** What the audit log says of a policy that was set. */
export function toldOf({ workflowId, days }: RetentionPolicy): JsonObject {
  return {
    workflow_id: workflowId,
    completed_days: days.completed,
    failed_days: days.failed,
    cancelled_days: days.cancelled,
  };
}
