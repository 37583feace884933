import type { ExecutionCriteria } from '../../../domain/execution/query/criteria.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import { type ExecutionId } from '../../../domain/ids.ts';
import type {
  CountExecutions,
  ExecutionCounts,
  ExecutionPlace,
  ExecutionSearch,
  SearchExecutions,
  SearchPage,
} from '../../executions.ts';
import { labelOf, splitCriteria } from '../../rows/split-criteria.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import {
  decodeListed,
  EXECUTION_COLUMNS,
  LISTED_COLUMNS,
  type ListedRecord,
  toIso,
} from '../rows.ts';
import { writeCriteria, type WrittenCriteria } from './write-criteria.ts';

export function createExecutionSearch(connection: Connection): ExecutionSearch {
  return {
    search: (params) => connection.read(() => searchExecutions(connection, params)),
    count: (params) => connection.read(() => countExecutions(connection, params)),
  };
}

function searchExecutions(connection: Connection, params: SearchExecutions): SearchPage {
  const { tenantId, cursor, limit, within } = params;
  const { driving, residual } = splitCriteria(params.criteria);
  const { from, place, ...drive } = writeDrive(driving);
  const compare = residual === null ? NO_CONDITION : writeCriteria('r_', residual);
  const bindings: Record<string, Bindable> = { tenant_id: tenantId, ...drive.bindings };
  let where = drive.condition;
  if (cursor !== null) {
    where += ` and (${place.at}, ${place.id}) < (:cursor_created_at, :cursor_id)`;
    bindings['cursor_created_at'] = Date.parse(cursor.createdAt);
    bindings['cursor_id'] = cursor.executionId;
  }
  const bound =
    residual === null
      ? undefined
      : findBound(connection, { from, place, where }, { ...bindings, skip: within - 1 });
  if (bound !== undefined) {
    where += ` and (${place.at}, ${place.id}) >= (:bound_created_at, :bound_id)`;
    bindings['bound_created_at'] = bound.created_at;
    bindings['bound_id'] = bound.id;
  }
  // A limit inside keeps the two conditions apart, so that the index is the one of the first.
  const rows = all<ListedRecord>(
    connection,
    `select ${LISTED_COLUMNS}
     from (
       select ${EXECUTION_COLUMNS}
       from ${from}
       where ${where}
       order by ${orderBy(place)}
       limit ${residual === null ? ':limit' : ':within'}
     ) e
     where ${compare.condition}
     order by created_at desc, id desc
     limit :limit`,
    { ...bindings, ...compare.bindings, limit, ...(residual !== null && { within }) },
  ).map(decodeListed);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (last !== undefined) {
    return { rows, next: { createdAt: last.createdAt, executionId: last.executionId } };
  }
  return { rows, next: bound === undefined ? null : placeOf(bound) };
}

interface PlaceRecord {
  readonly created_at: number;
  readonly id: ExecutionId;
}

function placeOf({ created_at: createdAt, id }: PlaceRecord): ExecutionPlace {
  return { createdAt: toIso(createdAt), executionId: id };
}

/** The last execution that one page looks through; undefined: there are no more than that. */
function findBound(
  connection: Connection,
  { from, place, where }: Pick<Drive, 'from' | 'place'> & { readonly where: string },
  bindings: Readonly<Record<string, Bindable>>,
): PlaceRecord | undefined {
  const [row] = all<PlaceRecord>(
    connection,
    `select ${place.at} as created_at, ${place.id} as id
     from ${from}
     where ${where}
     order by ${orderBy(place)}
     limit 1 offset :skip`,
    bindings,
  );
  return row;
}

/** An index in the order of the list, with the executions that it finds. */
interface Drive extends WrittenCriteria {
  readonly from: string;
  readonly place: { readonly at: string; readonly id: string };
}

function writeDrive(driving: ExecutionCriteria): Drive {
  const label = labelOf(driving);
  if (label === null) {
    const { condition, bindings } = writeCriteria('d_', driving);
    return {
      from: 'executions',
      place: { at: 'created_at', id: 'id' },
      condition: `tenant_id = :tenant_id and ${condition}`,
      bindings,
    };
  }
  const { from, before } = driving.started;
  const times = [
    ...(from === null ? [] : [' and created_at >= :label_from']),
    ...(before === null ? [] : [' and created_at < :label_before']),
  ];
  return {
    // A cross join keeps its order, and with it that of the index.
    from: `(
       select execution_id as labelled_id, created_at as labelled_at
       from execution_labels
       where tenant_id = :tenant_id and name = :label_name and value = :label_value${times.join('')}
     ) cross join executions on id = labelled_id`,
    place: { at: 'labelled_at', id: 'labelled_id' },
    condition: 'true',
    bindings: {
      label_name: label.name,
      label_value: label.value,
      ...(from !== null && { label_from: Date.parse(from) }),
      ...(before !== null && { label_before: Date.parse(before) }),
    },
  };
}

function orderBy({ at, id }: Drive['place']): string {
  return `${at} desc, ${id} desc`;
}

const NO_CONDITION = { condition: 'true', bindings: {} };

function countExecutions(connection: Connection, params: CountExecutions): ExecutionCounts {
  const { tenantId, from, to, buckets, within } = params;
  const { driving, residual } = splitCriteria(params.criteria);
  const drive = writeDrive(driving);
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
    from: any === undefined || any.first === null ? null : toIso(any.first),
    isExact: (any?.scanned ?? 0) < within,
  };
}

const COUNTED_COLUMNS = 'status, created_at';
/** All that a condition of a query looks at. */
const COMPARED_COLUMNS = `id, definition_id, workflow_id, workflow_version, parent_execution_id, status,
         error, created_at, completed_at`;

interface CountRecord {
  readonly first: number | null;
  readonly scanned: number;
  readonly status: ExecutionStatus | null;
  readonly bucket: number | null;
  readonly count: number | null;
}

/** The texts vary with the query of a caller, so the connection does not keep them compiled. */
function all<Row>(
  connection: Connection,
  text: string,
  bindings: Readonly<Record<string, Bindable>>,
): readonly Row[] {
  return connection.database.prepare<Record<string, Bindable>[], Row>(text).all(bindings);
}
