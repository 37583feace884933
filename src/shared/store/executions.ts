import type { RecordedEvent } from '../domain/execution/event.ts';
import type {
  DocumentHead,
  ExecutionDocument,
} from '../domain/execution/document/execution-document.ts';
import type { Labels } from '../domain/execution/labels/labels.ts';
import type { ExecutionCriteria } from '../domain/execution/query/criteria.ts';
import type { ExecutionStatus } from '../domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId } from '../domain/ids.ts';
import type { StandingPause } from '../domain/workflow/workflow-pause.ts';
import type { CommitPlan, CommitVerdict, ModelUse } from './commit.ts';
import type { GroupedFailures, GroupingOfFailures } from './readings/failures.ts';

export interface ExecutionStore {
  /** One transaction. Verdicts in the order of the plans. See `CommitPlan`. */
  commit(plans: readonly CommitPlan[]): Promise<readonly CommitVerdict[]>;
  /** Calls for no tenant that are made together are one statement. */
  find(id: ExecutionId, tenantId: TenantId | null): Promise<ExecutionRow | null>;
  /** Whether it has ended; false as well when it is unknown. Calls made together are one statement. */
  hasEnded(id: ExecutionId): Promise<boolean>;
  /** Snapshot and the events after it, as one consistent reading; null when unknown. */
  load(id: ExecutionId, tenantId: TenantId | null): Promise<LoadedExecution | null>;
  /** All there is of it, as one consistent reading; null when unknown. */
  document(id: ExecutionId, tenantId: TenantId | null): Promise<ExecutionDocument | null>;
  /** The same without the events, which may be many. */
  documentHead(id: ExecutionId, tenantId: TenantId | null): Promise<DocumentHead | null>;
  /** Events with `after < sequence`, in order, at most `limit` of them (null: all). */
  events(range: EventsAfter): Promise<readonly RecordedEvent[]>;
  /** The same in either order, of some kinds; walks no more than the events of one execution. */
  eventsBetween(range: EventsBetween): Promise<readonly RecordedEvent[]>;
  /** The model usage of the execution first, then of its parent, and so on upwards. */
  usage(id: ExecutionId): Promise<readonly UsageRow[]>;
  /** Newest first by creation. */
  list(params: ListExecutions): Promise<readonly ListedRow[]>;
  /** One execution that has not ended and that one of these has started; null: there is none. */
  findLiveChild(of: LiveChildOf): Promise<ExecutionId | null>;
  /** The executions of one workflow, last updated first; an end counts as an update. */
  listUpdated(params: ListUpdated): Promise<UpdatedPage>;
}

export interface LiveChildOf {
  readonly tenantId: TenantId;
  readonly parents: readonly ExecutionId[];
}

export interface EventsAfter {
  readonly executionId: ExecutionId;
  readonly after: number;
  readonly limit: number | null;
}

export interface EventsBetween extends EventsAfter {
  /** Only events with a smaller sequence; null: no bound. */
  readonly before: number | null;
  /** Null: all kinds. */
  readonly kinds: readonly string[] | null;
  readonly order: 'asc' | 'desc';
}

export interface ExecutionRow {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly parentExecutionId: ExecutionId | null;
  readonly status: ExecutionStatus;
  readonly lastSequence: number;
  readonly shard: number;
  readonly priority: number;
  readonly error: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
}

/** An execution in a list. */
export interface ListedRow extends ExecutionRow {
  /** Null: it has not failed, or that is not known, as of executions that were imported. */
  readonly errorClass: string | null;
  /** The node that failed; null as well if none did. */
  readonly errorNodeId: string | null;
  readonly labels: Labels;
  /** Null: it has begun, or has ended. */
  readonly waitingFor: ListedWait | null;
}

/** The wait of an execution that has not begun. */
export interface ListedWait {
  /**
   * `concurrency`: a place of its key · `rate`: a token of its key ·
   * `debounce`: whether another start of its key comes · `batch`: others of its batch · `max_concurrent_executions`: a place of its tenant ·
   * `start_after`: its time.
   */
  readonly kind:
    'concurrency' | 'rate' | 'debounce' | 'batch' | 'max_concurrent_executions' | 'start_after';
  /** See `placeKeyOf` and `lineKeyOf`; null except with `concurrency`, `rate`, `debounce` and `batch`. */
  readonly placeKey: string | null;
  /** ISO instant. */
  readonly since: string;
  /** ISO instant; absent: not known. */
  readonly until?: string;
}

/** Use by an execution's own calls and those of its descendants. */
export interface UsageRow extends ModelUse {
  readonly executionId: ExecutionId;
  readonly definitionId: DefinitionId;
}

export interface LoadedExecution {
  readonly row: ExecutionRow;
  readonly snapshot: { readonly sequence: number; readonly body: string } | null;
  readonly events: readonly RecordedEvent[];
  /** Its workflow's, as of the reading; null: none stands. */
  readonly workflowPause: StandingPause | null;
}

export interface ListExecutions {
  readonly tenantId: TenantId;
  readonly status: ExecutionStatus | null;
  readonly workflowId: string | null;
  /** Absent: all. */
  readonly parentExecutionId?: ExecutionId | null;
  /** ISO instants; inclusive and exclusive. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
  /** Only executions older than this one (keyset paging). */
  readonly cursor: { readonly createdAt: string; readonly executionId: ExecutionId } | null;
  readonly limit: number;
  readonly offset: number;
}

export interface ListUpdated {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: ExecutionStatus | null;
  /** The context of the A2A message that began it, or its own id where that names none. */
  readonly contextId: string | null;
  /** ISO instant, inclusive. */
  readonly updatedAfter: string | null;
  /** Only those updated before this one (keyset paging). */
  readonly cursor: { readonly updatedAt: string; readonly executionId: ExecutionId } | null;
  readonly limit: number;
  /** Only so many, the newest by creation, are looked through. */
  readonly within: number;
}

export interface UpdatedPage {
  readonly rows: readonly ExecutionRow[];
  /** How many there are on all pages. */
  readonly total: number;
}

/*
 * Readings of executions by criteria that may be in no index. Each looks through a bounded number of
 * executions. Criteria on errors fit no execution of a workflow with a data policy: the policy
 * may hide what the error says, and a search would tell.
 */
export interface ExecutionSearch {
  /** Newest first by creation. */
  search(params: SearchExecutions): Promise<SearchPage>;
  /** Failed executions that a search finds first, in groups of alike ones. */
  groupFailed(params: GroupFailedExecutions): Promise<GroupedFailures>;
  count(params: CountExecutions): Promise<ExecutionCounts>;
}

export type ExecutionPlace = NonNullable<ListExecutions['cursor']>;

export interface SearchExecutions {
  readonly tenantId: TenantId;
  readonly criteria: ExecutionCriteria;
  /** Only executions older than this one (keyset paging). */
  readonly cursor: ExecutionPlace | null;
  readonly limit: number;
  /** How many executions are looked through at most; of a label, half as many. */
  readonly within: number;
}

export interface SearchPage {
  readonly rows: readonly ListedRow[];
  /** Where the next page begins, even if no row of this one fitted; null: this is the last page. */
  readonly next: ExecutionPlace | null;
}

export interface GroupFailedExecutions extends Omit<SearchExecutions, 'cursor'> {
  readonly grouping: GroupingOfFailures;
}

export interface CountExecutions {
  readonly tenantId: TenantId;
  readonly criteria: ExecutionCriteria;
  /** Only so many, the newest, are looked through. */
  readonly within: CountBounds;
  /** The values that are counted beside, of the same executions; null: none. */
  readonly by: CountedBy | null;
  /** ISO instants of the histogram: inclusive and exclusive. Null: from the oldest that fits. */
  readonly from: string | null;
  readonly to: string;
  readonly buckets: number;
}

export interface CountBounds {
  /** With conditions on the status and the start alone: entries of an index tell them. */
  readonly entries: number;
  /** With any other condition, or groups: each execution is read. A label halves it, in either. */
  readonly rows: number;
}

export interface CountedBy {
  readonly key: GroupKey;
  /** At most so many values. */
  readonly limit: number;
}

/** The field or the label whose value the executions of a group share. */
export type GroupKey =
  | { readonly field: 'status' | 'workflow' | 'version' }
  | { readonly field: 'labels'; readonly label: string };

export interface CountedValue {
  /** Null: the executions without the label. */
  readonly value: string | null;
  readonly count: number;
}

export interface ExecutionCounts {
  /** Only those that are not 0. */
  readonly groups: readonly CountedGroup[];
  /** Those of the most executions first, equal ones by value. Empty without `by`. */
  readonly values: readonly CountedValue[];
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
