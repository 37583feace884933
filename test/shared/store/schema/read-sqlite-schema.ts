import Database from 'better-sqlite3';

/** Tables, indexes, views and triggers as SQLite stores their statements, in a fixed order. */
export function readSqliteSchema(path: string): string {
  const file = new Database(path, { readonly: true });
  try {
    const rows = file
      .prepare<[], { readonly sql: string }>(
        `select sql
         from sqlite_schema
         where sql is not null and name not like 'sqlite\\_%' escape '\\'
         order by case type when 'table' then 0 when 'index' then 1 else 2 end, tbl_name, name`,
      )
      .all();
    return `${rows.map(({ sql }) => `${sql};`).join('\n\n')}\n`;
  } finally {
    file.close();
  }
}
