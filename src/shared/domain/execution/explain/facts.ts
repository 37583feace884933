import type { ExecutionId, WorkItemId } from '../../ids.ts';
import type { TenantStatus } from '../../tenant.ts';
import type { ClaimFilter } from '../../work/claim-filter.ts';
import type { WorkerQueue, WorkQueue } from '../../work/work-item.ts';
import type { ExecutionStatus } from '../status.ts';
import type { BlockerCode } from './blocker.ts';

/**
 * What stands around an execution, as of one moment: where its work items and timers are, and who is
 * there to move them on. Instants are ISO 8601 UTC, by the database's clock.
 */
export interface ExecutionFacts {
  readonly now: string;
  readonly status: ExecutionStatus;
  /** Of the state that these facts fit to. */
  readonly lastSequence: number;
  readonly updatedAt: string;
  readonly tenantStatus: TenantStatus;
  /** A scheduler has been asked to look at it. */
  readonly isMarked: boolean;
  readonly items: ReadonlyMap<WorkItemId, ItemPlace>;
  /** When each timer is due, by name. */
  readonly timers: ReadonlyMap<string, string>;
  /** Tool workers of the tenant, by the queue they claim from. */
  readonly workers: ReadonlyMap<WorkerQueue, Sighting>;
  /** What each of those claims that have been seen lately, while an item of the execution is queued. */
  readonly serving: readonly ServingWorker[];
  /** Processes of the runtime that have the scheduler's role. */
  readonly schedulers: Sighting;
}

/** Who has been seen lately, as `GET /workers` lists them, or holds a lease of that queue now. */
export interface Sighting {
  readonly seen: number;
  /** Null: nobody is remembered. */
  readonly lastSeenAt: string | null;
}

/** A tool worker of the tenant. */
export interface ServingWorker {
  readonly queueTypes: readonly string[];
  readonly filter: ClaimFilter;
}

/** Of so many it is told what they claim. */
export const SERVING_MAX = 1_000;

export const NOBODY: Sighting = { seen: 0, lastSeenAt: null };

/** Where a work item is; one that is nowhere is not in the map. */
export type ItemPlace =
  | {
      readonly is: 'queued';
      readonly queue: WorkQueue;
      readonly attempt: number;
      /** Null: of the engine. */
      readonly tool: string | null;
      /** Absent: the default queue. */
      readonly queueName?: string;
      readonly enqueuedAt: string;
      /** Null: may wait for ever. */
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
      /** Last sign of life of the holder; null: none is remembered. */
      readonly holderSeenAt: string | null;
    }
  | {
      readonly is: 'retrying';
      readonly queue: WorkQueue;
      readonly attempt: number;
      readonly dueAt: string;
    }
  /** Kept back for as long as its execution is paused. */
  | { readonly is: 'held'; readonly queue: WorkQueue; readonly attempt: number }
  | {
      readonly is: 'dead_lettered';
      readonly queue: WorkQueue;
      readonly attempt: number;
      readonly error: string;
      readonly deadLetteredAt: string;
    };

/** A child that has not begun, because its tenant has no place for it. */
export interface PlaceFacts {
  readonly since: string;
  /** Children that wait longer. */
  readonly ahead: number;
  /** The tenant's limit; null: there is none any more. */
  readonly placesMax: number | null;
}

/** What is known of a child execution, or of the run that has gone on from it. */
export interface ChildFacts {
  readonly executionId: ExecutionId;
  readonly status: ExecutionStatus;
  readonly completedAt: string | null;
  /** Of its own first blocker. */
  readonly code: BlockerCode | null;
}
