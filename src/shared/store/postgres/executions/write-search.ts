import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { ExecutionPlace, SearchExecutions } from '../../executions.ts';
import { findsFitting, rowsWithin, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { type Bind, writeCriteria, writeOtherLabels } from './write-criteria.ts';
import {
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

export interface WrittenSearch {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly bind: Bind;
  /** The last execution that the search looks through; null: there are no more than that. */
  readonly bound: ExecutionPlace | null;
}

export interface PlaceRecord {
  readonly created_at: string;
  readonly id: string;
}

/** The columns that a search reads of each execution that fits. */
export interface SearchColumns {
  /** Columns of the table. */
  readonly found: string;
  readonly columns: string;
  /** Nearly all that the search looks through is read before the limit ends it. */
  readonly whole: boolean;
}

/**
 * The bound is read before the page. So the page contains all that fits up to the bound, even if
 * executions change in between.
 */
export async function writeSearch(
  readers: PostgresPool,
  params: SearchExecutions,
  { found: ofTable, columns, whole }: SearchColumns,
): Promise<WrittenSearch> {
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
    whole,
  });
  const text = `
    select ${columns}
    from (${listed}) e
    where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    order by e.listed_at desc, e.listed_id desc
    limit ${bind(params.limit)}::int4`;
  return { text, values, bind, bound };

  /**
   * An offset of 0 keeps the two conditions apart, so that the server chooses the index by the first;
   * with a limit there it might walk along the list instead. A page that looks through what the bound
   * encloses has no limit: it would leave out the oldest if others started meanwhile.
   */
  function endOf({ place }: Drive): string {
    if (place === OF_EXECUTION || !findsFitting(split)) return 'offset 0';
    return `limit ${bind(params.limit)}::int4`;
  }
}

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
  const [row] = await readers.run<PlaceRecord>(unnamed(text), values, params.tenantId);
  return row === undefined ? null : placeOf(row);
}

export function placeOf({ created_at: createdAt, id }: PlaceRecord): ExecutionPlace {
  return { createdAt, executionId: executionIdFromUuid(id) };
}
