import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';

/**
 * Counts for metrics. They are read every few seconds, so their cost is bounded for any size of the
 * tables: the statement skips from group to group through an index, at most `groups` of them, and
 * in each counts at most its share of `rows`, from the index alone. Beyond that a count is a lower
 * bound.
 */
export interface ClusterReading {
  /** Every queue, also those with nothing in them. */
  readonly queues: readonly QueueReading[];
  /** Executions that have not ended. */
  readonly executions: Readonly<Record<LiveStatus, number>>;
  /** Children that wait for a place of their tenant's limit. */
  readonly waitingChildren: number;
  /** Executions that wait for a place or a token of their key, or for a newer start. */
  readonly waitingInFlow: Readonly<Record<FlowWaitKind, number>>;
  /** Items that wait for a place of a quota. */
  readonly waitingForQuota: number;
  /** By how much the oldest of what is due is late; 0: nothing is. */
  readonly lateMs: Readonly<Record<DueKind, number>>;
  /** Facts in memory, by the tier that the tenant's limits name (null: none). */
  readonly memory: readonly MemoryReading[];
}

export interface QueueReading {
  readonly queue: WorkQueue;
  /** Ready now; without inactive tenants. */
  readonly waiting: number;
  /** Since the oldest of them was put there; null: there is none. */
  readonly oldestMs: number | null;
  readonly leased: number;
}

/** As `waiting_for` of an execution says it. */
export type FlowWaitKind = 'concurrency' | 'rate' | 'debounce' | 'batch';
export type LiveStatus = Extract<ExecutionStatus, 'running' | 'paused'>;
/** Rows that become due by the clock: leases, timers, and retries. */
export type DueKind = 'lease' | 'timer' | 'retry';

export interface MemoryReading {
  readonly tier: string | null;
  readonly live: number;
  /** The most that one tenant of this tier has ever added. */
  readonly addedMax: number;
}

export interface ReadingBounds {
  /** Counted at most of live executions by status, of leases, and of what waits, the engine's apart. */
  readonly rows: number;
  /** Queues by tenant and priority, and tenants, looked at. */
  readonly groups: number;
}

/** So many times `rows` of those that wait in a line are looked at: their kinds have no index. */
export const FLOW_WAITS_SHARE = 5;
export const READING_BOUNDS: ReadingBounds = { rows: 20_000, groups: 1_000 };
/** How many of the oldest due rows are searched for one of an active tenant. */
export const DUE_LOOKED_AT_MAX = 1_000;

export const QUEUES: readonly WorkQueue[] = ['python_tool', 'java_tool', 'engine', 'function'];
