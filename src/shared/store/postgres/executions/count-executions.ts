import { EXECUTION_STATUSES, type ExecutionStatus } from '../../../domain/execution/status.ts';
import type { CountExecutions, ExecutionCounts } from '../../executions.ts';
import { splitCriteria, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { writeCriteria } from './write-criteria.ts';
import { createBinds, unnamed, writeDrive, writeRows } from './write-drive.ts';

export function countExecutions(
  readers: PostgresPool,
  params: CountExecutions,
): Promise<ExecutionCounts> {
  const split = splitCriteria(params.criteria);
  return isOfStatuses(split)
    ? countEntries(readers, params, split)
    : countRows(readers, params, split);
}

function isOfStatuses({ driving, residual }: SplitCriteria): boolean {
  const { workflow, ids, parents, labels } = driving;
  return (
    residual === null &&
    workflow.in === null &&
    ids === null &&
    parents === null &&
    labels.length === 0
  );
}

/**
 * Counts the entries of an index between the edges of the buckets, for each status. It reads no
 * execution whose page vacuum has seen since its last change, and computes nothing for an entry.
 * The edges never reach behind the bound: the server would read on to the end of the status, as the
 * comparison of rows stops no scan beside one of the time.
 */
async function countEntries(
  readers: PostgresPool,
  params: CountExecutions,
  split: SplitCriteria,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const { values, bind } = createBinds();
  const statuses = bind(split.driving.statuses ?? EXECUTION_STATUSES);
  const buckets = `${bind(params.buckets)}::int4`;
  const { where: driving } = writeDrive({ tenantId, cursor: null }, split, bind);
  const owner = `${bind(tenantId)}::text`;
  const started = writeCriteria({ ...split.driving, statuses: null }, bind);
  const text = `
    with bound as materialized (
      select e.created_at, e.id
      from executions e
      where ${driving}
      order by e.created_at desc, e.id desc
      offset ${bind(within - 1)}::int4
      limit 1
    ),
    oldest as materialized (
      select b.created_at
      from bound b
      union all
      (
        select e.created_at
        from executions e
        where ${driving}
          and not exists (select from bound)
        order by e.created_at, e.id
        limit 1
      )
    ),
    bounds as materialized (
      select t.first, round(date_part('epoch', t.last - t.first) * 1000) as span_ms
      from (
        select
          coalesce(${bind(params.from)}::timestamptz, (select o.created_at from oldest o)) as first,
          ${bind(params.to)}::timestamptz as last
      ) t
    ),
    edges as materialized (
      select n.bucket,
        case
          when n.bucket = 0 then '-infinity'
          else b.first + ceil(n.bucket * b.span_ms / ${buckets}) * interval '1 millisecond'
        end as lower,
        case
          when n.bucket = n.last then 'infinity'
          else b.first + ceil((n.bucket + 1) * b.span_ms / ${buckets}) * interval '1 millisecond'
        end as upper
      from bounds b
      cross join lateral (
        select g.bucket, case when b.span_ms > 0 then ${buckets} - 1 else 0 end as last
        from generate_series(0, ${buckets} - 1) as g (bucket)
      ) n
      where n.bucket <= n.last
    ),
    place as materialized (
      select coalesce(b.created_at, '-infinity') as created_at, coalesce(b.id, '${FIRST_ID}') as id
      from (select) o
      left join bound b on true
    ),
    counted as (
      select s.status, d.bucket, c.count
      from place p
      cross join edges d
      cross join unnest(${statuses}::text[]) as s (status)
      cross join lateral (
        select count(*)::int4 as count
        from executions e
        where e.tenant_id = ${owner}
          and e.status = s.status
          and ${started}
          and e.created_at >= greatest(d.lower, p.created_at)
          and e.created_at < d.upper
          and (e.created_at, e.id) >= (p.created_at, p.id)
      ) c
      where c.count > 0
    )
    select b.first, (select count(*)::int4 * ${bind(within)}::int4 from bound) as scanned,
      c.status, c.bucket, c.count
    from bounds b
    left join counted c on true
    order by c.bucket, c.status`;
  return decodeCounts(await readers.run<CountRecord>(unnamed(text), values, tenantId), within);
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Reads each execution: no index has all that is compared. */
async function countRows(
  readers: PostgresPool,
  params: CountExecutions,
  split: SplitCriteria,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const { values, bind } = createBinds();
  const buckets = `${bind(params.buckets)}::int4`;
  const rows = writeRows(writeDrive({ tenantId, cursor: null }, split, bind), {
    columns: split.residual === null ? COUNTED_COLUMNS : COMPARED_COLUMNS,
    bound: 'true',
    end: `limit ${bind(within)}::int4`,
  });
  const text = `
    with scanned as materialized (${rows}
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
  return decodeCounts(await readers.run<CountRecord>(unnamed(text), values, tenantId), within);
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

function decodeCounts(records: readonly CountRecord[], within: number): ExecutionCounts {
  const [any] = records;
  return {
    groups: records.flatMap(({ status, bucket, count }) =>
      status === null || bucket === null || count === null ? [] : [{ status, bucket, count }],
    ),
    from: any?.first ?? null,
    isExact: (any?.scanned ?? 0) < within,
  };
}
