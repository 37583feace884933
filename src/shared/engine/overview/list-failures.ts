import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { gatherCriteria } from '../../domain/execution/query/criteria.ts';
import type { Condition } from '../../domain/execution/query/condition.ts';
import type { DefinitionId, TenantId } from '../../domain/ids.ts';
import { takePage } from '../../store/rows/take-page.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { redactError } from '../executions/redact-view.ts';
import { compareGroups, type Failure, type FailureGroup, groupFailures } from './group-failures.ts';

/** How many of each kind are read: the latest. */
const ROWS_MAX = 2_000;
/** So many of each kind are looked through at most, for those that fit. */
const SCANNED_MAX = 20_000;

export interface FailuresQuery {
  /** How far back. */
  readonly withinMs: number;
  /** Null: of all workflows. */
  readonly workflowId: string | null;
  /** Executions fit them; a condition on errors is compared with the error of the failure. */
  readonly conditions: readonly Condition[];
  readonly cursor: GroupPlace | null;
  readonly limit: number;
}

/** Where a page ended, in the order of the groups. */
export interface GroupPlace {
  /** ISO instant of the first page. Later failures count on no page after it. */
  readonly at: string;
  readonly count: number;
  readonly id: string;
}

export interface FailuresPage {
  /** ISO instant: how far back. */
  readonly since: string;
  readonly groups: readonly FailureGroup[];
  /** Null on the last page. */
  readonly next: GroupPlace | null;
  /** False: there were more failures than were read, so that counts are lower bounds. */
  readonly isExact: boolean;
}

interface Window {
  readonly tenantId: TenantId;
  readonly conditions: readonly Condition[];
  readonly since: string;
  /** Milliseconds of the clock that executions are stored by. */
  readonly now: number;
  /** Exclusive; null: until now. */
  readonly before: string | null;
}

interface Read {
  readonly failures: readonly Failure[];
  readonly isExact: boolean;
}

/**
 * A page of the failures of the last time by cause, the largest group first. Each page reads and
 * groups the failures again, up to the instant of the first page: so no group is left out, and one
 * that has become smaller may come twice.
 */
export async function listFailures(
  deps: EngineDeps,
  { tenantId }: Reader,
  { withinMs, workflowId, conditions: own, cursor, limit }: FailuresQuery,
): Promise<FailuresPage> {
  const at = cursor?.at ?? (await deps.store.diagnosis.clock());
  const now = Date.parse(at);
  const since = new Date(now - withinMs).toISOString();
  const before = cursor === null ? null : new Date(now + 1).toISOString();
  const ofWorkflow: readonly Condition[] =
    workflowId === null ? [] : [{ field: 'workflow', operator: 'in', values: [workflowId] }];
  const window = { tenantId, conditions: [...ofWorkflow, ...own], since, now, before };
  const read = await Promise.all([readItems(deps, window), readExecutions(deps, window)]);
  const groups = groupFailures(read.flatMap(({ failures }) => failures));
  const left =
    cursor === null ? groups : groups.filter((group) => compareGroups(group, cursor) > 0);
  const { rows: page, last } = takePage(left, limit);
  return {
    since,
    groups: page,
    next: last === undefined ? null : { at, count: last.count, id: last.id },
    isExact: read.every(({ isExact }) => isExact),
  };
}

async function readItems(deps: EngineDeps, window: Window): Promise<Read> {
  const { tenantId, conditions, since, before, now } = window;
  const { items, isExact } = await deps.store.workOverview.listFailedItems({
    tenantId,
    criteria: gatherCriteria(conditions, now),
    since,
    before,
    limit: ROWS_MAX,
    within: SCANNED_MAX,
  });
  const plans = await readPlans(deps, items);
  const failures = items.map((item) => ({
    executionId: item.executionId,
    workflowId: item.workflowId,
    ...showError(deps, plans, item),
    failedAt: item.failedAt,
    item,
  }));
  return { failures, isExact };
}

/** They are found by their beginning, as no index has their end. */
async function readExecutions(deps: EngineDeps, window: Window): Promise<Read> {
  const { tenantId, conditions, since, before, now } = window;
  const failed: Condition[] = [
    { field: 'status', operator: 'in', values: ['failed'] },
    { field: 'started', operator: '>=', at: { instant: since } },
  ];
  if (before !== null) failed.push({ field: 'ended', operator: '<', at: { instant: before } });
  const criteria = gatherCriteria([...failed, ...conditions], now);
  // A query for executions of another status would look through them for nothing.
  if (criteria.statuses?.length === 0) return { failures: [], isExact: true };
  const { rows, next } = await deps.store.executionSearch.listFailed({
    tenantId,
    criteria,
    cursor: null,
    limit: ROWS_MAX,
    within: SCANNED_MAX,
  });
  const plans = await readPlans(deps, rows);
  const failures = rows.map((row) => ({
    executionId: row.executionId,
    workflowId: row.workflowId,
    ...showError(deps, plans, { ...row, nodeId: null }),
    failedAt: row.failedAt,
    item: null,
  }));
  return { failures, isExact: next === null };
}

type Plans = ReadonlyMap<DefinitionId, Plan>;

/** Few definitions have all the failures. */
async function readPlans(
  deps: EngineDeps,
  rows: readonly { readonly definitionId: DefinitionId }[],
): Promise<Plans> {
  const ids = [...new Set(rows.map(({ definitionId }) => definitionId))];
  const read = ids.map(async (id) => [id, (await deps.definitions.get(id)).plan] as const);
  return new Map(await Promise.all(read));
}

function showError(
  { pseudonym }: EngineDeps,
  plans: Plans,
  failure: {
    readonly definitionId: DefinitionId;
    readonly error: string;
    readonly causeKey: number | null;
    readonly nodeId: string | null;
  },
): Pick<Failure, 'error' | 'causeKey'> {
  const { definitionId, nodeId } = failure;
  const plan = plans.get(definitionId);
  if (plan === undefined) throw new Error(`the plan of ${definitionId} was not read`);
  const error = redactError(failure.error, { plan, nodeId, pseudonym });
  return { error, causeKey: error === failure.error ? failure.causeKey : null };
}
