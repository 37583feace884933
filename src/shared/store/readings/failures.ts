import type { DefinitionId, ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';

/** How failures are grouped where they are stored, so that no reader gets each of thousands. */
export interface GroupingOfFailures {
  /** How many of each group are listed: the latest. */
  readonly members: number;
  /** Failures of these definitions are alike with equal messages alone. */
  readonly byMessage: readonly DefinitionId[];
}

export interface GroupedFailures {
  readonly groups: readonly AlikeFailures[];
  /** False: there may be more failures than were read, as so many were read as a reading may. */
  readonly isExact: boolean;
}

/** Failures of one definition in one place that have one key of their cause. */
export interface AlikeFailures {
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  /** The node of the work items, or the one that failed the executions; null: that is not known. */
  readonly nodeId: string | null;
  /** Null: executions failed. */
  readonly place: FailedPlace | null;
  /** See `FailureCause`; null: not known, so their messages are equal. */
  readonly causeKey: number | null;
  readonly count: number;
  /** How many belong to executions that have not ended. */
  readonly live: number;
  /** ISO instant of the oldest. */
  readonly firstAt: string;
  /** ISO instant of the latest, and its message. */
  readonly lastAt: string;
  readonly error: string;
  /** The latest first, at least one. They are decoded when asked for, as most groups are on no page. */
  readonly latest: () => readonly FailureMember[];
}

/** Where work items failed. */
export interface FailedPlace {
  readonly tool: string;
  readonly queue: WorkQueue;
}

export interface FailureMember {
  readonly executionId: ExecutionId;
  /** Null: the execution failed. */
  readonly workItemId: WorkItemId | null;
  readonly error: string;
  /** ISO instant. */
  readonly failedAt: string;
  /** Its execution has not ended. */
  readonly isLive: boolean;
}
