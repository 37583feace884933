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
import { labelOf, splitCriteria, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import {
  decodeListed,
  EXECUTION_COLUMNS,
  LISTED_COLUMNS,
  type ListedRecord,
  toUuid,
} from '../rows.ts';
import { type Bind, writeCriteria, writeTimes } from './write-criteria.ts';

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
  const drive = writeDrive(params, split, bind);
  const rows = writeRows(drive, {
    columns: EXECUTION_COLUMNS,
    bound: writePlace(drive.place, '>=', bound, bind),
    end: endOf(drive),
  });
  const text = `
    select ${LISTED_COLUMNS}
    from (${rows}) e
    where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    order by e.created_at desc, e.id desc
    limit ${bind(params.limit)}::int4`;
  const found = await readers.run<ListedRecord>(unnamed(text), values, params.tenantId);
  const page = found.map(decodeListed);
  const last = page.length === params.limit ? page.at(-1) : undefined;
  if (last === undefined) return { rows: page, next: bound };
  return { rows: page, next: { createdAt: last.createdAt, executionId: last.executionId } };

  /**
   * An offset of 0 keeps the two conditions apart, so that the server chooses the index by the first;
   * with a limit there it might walk along the list instead. Labels have no other index.
   */
  function endOf({ place }: Drive): string {
    if (place === OF_EXECUTION) return 'offset 0';
    return `limit ${bind(split.residual === null ? params.limit : params.within)}::int4`;
  }
}

/** The last execution that one page looks through; null: there are no more than that. */
async function findBound(
  readers: PostgresPool,
  params: SearchExecutions,
  split: SplitCriteria,
): Promise<ExecutionPlace | null> {
  const { values, bind } = createBinds();
  const { table, where, place } = writeDrive(params, split, bind);
  const text = `
    select ${place.at} as created_at, ${place.id} as id
    from ${table}
    where ${where}
    order by ${orderBy(place)}
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

/** The part of the list that one index finds, in its order. */
interface Drive {
  /** The table of the index. */
  readonly table: string;
  readonly where: string;
  readonly place: PlaceColumns;
}

interface PlaceColumns {
  readonly at: string;
  readonly id: string;
}

const OF_EXECUTION: PlaceColumns = { at: 'e.created_at', id: 'e.id' };
const OF_LABEL: PlaceColumns = { at: 'l.created_at', id: 'l.execution_id' };

function writeDrive(
  { tenantId, cursor }: Pick<SearchExecutions, 'tenantId' | 'cursor'>,
  { driving }: SplitCriteria,
  bind: Bind,
): Drive {
  const label = labelOf(driving);
  if (label === null) {
    const place = OF_EXECUTION;
    const where = `e.tenant_id = ${bind(tenantId)}::text
        and ${writeCriteria(driving, bind)}
        and ${writePlace(place, '<', cursor, bind)}`;
    return { table: 'executions e', where, place };
  }
  const place = OF_LABEL;
  const times = ['true', ...writeTimes(place.at, driving.started, bind)];
  const where = `l.tenant_id = ${bind(tenantId)}::text
        and l.name = ${bind(label.name)}::text
        and l.value = ${bind(label.value)}::text
        and ${times.join(' and ')}
        and ${writePlace(place, '<', cursor, bind)}`;
  return { table: 'execution_labels l', where, place };
}

/** The executions that an index finds. The server can turn no join around that is lateral and ends so. */
function writeRows(
  { table, where, place }: Drive,
  {
    columns,
    bound,
    end,
  }: { readonly columns: string; readonly bound: string; readonly end: string },
): string {
  const found = (selected: string) => `
      select ${selected}
      from ${table}
      where ${where}
        and ${bound}
      order by ${orderBy(place)}
      ${end}`;
  if (place === OF_EXECUTION) return found(columns);
  return `
      select e.*
      from (${found('l.execution_id, l.created_at')}) l
      cross join lateral (
        select ${columns}
        from executions e
        where e.id = l.execution_id
        offset 0
      ) e
      order by ${orderBy(place)}`;
}

function orderBy({ at, id }: PlaceColumns): string {
  return `${at} desc, ${id} desc`;
}

function writePlace(
  columns: PlaceColumns,
  comparison: '<' | '>=',
  place: ExecutionPlace | null,
  bind: Bind,
): string {
  if (place === null) return 'true';
  const at = bind(place.createdAt);
  const id = bind(toUuid(place.executionId));
  return `(${columns.at}, ${columns.id}) ${comparison} (${at}::timestamptz, ${id}::uuid)`;
}

async function countExecutions(
  readers: PostgresPool,
  params: CountExecutions,
): Promise<ExecutionCounts> {
  const { tenantId, within } = params;
  const split = splitCriteria(params.criteria);
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
