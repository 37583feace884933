import type { ExecutionId, WorkItemId } from '../../ids.ts';
import type { WorkQueue } from '../../work/work-item.ts';
import type { Failure } from '../state.ts';
import type { ExecutionStatus, TerminalStatus } from '../status.ts';

/**
 * Why an execution does not continue, most serious first: look at the first blocker. Blockers that
 * need a person come before those that pass without help, and work in progress comes last.
 */
export const BLOCKER_CODES = [
  'history_unreadable',
  'tenant_suspended',
  'workflow_paused',
  'paused_by_operator',
  'no_scheduler',
  'not_marked',
  'work_missing',
  'timer_missing',
  'dead_lettered',
  'no_worker_for_queue',
  'no_worker_for_tool',
  'no_worker_for_build',
  'runnable_not_decided',
  'budget_used_up',
  'awaiting_approval',
  'awaiting_event',
  'waiting_for_place',
  'waiting_for_quota',
  'waiting_in_queue',
  'retry_backoff_until',
  'child_end_not_told',
  'child_running',
  'timer_until',
  'lease_held_until',
  'map_items_under_way',
  'join_waiting_on',
  'advancing',
] as const;

export type BlockerCode = (typeof BLOCKER_CODES)[number];

export interface Blocker {
  readonly code: BlockerCode;
  /** Null: the execution as a whole. */
  readonly nodeId: string | null;
  readonly visit: number | null;
  /** A sentence. */
  readonly message: string;
  /** Start of the blocker; null: not known. */
  readonly since: string | null;
  /** When it passes or ends without help; null: at no set time. */
  readonly until: string | null;
  /** `until` has passed, and its consequence is not recorded yet. */
  readonly overdue: boolean;
  /** A process or worker works on it now. */
  readonly moving: boolean;
  /** The action that would unblock it. */
  readonly unblockedBy: string;
  readonly details: BlockerDetails;
}

/** The facts of the sentence, for programs; each only where it applies. */
export interface BlockerDetails {
  readonly workItemId?: WorkItemId;
  readonly queue?: WorkQueue;
  /** A named one. */
  readonly queueName?: string;
  readonly tool?: string;
  /** The build that a function is pinned to. */
  readonly buildId?: string;
  /** From 0. */
  readonly attempt?: number;
  readonly workerId?: string;
  readonly leaseFence?: number;
  /** From 1. */
  readonly position?: number;
  readonly error?: string;
  readonly correlationKey?: string;
  readonly childId?: ExecutionId;
  readonly childCode?: BlockerCode;
  readonly waitsFor?: readonly string[];
  /** Items of a map that have ended, and all of them. */
  readonly done?: number;
  readonly total?: number;
}

export interface Explanation {
  readonly status: ExecutionStatus;
  /** A process or worker works on it, or is about to. */
  readonly moving: boolean;
  /** The latest time at which something happens without help; overdue if in the past. */
  readonly nextWakeUp: string | null;
  /** How it will end once its finalizers are done. */
  readonly ending: TerminalStatus | null;
  /** Its first cause, if it will end as failed. */
  readonly failure: Failure | null;
  readonly blockers: readonly Blocker[];
  /** The number of all blockers: `blockers` is cut off. */
  readonly blockersTotal: number;
  readonly ended: EndReason | null;
}

/** Why an execution that has ended did so. */
export interface EndReason {
  readonly message: string;
  readonly at: string | null;
  readonly error: string | null;
  readonly errorClass: string | null;
  readonly nodeId: string | null;
  /** Actor of the event; null: not known. */
  readonly by: string | null;
  /** The run that continues it. */
  readonly continuedAs: ExecutionId | null;
}

/** The most blockers in an answer, and the most visits examined. */
export const BLOCKERS_MAX = 100;
export const VISITS_MAX = 1_000;

/** In the order in which they matter. */
export function orderBlockers(blockers: readonly Blocker[]): readonly Blocker[] {
  return blockers.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      (one.since ?? '').localeCompare(other.since ?? '') ||
      (one.nodeId ?? '').localeCompare(other.nodeId ?? '') ||
      (one.visit ?? 0) - (other.visit ?? 0),
  );
}

/** Overdue blockers that nobody works on come before those that merely wait. */
function rank({ code, overdue, moving }: Blocker): number {
  const place = BLOCKER_CODES.indexOf(code);
  return overdue && !moving ? Math.min(place, OVERDUE_RANK) : place;
}

const OVERDUE_RANK = BLOCKER_CODES.indexOf('runnable_not_decided');
