import { statSync } from 'node:fs';

import type { TableFacts } from '../../installation.ts';
import type { Connection } from '../connection/connect.ts';

/** Rows are counted no further. */
const COUNTED_MAX = 1_000_000;
/** Sizes in a larger file are not measured, because that would read all of it. */
const MEASURED_BYTES_MAX = 1024 ** 3;

/** Our tables, the largest first. */
export function readTableFacts(connection: Connection): readonly TableFacts[] {
  const objects = connection.all<{
    readonly name: string;
    readonly type: string;
    readonly tbl_name: string;
  }>(
    `select name, type, tbl_name
     from sqlite_schema
     where type in ('table', 'index')`,
  );
  const sizes = measure(connection);
  const tables = objects.filter(
    ({ type, name }) => type === 'table' && !name.startsWith('sqlite_'),
  );
  return tables
    .map(({ name }): TableFacts => {
      const indexes = objects.filter(({ type, tbl_name: of }) => type === 'index' && of === name);
      return {
        table: name,
        rows: countRows(connection, name),
        deadRows: null,
        bytes: sizes?.get(name) ?? null,
        indexBytes: sizes && indexes.reduce((sum, index) => sum + (sizes.get(index.name) ?? 0), 0),
        vacuumedAt: null,
      };
    })
    .toSorted(
      (one, other) => (other.bytes ?? 0) - (one.bytes ?? 0) || one.table.localeCompare(other.table),
    );
}

/** The name is one of the schema's own. */
function countRows(connection: Connection, table: string): number {
  const row = connection.get<{ readonly rows: number }>(
    `select count(*) as rows
     from (select 1 from "${table.replaceAll('"', '""')}" limit :max)`,
    { max: COUNTED_MAX },
  );
  return row?.rows ?? 0;
}

/** Null: the file is too large. */
function measure(connection: Connection): ReadonlyMap<string, number> | null {
  if (statSync(connection.path).size > MEASURED_BYTES_MAX) return null;
  const rows = connection.all<{ readonly name: string; readonly bytes: number }>(
    `select name, sum(pgsize) as bytes
     from dbstat
     group by name`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
