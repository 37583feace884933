import { type DefinitionId, executionIdFromUuid } from '../../../domain/ids.ts';
import type {
  ExecutionPlace,
  ExecutionSearch,
  FailedExecution,
  ListedRow,
  SearchExecutions,
  SearchPage,
} from '../../executions.ts';
import { findsFitting, rowsWithin, type SplitCriteria } from '../../rows/split-criteria.ts';
import { takePage } from '../../rows/take-page.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { decodeListed, FOUND_COLUMNS, LISTED_COLUMNS, type ListedRecord } from '../rows.ts';
import { countExecutions } from './count-executions.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria, writeOtherLabels } from './write-criteria.ts';
import {
  COMPARED_COLUMNS,
  createBinds,
  type Drive,
  OF_EXECUTION,
  orderBy,
  unnamed,
  writeDrive,
  writeFound,
  writePlace,
  writeRows,
} from './write-drive.ts';

/** `readers` is for what one tenant asks, under row-level security. */
export function createExecutionSearch(readers: PostgresPool): ExecutionSearch {
  return {
    search: (params) => searchExecutions(readers, params, LISTED),
    listFailed: (params) => searchExecutions(readers, params, FAILED),
    count: (params) => countExecutions(readers, params),
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
  found: `${COMPARED_COLUMNS}, e.updated_at, e.cause_key`,
  columns: `e.id, e.created_at, e.definition_id, e.workflow_id, e.error, e.cause_key,
      coalesce(e.completed_at, e.updated_at) as failed_at`,
  decode: (record) => ({
    executionId: executionIdFromUuid(record.id),
    definitionId: record.definition_id,
    workflowId: record.workflow_id,
    error: record.error ?? '',
    causeKey: record.cause_key,
    failedAt: record.failed_at,
  }),
};

interface FailedRecord extends PlaceRecord {
  readonly definition_id: DefinitionId;
  readonly workflow_id: string;
  readonly error: string | null;
  readonly cause_key: number | null;
  readonly failed_at: string;
}

/**
 * The bound is read before the page. So the page contains all that fits up to the bound, even if
 * executions change in between.
 */
async function searchExecutions<Found extends PlaceRecord, Row>(
  readers: PostgresPool,
  params: SearchExecutions,
  { found: ofTable, columns, decode }: Shape<Found, Row>,
): Promise<SearchPage<Row>> {
  const split = await splitByRarest(readers, params);
  const within = rowsWithin(params.within, split);
  const bound = findsFitting(split) ? null : await findBound(readers, { ...params, within }, split);
  const { values, bind } = createBinds();
  const drive = writeDrive(params, split, bind);
  const found = writeFound(drive, {
    columns: ofTable,
    bound: writePlace(drive.place, '>=', bound, bind),
    end: endOf(drive),
  });
  const listed = writeRows(drive, `(${found})`, {
    columns: ofTable,
    labels: writeOtherLabels(split.labels, params.tenantId, bind),
  });
  const text = `
    select ${columns}
    from (${listed}) e
    where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    order by e.listed_at desc, e.listed_id desc
    limit ${bind(params.limit + 1)}::int4`;
  const records = await readers.run<Found>(unnamed(text), values, params.tenantId);
  const { rows, last } = takePage(records, params.limit);
  return { rows: rows.map(decode), next: last === undefined ? bound : placeOf(last) };

  /**
   * An offset of 0 keeps the two conditions apart, so that the server chooses the index by the first;
   * with a limit there it might walk along the list instead. A page that looks through what the bound
   * encloses has no limit: it would leave out the oldest if others started meanwhile.
   */
  function endOf({ place }: Drive): string {
    if (place === OF_EXECUTION || !findsFitting(split)) return 'offset 0';
    return `limit ${bind(params.limit + 1)}::int4`;
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
  return placeOf(row);
}

function placeOf({ created_at: createdAt, id }: PlaceRecord): ExecutionPlace {
  return { createdAt, executionId: executionIdFromUuid(id) };
}

interface PlaceRecord {
  readonly created_at: string;
  readonly id: string;
}
