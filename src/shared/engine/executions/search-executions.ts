import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { badRequest } from '../../domain/errors.ts';
import type { Condition } from '../../domain/execution/query/condition.ts';
import { gatherCriteria } from '../../domain/execution/query/criteria.ts';
import { parseQuery } from '../../domain/execution/query/parse-query.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { ExecutionPlace } from '../../store/store.ts';
import { type ShownInList, showRows } from './list-shown.ts';

/** The parameters of a list and the conditions of a query: both narrow the list. */
export interface ExecutionFilter {
  readonly status: ExecutionStatus | null;
  readonly workflowId: string | null;
  readonly parentExecutionId: ExecutionId | null;
  /** ISO instants; inclusive and exclusive. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
  readonly conditions: readonly Condition[];
}

export interface FoundExecutions {
  readonly rows: readonly ShownInList[];
  /** Null on the last page. A page before it may have fewer rows than its limit, or none. */
  readonly next: ExecutionPlace | null;
}

/** One page looks through so many executions at most. */
const SCANNED_MAX = 15_000;

/** A page of the executions that fit, newest first, from a bounded part of the list. */
export async function searchExecutions(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: {
    readonly filter: ExecutionFilter;
    readonly cursor: ExecutionPlace | null;
    readonly limit: number;
  },
): Promise<FoundExecutions> {
  const { filter, cursor, limit } = params;
  const now = Date.parse(await deps.store.diagnosis.clock());
  const { rows, next } = await deps.store.executionSearch.search({
    tenantId,
    criteria: gatherCriteria(conditionsOf(filter), now),
    cursor,
    limit,
    within: SCANNED_MAX,
  });
  return { rows: await showRows(deps, tenantId, rows), next };
}

/** All conditions of a filter: those of its parameters first. */
export function conditionsOf(filter: ExecutionFilter): readonly Condition[] {
  const { status, workflowId, parentExecutionId, createdAfter, createdBefore } = filter;
  const conditions: Condition[] = [];
  if (status !== null) conditions.push({ field: 'status', operator: 'in', values: [status] });
  if (workflowId !== null) {
    conditions.push({ field: 'workflow', operator: 'in', values: [workflowId] });
  }
  if (parentExecutionId !== null) {
    conditions.push({ field: 'parent', operator: 'in', values: [parentExecutionId] });
  }
  if (createdAfter !== null) {
    conditions.push({ field: 'started', operator: '>=', at: { instant: createdAfter } });
  }
  if (createdBefore !== null) {
    conditions.push({ field: 'started', operator: '<', at: { instant: createdBefore } });
  }
  return [...conditions, ...filter.conditions];
}

/** The conditions of a caller's query; 400 with `problems` if it has mistakes. */
export function readQuery(name: string, query: string): readonly Condition[] {
  const { conditions, problems } = parseQuery(query);
  if (problems === null) return conditions;
  const [first] = problems;
  const detail = first && `${first.message} (at character ${first.position + 1})`;
  throw badRequest(`${name}: ${detail ?? 'this is no query'}`, {
    problems: problems.map(({ position, length, message, expected }) => ({
      position,
      length,
      message,
      expected: [...expected],
    })),
  });
}
