import type { ExecutionId } from '../../../domain/ids.ts';
import type { ExecutionPlace, SearchExecutions } from '../../executions.ts';
import { comparedOf, findsFitting, rowsWithin } from '../../rows/split-criteria.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria } from './write-criteria.ts';
import { all, type Drive, NO_CONDITION, orderBy, writeDrive } from './write-drive.ts';

export interface WrittenSearch {
  readonly text: string;
  readonly bindings: Readonly<Record<string, Bindable>>;
  /** The last execution that the search looks through; null: there are no more than that. */
  readonly bound: ExecutionPlace | null;
}

export interface PlaceRecord {
  readonly created_at: number;
  readonly id: string;
}

/** The columns that a search reads of each execution that fits. */
export interface SearchColumns {
  /** Columns of the table. */
  readonly found: string;
  readonly columns: string;
}

export function writeSearch(
  connection: Connection,
  params: SearchExecutions,
  { found, columns }: SearchColumns,
): WrittenSearch {
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
  return {
    text: `
     select ${columns}
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
    bindings: {
      ...bindings,
      ...compare.bindings,
      ...labels.bindings,
      limit,
      ...(residual !== null && { within }),
    },
    bound: bound === undefined ? null : placeOf(bound),
  };
}

export function placeOf({ created_at: createdAt, id }: PlaceRecord): ExecutionPlace {
  return { createdAt: toIso(createdAt), executionId: id as ExecutionId };
}

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
