import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { DefinitionId, ExecutionId } from '../../../domain/ids.ts';
import type {
  CountExecutions,
  ExecutionCounts,
  ExecutionPlace,
  ExecutionSearch,
  FailedExecution,
  ListedRow,
  SearchExecutions,
  SearchPage,
} from '../../executions.ts';
import { comparedOf, countedWithin, findsFitting, rowsWithin } from '../../rows/split-criteria.ts';
import { takePage } from '../../rows/take-page.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { decodeListed, FOUND_COLUMNS, LISTED_COLUMNS, type ListedRecord, toIso } from '../rows.ts';
import { countValues } from './count-values.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria } from './write-criteria.ts';
import {
  all,
  COMPARED_COLUMNS,
  type Drive,
  NO_CONDITION,
  orderBy,
  writeDrive,
} from './write-drive.ts';

export function createExecutionSearch(connection: Connection): ExecutionSearch {
  return {
    search: (params) => connection.read(() => searchExecutions(connection, params, LISTED)),
    listFailed: (params) => connection.read(() => searchExecutions(connection, params, FAILED)),
    count: (params) => connection.read(() => countExecutions(connection, params)),
  };
}

/** The columns that a search reads of each execution that fits. */
interface Shape<Found, Row> {
  /** Columns of the table. */
  readonly found: string;
  readonly columns: string;
  readonly decode: (record: Found) => Row;
}

const LISTED: Shape<ListedRecord, ListedRow> = {
  found: FOUND_COLUMNS,
  columns: LISTED_COLUMNS,
  decode: decodeListed,
};

const FAILED: Shape<FailedRecord, FailedExecution> = {
  found: `${COMPARED_COLUMNS}, updated_at, cause_key`,
  columns: `id, created_at, definition_id, workflow_id, error, cause_key,
       coalesce(completed_at, updated_at) as failed_at`,
  decode: (record) => ({
    executionId: record.id as ExecutionId,
    definitionId: record.definition_id,
    workflowId: record.workflow_id,
    error: record.error ?? '',
    causeKey: record.cause_key,
    failedAt: toIso(record.failed_at),
  }),
};

interface FailedRecord extends PlaceRecord {
  readonly definition_id: DefinitionId;
  readonly workflow_id: string;
  readonly error: string | null;
  readonly cause_key: number | null;
  readonly failed_at: number;
}

function searchExecutions<Found extends PlaceRecord, Row>(
  connection: Connection,
  params: SearchExecutions,
  { found, columns, decode }: Shape<Found, Row>,
): SearchPage<Row> {
  const { tenantId, cursor, limit } = params;
  const split = splitByRarest(connection, params);
  const within = rowsWithin(params.within, split);
  const { residual } = split;
  const { from, place, ...drive } = writeDrive(split.driving);
  const compare = residual === null ? NO_CONDITION : writeCriteria('r_', residual);
  // Other labels come first, so that only executions with all of them are read.
  const others = comparedOf({ ...split, residual: null });
  const labels = others === null ? NO_CONDITION : writeCriteria('l_', others, place.id);
  const bindings: Record<string, Bindable> = { tenant_id: tenantId, ...drive.bindings };
  let where = drive.condition;
  if (cursor !== null) {
    where += ` and (${place.at}, ${place.id}) < (:cursor_created_at, :cursor_id)`;
    bindings['cursor_created_at'] = Date.parse(cursor.createdAt);
    bindings['cursor_id'] = cursor.executionId;
  }
  const bound = findsFitting(split)
    ? undefined
    : findBound(
        connection,
        { from: drive.labelled || from, place, where },
        { ...bindings, skip: within - 1 },
      );
  if (bound !== undefined) {
    where += ` and (${place.at}, ${place.id}) >= (:bound_created_at, :bound_id)`;
    bindings['bound_created_at'] = bound.created_at;
    bindings['bound_id'] = bound.id;
  }
  // A limit inside keeps the two conditions apart, so that the index is the one of the first.
  const records = all<Found>(
    connection,
    `select ${columns}
     from (
       select ${found}
       from ${from}
       where ${where} and ${labels.condition}
       order by ${orderBy(place)}
       limit ${residual === null ? ':limit' : ':within'}
     ) e
     where ${compare.condition}
     order by created_at desc, id desc
     limit :limit`,
    {
      ...bindings,
      ...labels.bindings,
      ...compare.bindings,
      limit: limit + 1,
      ...(residual !== null && { within }),
    },
  );
  const { rows, last = bound } = takePage(records, limit);
  return { rows: rows.map(decode), next: last === undefined ? null : placeOf(last) };
}

interface PlaceRecord {
  readonly created_at: number;
  readonly id: string;
}

function placeOf({ created_at: createdAt, id }: PlaceRecord): ExecutionPlace {
  return { createdAt: toIso(createdAt), executionId: id as ExecutionId };
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
