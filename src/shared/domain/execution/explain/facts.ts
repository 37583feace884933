import type { ExecutionId, WorkItemId } from '../../ids.ts';
import type { TenantStatus } from '../../tenant.ts';
import type { ClaimFilter } from '../../work/claim-filter.ts';
import type { FairShare } from '../../work/fair-queue.ts';
import type { Quota } from '../../work/quota.ts';
import type { WorkerQueue, WorkQueue } from '../../work/work-item.ts';
import type { ExecutionStatus } from '../status.ts';
import type { BlockerCode } from './blocker.ts';

/**
 * The surroundings of an execution at one moment: where its work items and timers are, and which
 * processes and workers can move them. Instants are ISO 8601 UTC, by the database's clock.
 */
export interface ExecutionFacts {
  readonly now: string;
  readonly status: ExecutionStatus;
  /** Sequence of the state that these facts belong to. */
  readonly lastSequence: number;
  readonly updatedAt: string;
  readonly tenantStatus: TenantStatus;
  /** It is marked for a scheduler. */
  readonly isMarked: boolean;
  readonly items: ReadonlyMap<WorkItemId, ItemPlace>;
  /** When each timer is due, by name. */
  readonly timers: ReadonlyMap<string, string>;
  /** Tool workers of the tenant, by the queue they claim from. */
  readonly workers: ReadonlyMap<WorkerQueue, LastSeen>;
  /** The claims of each worker seen lately; read only while an item of the execution is queued. */
  readonly serving: readonly ServingWorker[];
  /** Processes of the runtime with the scheduler role. */
  readonly schedulers: LastSeen;
}

/** How many were seen lately, as `GET /workers` lists them, or hold a lease of that queue now. */
export interface LastSeen {
  readonly seen: number;
  /** Null: none is recorded. */
  readonly lastSeenAt: string | null;
}

/** A tool worker of the tenant. */
export interface ServingWorker {
  readonly queueTypes: readonly string[];
  readonly filter: ClaimFilter;
}

/** The most workers whose claims are read. */
export const SERVING_MAX = 1_000;

export const NOBODY: LastSeen = { seen: 0, lastSeenAt: null };

/** Where a work item is; the map has no entry for an item without a place. */
export type ItemPlace =
  | {
      readonly is: 'queued';
      readonly queue: WorkQueue;
      readonly attempt: number;
      /** Null: of the engine. */
      readonly tool: string | null;
      /** Absent: the default queue. */
      readonly queueName?: string;
      /** Absent: it has no key of fairness. Null: a data policy hides the key. */
      readonly share?: FairShare | null;
      /** It waits for a place or a token of this quota; absent: for a worker alone. */
      readonly quota?: Quota;
      readonly enqueuedAt: string;
      /** Null: no limit. */
      readonly startBefore: string | null;
      /** From 1, in the order in which items are handed out; null: not counted. */
      readonly position: number | null;
    }
  | {
      readonly is: 'leased';
      readonly queue: WorkQueue;
      readonly attempt: number;
      readonly workerId: string;
      readonly leaseFence: number;
      readonly claimedAt: string;
      readonly expiresAt: string;
      /** Last heartbeat of the holder; null: none is recorded. */
      readonly holderSeenAt: string | null;
    }
  | {
      readonly is: 'retrying';
      readonly queue: WorkQueue;
      readonly attempt: number;
      readonly dueAt: string;
    }
  /** Held while its execution is paused. */
  | { readonly is: 'held'; readonly queue: WorkQueue; readonly attempt: number }
  | {
      readonly is: 'dead_lettered';
      readonly queue: WorkQueue;
      readonly attempt: number;
      readonly error: string;
      readonly deadLetteredAt: string;
    };

/** No further than this is it counted who waits longer. */
export const AHEAD_EXPLAINED_MAX = 100_000;

/** A child that has not begun, because its tenant's limit is reached. */
export interface PlaceFacts {
  readonly since: string;
  /** The number of children that have waited longer, counted to `AHEAD_EXPLAINED_MAX`. */
  readonly ahead: number;
  /** The tenant's limit; null: no longer set. */
  readonly placesMax: number | null;
}

/** An execution that has not begun, because the places of its key are taken. */
export interface FlowFacts {
  readonly placeKey: string;
  /** Null: it needs no place. */
  readonly placesMax: number | null;
  /** It needs a token of a rate. */
  readonly isPaced: boolean;
  /** When it begins, unless a newer start displaces it, or its batch closes; null: neither. */
  readonly dueAt: string | null;
  /** The starts of its batch, of `placesMax` at most; null: it gathers in none. */
  readonly batch: { readonly size: number } | null;
  readonly since: string;
  /** The number of executions that have waited longer, counted to `AHEAD_EXPLAINED_MAX`. */
  readonly ahead: number;
  /** Some of those that have the places. */
  readonly holders: readonly ExecutionId[];
}

/** Facts about a child execution, or about the run that continued it. */
export interface ChildFacts {
  readonly executionId: ExecutionId;
  readonly status: ExecutionStatus;
  readonly completedAt: string | null;
  /** Code of its own first blocker. */
  readonly code: BlockerCode | null;
}
