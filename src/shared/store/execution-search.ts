import type { ExecutionCriteria } from '../domain/execution/query/criteria.ts';
import type { ExecutionStatus } from '../domain/execution/status.ts';
import type { TenantId } from '../domain/ids.ts';
import type { ExecutionRow, ListExecutions } from './executions.ts';

/*
 * Readings of executions by criteria that may be in no index. Each looks through a bounded number of
 * executions. A criterion on errors fits no execution of a workflow with a data policy: the policy
 * may hide what the error says, and a search would tell.
 */
export interface ExecutionSearch {
  /** Newest first by creation. */
  search(params: SearchExecutions): Promise<SearchPage>;
  count(params: CountExecutions): Promise<ExecutionCounts>;
}

export type ExecutionPlace = NonNullable<ListExecutions['cursor']>;

export interface SearchExecutions {
  readonly tenantId: TenantId;
  readonly criteria: ExecutionCriteria;
  /** Only executions older than this one (keyset paging). */
  readonly cursor: ExecutionPlace | null;
  readonly limit: number;
  /** How many executions are looked through at most. */
  readonly within: number;
}

export interface SearchPage {
  readonly rows: readonly ExecutionRow[];
  /** Where the next page begins, even if no row of this one fitted; null: this is the last page. */
  readonly next: ExecutionPlace | null;
}

export interface CountExecutions {
  readonly tenantId: TenantId;
  readonly criteria: ExecutionCriteria;
  /** Only so many, the newest, are looked through. */
  readonly within: number;
  /** ISO instants of the histogram: inclusive and exclusive. Null: from the oldest that fits. */
  readonly from: string | null;
  readonly to: string;
  readonly buckets: number;
}

export interface ExecutionCounts {
  /** Only those that are not 0. */
  readonly groups: readonly CountedGroup[];
  /** The beginning of the first bucket; null: nothing fits, and no beginning was given. */
  readonly from: string | null;
  /** False: there were more executions to look through. */
  readonly isExact: boolean;
}

export interface CountedGroup {
  /** From 0; executions beyond the ends are in the first and the last one. */
  readonly bucket: number;
  readonly status: ExecutionStatus;
  readonly count: number;
}
