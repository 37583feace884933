import { hashJson } from '../../domain/canonical-json.ts';
import type { ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { Failure } from '../../store/readings/work-overview.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { redactError } from '../executions/redact-view.ts';
import { normaliseError } from './normalise-error.ts';

/** How many of each kind are read: the latest. */
const ROWS_MAX = 2_000;
const GROUPS_MAX = 100;
const MEMBERS_MAX = 50;

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

export interface FailuresView {
  readonly groups: readonly FailureGroup[];
  /** False: there were more failures, or causes, than were read. */
  readonly isExact: boolean;
}

/** Failures since an instant by cause, the largest group first. */
export async function listFailures(
  deps: EngineDeps,
  { tenantId }: Reader,
  { since, workflowId }: { readonly since: string; readonly workflowId: string | null },
): Promise<FailuresView> {
  const rows = await deps.store.workOverview.listFailures({ tenantId, since, limit: ROWS_MAX });
  const items = rows.filter(({ item }) => item !== null).length;
  const wanted = rows.filter((row) => workflowId === null || row.workflowId === workflowId);
  const groups = new Map<string, FailureGroup>();
  for (const row of wanted) {
    const error = await showError(deps, row);
    const place = placeOf(row, normaliseError(error));
    const id = hashJson(place).slice(0, 16);
    groups.set(id, addTo(groups.get(id) ?? { ...place, id, ...EMPTY }, row, error));
  }
  const sorted = [...groups.values()].toSorted((one, other) => other.count - one.count);
  return {
    groups: sorted.slice(0, GROUPS_MAX),
    isExact: items < ROWS_MAX && rows.length - items < ROWS_MAX && sorted.length <= GROUPS_MAX,
  };
}

const EMPTY = { count: 0, live: 0, firstAt: '', lastAt: '', members: [] } as const;

async function showError(deps: EngineDeps, { definitionId, item, error }: Failure) {
  const { plan } = await deps.definitions.get(definitionId);
  return redactError(error, { plan, nodeId: item?.nodeId ?? null, pseudonym: deps.pseudonym });
}

function placeOf({ item, workflowId }: Failure, cause: string) {
  return {
    kind: item === null ? ('execution' as const) : ('work_item' as const),
    cause,
    workflowId,
    nodeId: item?.nodeId ?? null,
    tool: item?.tool ?? null,
    queue: item?.queue ?? null,
  };
}

/** Rows come latest first. */
function addTo(group: FailureGroup, row: Failure, error: string): FailureGroup {
  const { executionId, failedAt, item } = row;
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
