import type { CountExecutions, ExecutionPlace, SearchExecutions } from '../../executions.ts';
import { labelOf, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';
import { type Bind, writeCriteria, writeOtherLabels, writeTimes } from './write-criteria.ts';

/** The part of the list that one index finds, in its order. */
export interface Drive {
  /** The table of the index. */
  readonly table: string;
  readonly where: string;
  readonly place: PlaceColumns;
}

export interface PlaceColumns {
  readonly at: string;
  readonly id: string;
}

/** All that a condition of a query or a group looks at. */
export const COMPARED_COLUMNS = `e.id, e.definition_id, e.workflow_id, e.workflow_version,
        e.parent_execution_id, e.status, e.error, e.error_class, e.created_at, e.completed_at`;

export const OF_EXECUTION: PlaceColumns = { at: 'e.created_at', id: 'e.id' };
const OF_LABEL: PlaceColumns = { at: 'l.created_at', id: 'l.execution_id' };

export function writeDrive(
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

/** The index finds executions, or entries of a label, in its order. */
export function writeFound(
  { table, where, place }: Drive,
  {
    columns,
    bound,
    end,
  }: { readonly columns: string; readonly bound: string; readonly end: string },
): string {
  return `
      select ${place === OF_EXECUTION ? columns : 'l.execution_id, l.created_at'}
      from ${table}
      where ${where}
        and ${bound}
      order by ${orderBy(place)}
      ${end}`;
}

/**
 * The executions of what an index has found: `found` is a table or a query. Other labels are compared
 * first, so that only executions with all of them are read. The order by `listed_at` and `listed_id` is
 * that of the index: with a limit, it ends the reading. The server can turn no join around that is
 * lateral and ends so. `whole`: nothing ends the reading, so that all are found by one list of ids, which costs
 * two thirds of a search for each.
 */
export function writeRows(
  { place }: Drive,
  found: string,
  {
    columns,
    labels,
    whole,
  }: { readonly columns: string; readonly labels: string; readonly whole: boolean },
): string {
  if (place === OF_EXECUTION) {
    return `
      select e.*, e.created_at as listed_at, e.id as listed_id
      from ${found} e`;
  }
  if (whole) {
    return `
      select e.*, e.created_at as listed_at, e.id as listed_id
      from (
        select ${columns}
        from executions e
        where e.id = any(array(
          select l.execution_id
          from ${found} l
          where ${labels}
        ))
        offset 0
      ) e`;
  }
  return `
      select e.*, l.created_at as listed_at, l.execution_id as listed_id
      from (
        select l.execution_id, l.created_at
        from ${found} l
        where ${labels}
      ) l
      cross join lateral (
        select ${columns}
        from executions e
        where e.id = l.execution_id
        offset 0
      ) e`;
}

/** The executions that a count looks through, as the table `scanned`; `found` has the entries of the index. */
export function writeScanned(
  {
    tenantId,
    within,
    columns,
  }: Pick<CountExecutions, 'tenantId'> & { readonly within: number; readonly columns: string },
  split: SplitCriteria,
  bind: Bind,
): string {
  const drive = writeDrive({ tenantId, cursor: null }, split, bind);
  const found = writeFound(drive, { columns, bound: 'true', end: `limit ${bind(within)}::int4` });
  const labels = writeOtherLabels(split.labels, tenantId, bind);
  return `found as materialized (${found}
    ),
    scanned as materialized (${writeRows(drive, 'found', { columns, labels, whole: true })}
    )`;
}

export function orderBy({ at, id }: PlaceColumns): string {
  return `${at} desc, ${id} desc`;
}

export function writePlace(
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

export function createBinds(): { readonly values: readonly unknown[]; readonly bind: Bind } {
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
export function unnamed(text: string): Statement {
  return { name: '', text, writes: false };
}
