import type { ExecutionId, TenantId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { ScheduleTiming } from './timing.ts';

/**
 * How to treat a fire while the last execution of the schedule is live: drop it (`skip`), let it
 * wait for that execution's end, one at most (`queue`), start it anyway (`allow`), or cancel that
 * execution first (`cancel_previous`).
 */
export const OVERLAP_POLICIES = ['skip', 'queue', 'allow', 'cancel_previous'] as const;

export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** The settings of a schedule's author. */
export interface ScheduleSpec extends ScheduleTiming {
  readonly workflowId: string;
  /** Null: the version registered last, at each fire. */
  readonly workflowVersion: string | null;
  readonly input: JsonObject;
  readonly overlapPolicy: OverlapPolicy;
  /** A fire later than this is given up. */
  readonly catchupWindowSecs: number;
  readonly paused: boolean;
}

/** Where a schedule is. Instants are ISO 8601. */
export interface SchedulePosition {
  /** The first fire that nothing has been decided about; null: paused, or there is none any more. */
  readonly nextFireAt: string | null;
  /** The fire that waits for the end of the execution before it. */
  readonly waitingFireAt: string | null;
  /** The fire whose execution is being started: decided, and not known to be done. */
  readonly startingFireAt: string | null;
  /** Fires in a row that came late, this far. */
  readonly lateFires: number;
}

/** Counts of fires, by their outcome. */
export interface FireCounts {
  readonly started: number;
  /** Given up because an execution was live. */
  readonly skipped: number;
  /** Too late when they could be looked at. */
  readonly missed: number;
  /** Could not be started: see `lastError`. */
  readonly failed: number;
}

export interface Schedule extends ScheduleSpec {
  readonly scheduleId: string;
  readonly tenantId: TenantId;
  /** Unique in the tenant, and kept. */
  readonly name: string;
  readonly position: SchedulePosition;
  readonly counts: FireCounts;
  readonly lastFireAt: string | null;
  readonly lastExecutionId: ExecutionId | null;
  /** Why the last fire that was due to start failed; null: it started. */
  readonly lastError: string | null;
  /** Counts the changes by its author, from 1. */
  readonly revision: number;
  /** Counts all changes: what a change is decided on. */
  readonly turn: number;
  /** When somebody must look at it; null: never. */
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const CATCHUP_WINDOW_SECS_DEFAULT = 60;
export const CATCHUP_WINDOW_SECS_MAX = 31 * 24 * 3_600;
export const NEXT_FIRES_SHOWN = 10;
