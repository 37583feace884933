import type { ExecutionCriteria } from '../../domain/execution/query/criteria.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue, WorkerQueue } from '../../domain/work/work-item.ts';
import type { GroupedFailures, GroupingOfFailures } from './failures.ts';

/** Readings of all the work of a tenant, for people. Each reads a bounded number of rows. */
export interface WorkOverviewStore {
  /** Items that wait and items that are out, by queue and tool; at most `rowsMax` of each count. */
  readQueues(params: {
    readonly tenantId: TenantId;
    readonly rowsMax: number;
  }): Promise<QueueDepths>;
  /** By the ids of execution and item, so that items claimed while one reads on do not move the list. */
  listLeases(params: ListLeases): Promise<LeasePage>;
  /** The latest dead letters of the executions that fit, from a bounded part of the list, in groups of alike ones. */
  groupFailedItems(params: GroupFailedItems): Promise<GroupedFailures>;
}

export interface QueueDepths {
  readonly queues: readonly QueueDepth[];
  /** False: there is more than was counted. */
  readonly isExact: boolean;
}

export interface QueueDepth {
  readonly queue: WorkerQueue;
  /** Null: the default queue. */
  readonly queueName: string | null;
  readonly tool: string;
  readonly waiting: number;
  readonly oldestAt: string | null;
  readonly leased: number;
  /** Dead letters of the last hour. */
  readonly failed: number;
}

export interface ListLeases {
  readonly tenantId: TenantId;
  readonly limit: number;
  /** Null: of any worker. */
  readonly workerId: string | null;
  /** Only those after this one. */
  readonly after: LeasePlace | null;
  /** Looks through the leases of so many items, of any tenant, and of the executions that they end in. */
  readonly within: number;
}

export interface LeasePlace {
  readonly executionId: ExecutionId;
  readonly workItemId: WorkItemId;
}

export interface LeasePage {
  readonly leases: readonly HeldLease[];
  /** Null on the last page. A page before it may have fewer leases than its limit, or none. */
  readonly next: LeasePlace | null;
}

/** After every item of an execution. */
export const LAST_ITEM = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as WorkItemId;

export interface HeldLease {
  readonly workItemId: WorkItemId;
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly queue: WorkQueue;
  readonly queueName: string | null;
  /** Null: the engine's own work. */
  readonly tool: string | null;
  readonly workerId: string;
  readonly claimedAt: string;
  readonly expiresAt: string;
  readonly deadlineAt: string | null;
}

export interface GroupFailedItems {
  readonly tenantId: TenantId;
  /** Their executions fit them; criteria on errors are compared with the error of the item. */
  readonly criteria: ExecutionCriteria;
  /** ISO instants of the dead letters: inclusive and exclusive. Null: until now. */
  readonly since: string;
  readonly before: string | null;
  readonly limit: number;
  /** How many dead letters are looked through at most; half as many, where each costs a search. */
  readonly within: number;
  readonly grouping: GroupingOfFailures;
}

/** How far back `QueueDepth.failed` counts. */
export const FAILED_WITHIN_MS = 60 * 60 * 1_000;
