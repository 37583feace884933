import { sql } from 'slonik';
import { z } from 'zod';

import { EXECUTION_STATUSES } from '../../../domain/execution/status.ts';
import { executionIdFromUuid, type DefinitionId, type TenantId } from '../../../domain/ids.ts';
import type {
  CountExecutions,
  ExecutionCounts,
  ExecutionPlace,
  ExecutionSearch,
  SearchExecutions,
  SearchPage,
} from '../../execution-search.ts';
import { splitCriteria, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { Management } from '../connection/management.ts';
import { decodeExecution, toUuid } from '../rows.ts';
import { writeCriteria } from './write-criteria.ts';

/** Each statement is a text of its own that is planned for its values, as management does it. */
export function createExecutionSearch(management: Management): ExecutionSearch {
  return {
    search: (params) => searchExecutions(management, params),
    count: (params) => countExecutions(management, params),
  };
}

/**
 * The bound is read before the page. So the page contains all that fits up to the bound, even if
 * executions change in between.
 */
async function searchExecutions(
  management: Management,
  params: SearchExecutions,
): Promise<SearchPage> {
  const split = splitCriteria(params.criteria);
  const bound = split.residual === null ? null : await findBound(management, params, split);
  const found = await management.any(
    sql.type(ExecutionRecord)`
      select e.*
      from (
        select ${COLUMNS}
        from executions e
        where ${writeDriving(params, split)}
          and ${writePlace(sql.fragment`>=`, bound)}
        order by e.created_at desc, e.id desc
        offset 0
      ) e
      where ${split.residual === null ? sql.fragment`true` : writeCriteria(split.residual)}
      order by e.created_at desc, e.id desc
      limit ${params.limit}`,
    { tenant: params.tenantId },
  );
  const rows = found.map(decodeExecution);
  const last = rows.length === params.limit ? rows.at(-1) : undefined;
  if (last === undefined) return { rows, next: bound };
  return { rows, next: { createdAt: last.createdAt, executionId: last.executionId } };
}

/** The last execution that one page looks through; null: there are no more than that. */
async function findBound(
  management: Management,
  params: SearchExecutions,
  split: SplitCriteria,
): Promise<ExecutionPlace | null> {
  const [row] = await management.any(
    sql.type(PlaceRecord)`
      select e.created_at, e.id
      from executions e
      where ${writeDriving(params, split)}
      order by e.created_at desc, e.id desc
      offset ${params.within - 1}
      limit 1`,
    { tenant: params.tenantId },
  );
  if (row === undefined) return null;
  return { createdAt: row.created_at, executionId: executionIdFromUuid(row.id) };
}

function writeDriving(
  { tenantId, cursor }: Pick<SearchExecutions, 'tenantId' | 'cursor'>,
  { driving }: SplitCriteria,
) {
  return sql.fragment`e.tenant_id = ${tenantId}
          and ${writeCriteria(driving)}
          and ${writePlace(sql.fragment`<`, cursor)}`;
}

function writePlace(comparison: ReturnType<typeof sql.fragment>, place: ExecutionPlace | null) {
  if (place === null) return sql.fragment`true`;
  const { createdAt, executionId } = place;
  return sql.fragment`(e.created_at, e.id) ${comparison}
    (${createdAt}::timestamptz, ${toUuid(executionId)}::uuid)`;
}

async function countExecutions(
  management: Management,
  params: CountExecutions,
): Promise<ExecutionCounts> {
  const { from, to, buckets } = params;
  const split = splitCriteria(params.criteria);
  const records = await management.any(
    sql.type(CountRecord)`
      with scanned as materialized (
        select e.id, e.definition_id, e.workflow_id, e.workflow_version, e.parent_execution_id,
          e.status, e.error, e.created_at, e.completed_at
        from executions e
        where ${writeDriving({ tenantId: params.tenantId, cursor: null }, split)}
        order by e.created_at desc, e.id desc
        limit ${params.within}
      ),
      fitting as materialized (
        select e.status, e.created_at
        from scanned e
        where ${split.residual === null ? sql.fragment`true` : writeCriteria(split.residual)}
      ),
      bounds as materialized (
        select
          coalesce(${from}::timestamptz, min(created_at)) as first,
          ${to}::timestamptz as last
        from fitting
      ),
      counted as (
        select f.status,
          case
            when b.last <= b.first then 0
            else least(greatest(floor(
              extract(epoch from f.created_at - b.first)
                / extract(epoch from b.last - b.first) * ${buckets}::int4
            ), 0), ${buckets}::int4 - 1)
          end::int as bucket,
          count(*)::int as count
        from fitting f, bounds b
        group by 1, 2
      )
      select b.first, (select count(*)::int from scanned) as scanned, c.status, c.bucket, c.count
      from bounds b
      left join counted c on true
      order by c.bucket, c.status`,
    { tenant: params.tenantId },
  );
  const [any] = records;
  return {
    groups: records.flatMap(({ status, bucket, count }) =>
      status === null || bucket === null || count === null ? [] : [{ status, bucket, count }],
    ),
    from: any?.first ?? null,
    isExact: (any?.scanned ?? 0) < params.within,
  };
}

const COLUMNS = sql.fragment`
  e.id, e.tenant_id, e.definition_id, e.workflow_id, e.workflow_version, e.parent_execution_id,
  e.status, e.last_sequence, e.shard, e.priority, e.error, e.created_at, e.updated_at,
  e.completed_at`;

const status = z.enum(EXECUTION_STATUSES);

const ExecutionRecord = z.object({
  id: z.string(),
  tenant_id: z.custom<TenantId>((value) => typeof value === 'string'),
  definition_id: z.custom<DefinitionId>((value) => typeof value === 'string'),
  workflow_id: z.string(),
  workflow_version: z.string(),
  parent_execution_id: z.string().nullable(),
  status,
  last_sequence: z.int(),
  shard: z.int(),
  priority: z.int(),
  error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  completed_at: z.string().nullable(),
});

const PlaceRecord = z.object({ id: z.string(), created_at: z.string() });

const CountRecord = z.object({
  first: z.string().nullable(),
  scanned: z.int(),
  status: status.nullable(),
  bucket: z.int().nullable(),
  count: z.int().nullable(),
});
