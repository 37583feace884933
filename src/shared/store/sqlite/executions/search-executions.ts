import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type {
  CountExecutions,
  ExecutionCounts,
  ExecutionSearch,
  SearchExecutions,
  SearchPage,
} from '../../executions.ts';
import { comparedOf, countedWithin } from '../../rows/split-criteria.ts';
import { takePage } from '../../rows/take-page.ts';
import type { Connection } from '../connection/connect.ts';
import { decodeListed, FOUND_COLUMNS, LISTED_COLUMNS, type ListedRecord, toIso } from '../rows.ts';
import { countValues } from './count-values.ts';
import { groupFailedExecutions } from './group-failed.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria } from './write-criteria.ts';
import { all, COMPARED_COLUMNS, NO_CONDITION, orderBy, writeDrive } from './write-drive.ts';
import { placeOf, writeSearch } from './write-search.ts';

export function createExecutionSearch(connection: Connection): ExecutionSearch {
  return {
    search: (params) => connection.read(() => searchExecutions(connection, params)),
    groupFailed: (params) => connection.read(() => groupFailedExecutions(connection, params)),
    count: (params) => connection.read(() => countExecutions(connection, params)),
  };
}

function searchExecutions(connection: Connection, params: SearchExecutions): SearchPage {
  const oneMore = { ...params, limit: params.limit + 1 };
  const { text, bindings, bound } = writeSearch(connection, oneMore, COLUMNS);
  const records = all<ListedRecord>(connection, text, bindings);
  const { rows, last } = takePage(records, params.limit);
  return { rows: rows.map(decodeListed), next: last === undefined ? bound : placeOf(last) };
}

const COLUMNS = { found: FOUND_COLUMNS, columns: LISTED_COLUMNS };

function countExecutions(connection: Connection, params: CountExecutions): ExecutionCounts {
  const { tenantId, criteria, from, to, buckets, by } = params;
  const split = splitByRarest(connection, { tenantId, criteria });
  const within = countedWithin(params, split);
  const residual = comparedOf(split);
  const drive = writeDrive(split.driving);
  const compare = residual === null ? NO_CONDITION : writeCriteria('r_', residual);
  const records = all<CountRecord>(
    connection,
    `with scanned as materialized (
       select ${residual === null ? COUNTED_COLUMNS : COMPARED_COLUMNS}
       from ${drive.from}
       where ${drive.condition}
       order by ${orderBy(drive.place)}
       limit :within
     ),
     fitting as ${residual === null ? 'not' : ''} materialized (
       select e.status, e.created_at
       from scanned e
       where ${compare.condition}
     ),
     bounds as materialized (
       select coalesce(:from, min(created_at)) as first, :to as last
       from fitting
     ),
     counted as (
       select f.status,
         case
           when b.last <= b.first then 0
           else cast(min(
             max((f.created_at - b.first) * :buckets / (b.last - b.first), 0),
             :buckets - 1
           ) as integer)
         end as bucket,
         count(*) as count
       from fitting f, bounds b
       group by 1, 2
     )
     select b.first, (select count(*) from scanned) as scanned, c.status, c.bucket, c.count
     from bounds b
     left join counted c on true
     order by c.bucket, c.status`,
    {
      tenant_id: tenantId,
      ...drive.bindings,
      ...compare.bindings,
      from: from === null ? null : Date.parse(from),
      to: Date.parse(to),
      buckets,
      within,
    },
  );
  const [any] = records;
  return {
    groups: records.flatMap(({ status, bucket, count }) =>
      status === null || bucket === null || count === null ? [] : [{ status, bucket, count }],
    ),
    values: by === null ? [] : countValues(connection, { tenantId, within, by }, split),
    from: any === undefined || any.first === null ? null : toIso(any.first),
    isExact: (any?.scanned ?? 0) < within,
  };
}

const COUNTED_COLUMNS = 'status, created_at';
interface CountRecord {
  readonly first: number | null;
  readonly scanned: number;
  readonly status: ExecutionStatus | null;
  readonly bucket: number | null;
  readonly count: number | null;
}
