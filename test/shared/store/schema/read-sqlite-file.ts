import type Database from 'better-sqlite3';

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

type Row = Readonly<Record<string, string | number | null>>;

/** Times of the clock, which two files never share. */
const isTime = (column: string): boolean => column.endsWith('_at');

/** A script that makes of an empty file one like this, but for the rows of `schema_migrations`. */
export function writeNewFileScript(database: Database.Database, after: string): string {
  const schema = readSchema(database).filter(({ name }) => name !== 'schema_migrations');
  const rows = schema
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => readRows(database, name).map((row) => writeInsert(name, row)));
  return [
    `-- after: ${after}\n-- Generated, see test/shared/store/schema/new-file.test.ts`,
    ...schema.map(({ sql }) => `${sql};`),
    ...rows,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The schema in the order in which the file has it, and all rows without their times. */
export function readAllRows(database: Database.Database) {
  const schema = readSchema(database);
  const tables = schema.filter(({ type }) => type === 'table');
  return {
    schema,
    rows: tables.map(({ name }) => ({ name, rows: readRows(database, name) })),
  };
}

/** The planner tries indexes in this order, so a new file has the same. */
function readSchema(database: Database.Database): readonly SchemaRow[] {
  return database
    .prepare<[], SchemaRow>(
      `select type, name, sql
       from sqlite_schema
       where sql is not null and name not like 'sqlite\\_%' escape '\\'
       order by rowid`,
    )
    .all();
}

function readRows(database: Database.Database, table: string): readonly Row[] {
  const rows = database.prepare<[], Row>(`select * from "${table}"`).all();
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !isTime(column))),
  );
}

function writeInsert(table: string, row: Row): string {
  const values = Object.values(row).map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
  );
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')});`;
}
