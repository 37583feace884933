import type { Search } from '../../app/search.ts';
import { parseQuery } from '../../../../src/shared/domain/execution/query/parse-query.ts';
import type { QueryProblem } from '../../../../src/shared/domain/execution/query/problem.ts';
import type { QueryOf } from '../../api/client.ts';

export const STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

/** The filters of the list, as the page's address carries them. */
export interface Filter {
  /** The query as it was typed; the list keeps to it only while it has no problem. */
  readonly query: string;
  readonly problems: readonly QueryProblem[];
  readonly status: Status | null;
  /** The id of an execution: only its children. */
  readonly parent: string | null;
  /** ISO instants of the start: inclusive and exclusive. */
  readonly from: string | null;
  readonly before: string | null;
}

/** Parameters that the list, the counts and bulk actions share. */
export type FilterParameters = Pick<
  QueryOf<'count-executions'>,
  'q' | 'status' | 'parent_execution_id' | 'created_after' | 'created_before'
>;

export function readFilter(search: Search): Filter {
  const query = search['q'] ?? '';
  return {
    query,
    problems: parseQuery(query).problems ?? [],
    status: STATUSES.find((status) => status === search['status']) ?? null,
    parent: search['parent'] ?? null,
    from: readInstant(search['from']),
    before: readInstant(search['before']),
  };
}

/** The parameters of requests; a query with problems is left to the field that shows them. */
export function parametersOf(filter: Filter): FilterParameters {
  const { query, problems, status, parent, from, before } = filter;
  return {
    ...(query.trim() !== '' && problems.length === 0 && { q: query }),
    ...(status !== null && { status }),
    ...(parent !== null && { parent_execution_id: parent }),
    ...(from !== null && { created_after: from }),
    ...(before !== null && { created_before: before }),
  };
}

export function isEverything(filter: Filter): boolean {
  const { query, status, parent, from, before } = filter;
  return query.trim() === '' && [status, parent, from, before].every((part) => part === null);
}

function readInstant(text: string | undefined): string | null {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
