import { hashJson } from '../../domain/canonical-json.ts';
import type { ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { FailedItem } from '../../store/readings/work-overview.ts';
import { normaliseError } from './normalise-error.ts';

const MEMBERS_MAX = 50;

/** A failure as its reader may see it. */
export interface Failure {
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly error: string;
  /** ISO instant. */
  readonly failedAt: string;
  /** Null: the execution failed. */
  readonly item: Pick<FailedItem, 'workItemId' | 'nodeId' | 'tool' | 'queue' | 'isLive'> | null;
}

/** Failures of one cause, in one place. */
export interface FailureGroup {
  readonly id: string;
  readonly kind: 'work_item' | 'execution';
  /** The message without numbers, ids and quoted values. */
  readonly cause: string;
  readonly workflowId: string;
  readonly nodeId: string | null;
  readonly tool: string | null;
  readonly queue: WorkQueue | null;
  readonly count: number;
  /** How many belong to executions that have not ended. */
  readonly live: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** The latest ones. */
  readonly members: readonly FailureMember[];
}

interface FailureMember {
  readonly executionId: ExecutionId;
  readonly workItemId: WorkItemId | null;
  readonly error: string;
  readonly failedAt: string;
  readonly isLive: boolean;
}

/** The largest group first. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
  const latestFirst = failures.toSorted((one, other) => compare(other.failedAt, one.failedAt));
  const groups = new Map<string, FailureGroup>();
  for (const failure of latestFirst) {
    const place = placeOf(failure);
    const id = hashJson(place).slice(0, 16);
    groups.set(id, addTo(groups.get(id) ?? { ...place, id, ...EMPTY }, failure));
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

const EMPTY = { count: 0, live: 0, firstAt: '', lastAt: '', members: [] } as const;

function placeOf({ item, workflowId, error }: Failure) {
  return {
    kind: item === null ? ('execution' as const) : ('work_item' as const),
    cause: normaliseError(error),
    workflowId,
    nodeId: item?.nodeId ?? null,
    tool: item?.tool ?? null,
    queue: item?.queue ?? null,
  };
}

/** Failures come latest first. */
function addTo(group: FailureGroup, failure: Failure): FailureGroup {
  const { executionId, error, failedAt, item } = failure;
  const isLive = item?.isLive ?? false;
  const member = { executionId, workItemId: item?.workItemId ?? null, error, failedAt, isLive };
  return {
    ...group,
    count: group.count + 1,
    live: group.live + (isLive ? 1 : 0),
    firstAt: failedAt,
    lastAt: group.count === 0 ? failedAt : group.lastAt,
    members: group.members.length < MEMBERS_MAX ? [...group.members, member] : group.members,
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
