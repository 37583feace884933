import { EXECUTION_STATUSES, type ExecutionStatus } from '../../../domain/execution/status.ts';
import type { CountExecutions, ExecutionCounts } from '../../executions.ts';
import { isOfStatuses, countedWithin, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { countValues } from './count-values.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria } from './write-criteria.ts';
import { COMPARED_COLUMNS, createBinds, unnamed, writeDrive, writeScanned } from './write-drive.ts';

export async function countExecutions(
  readers: PostgresPool,
  params: CountExecutions,
): Promise<ExecutionCounts> {
  const { tenantId, criteria, by } = params;
  const split = await splitByRarest(readers, { tenantId, criteria });
  const within = countedWithin(params, split);
  const countAll = isOfStatuses(split) ? countEntries : countRows;
  const counts = await countAll(readers, { ...params, within }, split);
  if (by === null) return counts;
  return { ...counts, values: await countValues(readers, { tenantId, within, by }, split) };
}

type CountWithin = Omit<CountExecutions, 'within'> & { readonly within: number };

/**
 * Counts the entries of an index between the edges of the buckets, for each status. It reads no
 * execution whose page vacuum has seen since its last change, and computes nothing for an entry.
 * The edges never reach behind the bound, and the comparison with the bound comes last: beside one of the
 * time, it ends no reading of an index, and the server would read on to the end of the status.
 */
async function countEntries(
  readers: PostgresPool,
  params: CountWithin,
  split: SplitCriteria,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const { values, bind } = createBinds();
  const { driving, residual } = split;
  const wanted = driving.statuses ?? residual?.statuses ?? EXECUTION_STATUSES;
  const statuses = bind([...new Set(wanted)]);
  const buckets = `${bind(params.buckets)}::int4`;
  const { where } = writeDrive({ tenantId, cursor: null }, split, bind);
  const entries = `e.tenant_id = ${bind(tenantId)}::text
          and e.status = s.status
          and ${writeCriteria({ ...driving, statuses: null }, bind)}`;
  const upToBound = '(e.created_at, e.id) >= (p.created_at, p.id)';
  const text = `
    with bound as materialized (
      select e.created_at, e.id
      from executions e
      where ${where}
      order by e.created_at desc, e.id desc
      offset ${bind(within - 1)}::int4
      limit 1
    ),
    place as materialized (
      select coalesce(b.created_at, '-infinity') as created_at, coalesce(b.id, '${FIRST_ID}') as id
      from (select) o
      left join bound b on true
    ),
    oldest as materialized (
      select min(o.created_at) as created_at
      from place p
      cross join unnest(${statuses}::text[]) as s (status)
      cross join lateral (
        select e.created_at
        from executions e
        where ${entries}
          and e.created_at >= p.created_at
          and ${upToBound}
        order by e.created_at, e.id
        limit 1
      ) o
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
    counted as (
      select s.status, d.bucket, c.count
      from place p
      cross join edges d
      cross join unnest(${statuses}::text[]) as s (status)
      cross join lateral (
        select count(*)::int4 as count
        from executions e
        where ${entries}
          and e.created_at >= greatest(d.lower, p.created_at)
          and e.created_at < d.upper
          and ${upToBound}
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
  params: CountWithin,
  split: SplitCriteria,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const { values, bind } = createBinds();
  const buckets = `${bind(params.buckets)}::int4`;
  const columns = split.residual === null ? COUNTED_COLUMNS : COMPARED_COLUMNS;
  const scanned = writeScanned({ tenantId, within, columns }, split, bind);
  const text = `
    with ${scanned},
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
    select b.first, (select count(*)::int4 from found) as scanned, c.status, c.bucket, c.count
    from bounds b
    left join counted c on true
    order by c.bucket, c.status`;
  return decodeCounts(await readers.run<CountRecord>(unnamed(text), values, tenantId), within);
}

const COUNTED_COLUMNS = 'e.id, e.status, e.created_at';

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
    values: [],
    from: any?.first ?? null,
    isExact: (any?.scanned ?? 0) < within,
  };
}
