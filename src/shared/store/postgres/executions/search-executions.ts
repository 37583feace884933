import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import { executionIdFromUuid } from '../../../domain/ids.ts';
import type {
  CountExecutions,
  ExecutionCounts,
  ExecutionPlace,
  ExecutionSearch,
  SearchExecutions,
  SearchPage,
} from '../../executions.ts';
import { splitCriteria, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { decodeExecution, EXECUTION_COLUMNS, type ExecutionRecord, toUuid } from '../rows.ts';
import { type Bind, writeCriteria } from './write-criteria.ts';

/** `readers` is for what one tenant asks, under row-level security. */
export function createExecutionSearch(readers: PostgresPool): ExecutionSearch {
  return {
    search: (params) => searchExecutions(readers, params),
    count: (params) => countExecutions(readers, params),
  };
}

/**
 * The bound is read before the page. So the page contains all that fits up to the bound, even if
 * executions change in between.
 */
async function searchExecutions(
  readers: PostgresPool,
  params: SearchExecutions,
): Promise<SearchPage> {
  const split = splitCriteria(params.criteria);
  const bound = split.residual === null ? null : await findBound(readers, params, split);
  const { values, bind } = createBinds();
  // An offset of 0 keeps the two conditions apart, so that the index is the one of the first.
  const text = `
    select ${EXECUTION_COLUMNS}
    from (
      select ${EXECUTION_COLUMNS}
      from executions e
      where ${writeDriving(params, split, bind)}
        and ${writePlace('>=', bound, bind)}
      order by e.created_at desc, e.id desc
      offset 0
    ) e
    where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    order by e.created_at desc, e.id desc
    limit ${bind(params.limit)}::int4`;
  const found = await readers.run<ExecutionRecord>(unnamed(text), values, params.tenantId);
  const rows = found.map(decodeExecution);
  const last = rows.length === params.limit ? rows.at(-1) : undefined;
  if (last === undefined) return { rows, next: bound };
  return { rows, next: { createdAt: last.createdAt, executionId: last.executionId } };
}

/** The last execution that one page looks through; null: there are no more than that. */
async function findBound(
  readers: PostgresPool,
  params: SearchExecutions,
  split: SplitCriteria,
): Promise<ExecutionPlace | null> {
  const { values, bind } = createBinds();
  const text = `
    select e.created_at, e.id
    from executions e
    where ${writeDriving(params, split, bind)}
    order by e.created_at desc, e.id desc
    offset ${bind(params.within - 1)}::int4
    limit 1`;
  const rows = await readers.run<PlaceRecord>(unnamed(text), values, params.tenantId);
  const [row] = rows;
  if (row === undefined) return null;
  return { createdAt: row.created_at, executionId: executionIdFromUuid(row.id) };
}

interface PlaceRecord {
  readonly created_at: string;
  readonly id: string;
}

function writeDriving(
  { tenantId, cursor }: Pick<SearchExecutions, 'tenantId' | 'cursor'>,
  { driving }: SplitCriteria,
  bind: Bind,
): string {
  return `e.tenant_id = ${bind(tenantId)}::text
        and ${writeCriteria(driving, bind)}
        and ${writePlace('<', cursor, bind)}`;
}

function writePlace(comparison: '<' | '>=', place: ExecutionPlace | null, bind: Bind): string {
  if (place === null) return 'true';
  const at = bind(place.createdAt);
  const id = bind(toUuid(place.executionId));
  return `(e.created_at, e.id) ${comparison} (${at}::timestamptz, ${id}::uuid)`;
}

async function countExecutions(
  readers: PostgresPool,
  params: CountExecutions,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const split = splitCriteria(params.criteria);
  const { values, bind } = createBinds();
  const buckets = `${bind(params.buckets)}::int4`;
  const text = `
    with scanned as materialized (
      select ${split.residual === null ? COUNTED_COLUMNS : COMPARED_COLUMNS}
      from executions e
      where ${writeDriving({ tenantId, cursor: null }, split, bind)}
      order by e.created_at desc, e.id desc
      limit ${bind(within)}::int4
    ),
    fitting as ${split.residual === null ? 'not' : ''} materialized (
      select e.status, e.created_at
      from scanned e
      where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    ),
    bounds as materialized (
      select t.first, round(date_part('epoch', t.last - t.first) * 1000) as span_ms
      from (
        select
          coalesce(${bind(params.from)}::timestamptz, min(f.created_at)) as first,
          ${bind(params.to)}::timestamptz as last
        from fitting f
      ) t
    ),
    counted as (
      select f.status,
        case
          when b.span_ms <= 0 then 0
          else least(greatest(floor(
            round(date_part('epoch', f.created_at - b.first) * 1000) * ${buckets} / b.span_ms
          ), 0), ${buckets} - 1)
        end::int4 as bucket,
        count(*)::int4 as count
      from fitting f, bounds b
      group by 1, 2
    )
    select b.first, (select count(*)::int4 from scanned) as scanned, c.status, c.bucket, c.count
    from bounds b
    left join counted c on true
    order by c.bucket, c.status`;
  const records = await readers.run<CountRecord>(unnamed(text), values, tenantId);
  const [any] = records;
  return {
    groups: records.flatMap(({ status, bucket, count }) =>
      status === null || bucket === null || count === null ? [] : [{ status, bucket, count }],
    ),
    from: any?.first ?? null,
    isExact: (any?.scanned ?? 0) < within,
  };
}

const COUNTED_COLUMNS = 'e.status, e.created_at';
/** All that a condition of a query looks at. */
const COMPARED_COLUMNS = `e.id, e.definition_id, e.workflow_id, e.workflow_version,
        e.parent_execution_id, e.status, e.error, e.created_at, e.completed_at`;

interface CountRecord {
  readonly first: string | null;
  readonly scanned: number;
  readonly status: ExecutionStatus | null;
  readonly bucket: number | null;
  readonly count: number | null;
}

function createBinds(): { readonly values: readonly unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  return {
    values,
    bind(value) {
      values.push(value);
      return `$${values.length}`;
    },
  };
}

/** The texts vary with the query of a caller, so the connection does not keep them prepared. */
function unnamed(text: string): Statement {
  return { name: '', text, writes: false };
}
