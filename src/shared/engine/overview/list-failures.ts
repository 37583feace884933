import { gatherCriteria } from '../../domain/execution/query/criteria.ts';
import type { Condition } from '../../domain/execution/query/condition.ts';
import type { DefinitionId, TenantId } from '../../domain/ids.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { redactError } from '../executions/redact-view.ts';
import { type Failure, type FailureGroup, groupFailures } from './group-failures.ts';

/** How many of each kind are read: the latest. */
const ROWS_MAX = 2_000;
/** So many of each kind are looked through at most, for those that fit. */
const SCANNED_MAX = 20_000;
const GROUPS_MAX = 100;

export interface FailuresView {
  /** ISO instant: how far back. */
  readonly since: string;
  readonly groups: readonly FailureGroup[];
  /** False: there were more failures, or causes, than were read. */
  readonly isExact: boolean;
}

interface Window {
  readonly tenantId: TenantId;
  readonly conditions: readonly Condition[];
  readonly since: string;
  /** Milliseconds of the clock that executions are stored by. */
  readonly now: number;
}

interface Read {
  readonly failures: readonly Failure[];
  readonly isExact: boolean;
}

/** The failures of the last time by cause, the largest group first. */
export async function listFailures(
  deps: EngineDeps,
  { tenantId }: Reader,
  { withinMs, workflowId }: { readonly withinMs: number; readonly workflowId: string | null },
): Promise<FailuresView> {
  const now = Date.parse(await deps.store.diagnosis.clock());
  const since = new Date(now - withinMs).toISOString();
  const conditions: readonly Condition[] =
    workflowId === null ? [] : [{ field: 'workflow', operator: 'in', values: [workflowId] }];
  const window = { tenantId, conditions, since, now };
  const read = await Promise.all([readItems(deps, window), readExecutions(deps, window)]);
  const groups = groupFailures(read.flatMap(({ failures }) => failures));
  return {
    since,
    groups: groups.slice(0, GROUPS_MAX),
    isExact: read.every(({ isExact }) => isExact) && groups.length <= GROUPS_MAX,
  };
}

async function readItems(deps: EngineDeps, window: Window): Promise<Read> {
  const { tenantId, conditions, since, now } = window;
  const { items, isExact } = await deps.store.workOverview.listFailedItems({
    tenantId,
    criteria: gatherCriteria(conditions, now),
    since,
    before: null,
    limit: ROWS_MAX,
    within: SCANNED_MAX,
  });
  const failures = items.map(async (item) => ({
    executionId: item.executionId,
    workflowId: item.workflowId,
    error: await showError(deps, item, item.nodeId),
    failedAt: item.failedAt,
    item,
  }));
  return { failures: await Promise.all(failures), isExact };
}

/** They are found by their beginning, as no index has their end. */
async function readExecutions(deps: EngineDeps, window: Window): Promise<Read> {
  const { tenantId, conditions, since, now } = window;
  const failed: readonly Condition[] = [
    { field: 'status', operator: 'in', values: ['failed'] },
    { field: 'started', operator: '>=', at: { instant: since } },
  ];
  const { rows, next } = await deps.store.executionSearch.search({
    tenantId,
    criteria: gatherCriteria([...failed, ...conditions], now),
    cursor: null,
    limit: ROWS_MAX,
    within: SCANNED_MAX,
  });
  const failures = rows.map(async (row) => ({
    executionId: row.executionId,
    workflowId: row.workflowId,
    error: await showError(deps, { ...row, error: row.error ?? '' }, null),
    failedAt: row.completedAt ?? row.updatedAt,
    item: null,
  }));
  return { failures: await Promise.all(failures), isExact: next === null };
}

async function showError(
  deps: EngineDeps,
  { definitionId, error }: { readonly definitionId: DefinitionId; readonly error: string },
  nodeId: string | null,
): Promise<string> {
  const { plan } = await deps.definitions.get(definitionId);
  return redactError(error, { plan, nodeId, pseudonym: deps.pseudonym });
}
