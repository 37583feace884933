import type { ExecutionFacts } from '../domain/execution/explain/facts.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';

/** Readings for people who want to know why something does not go on. They change nothing. */
export interface DiagnosisStore {
  /**
   * What stands around an execution, as one consistent reading; null when unknown. Items and timers
   * are looked up by id and name, so that a large execution costs no more than is asked for.
   */
  executionFacts(params: ExecutionQuestion): Promise<ExecutionFacts | null>;
}

export interface ExecutionQuestion {
  readonly executionId: ExecutionId;
  /** Null: of any tenant. */
  readonly tenantId: TenantId | null;
  readonly workItemIds: readonly WorkItemId[];
  readonly timerNames: readonly string[];
}

/** Of so many queued items of an execution it is counted how many are before them. */
export const POSITIONS_MAX = 20;
/** Counted no further: a place in a long queue is not worth a long reading. */
export const POSITION_MAX = 10_000;
