import { existsSync } from 'node:fs';

import Database from 'better-sqlite3';

import {
  pendingMigrations,
  SchemaError,
  type AppliedMigration,
  type Migration,
} from '../../opening/migrations.ts';
import { readWholeSchema } from '../../opening/whole-schema.ts';
import { makeDirectoryOf } from './make-directory.ts';
import { makePrivate } from './private-file.ts';

/*
 * Each migration is one `begin immediate` transaction: SQLite's own write lock makes runners take
 * turns, and each reads the applied migrations again in its turn. A file without any gets all of them
 * in one transaction, as one script if the file is empty: there is no earlier version to keep, and each
 * commit waits for the disk. The journal mode is unchanged; the opener of the store chooses it.
 */

const BUSY_MS_MAX = 60_000;

export function migrateSqlite(params: {
  readonly path: string;
  readonly known: readonly Migration[];
  readonly onApplied: (migration: Migration) => void;
}): number {
  makeDirectoryOf(params.path);
  makePrivate(params.path);
  const database = new Database(params.path, { timeout: BUSY_MS_MAX });
  try {
    return migrateOpen({ ...params, database });
  } finally {
    database.close();
  }
}

/** Brings a database that is open to the newest of the known migrations. */
export function migrateOpen(params: {
  readonly database: Database.Database;
  readonly known: readonly Migration[];
  readonly onApplied: (migration: Migration) => void;
}): number {
  const { database, known, onApplied } = params;
  const applyFirst = database.transaction(() => applyToNew(database, known));
  const first = applyFirst.immediate();
  first.forEach(onApplied);
  const applyNext = database.transaction(() => applyNextPending(database, known));
  for (let applied = first.length; ; applied += 1) {
    const migration = applyNext.immediate();
    if (migration === null) return applied;
    onApplied(migration);
  }
}

export function readAppliedSqlite(path: string): readonly AppliedMigration[] {
  if (!existsSync(path)) return [];
  const database = new Database(path, { readonly: true, timeout: BUSY_MS_MAX });
  try {
    const table = database
      .prepare(`select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'`)
      .get();
    return table === undefined ? [] : selectApplied(database);
  } finally {
    database.close();
  }
}

/** All migrations, if none was ever applied. */
function applyToNew(
  database: Database.Database,
  known: readonly Migration[],
): readonly Migration[] {
  const isEmpty = hasNothing(database);
  createTable(database);
  if (selectApplied(database).length > 0) return [];
  const whole = isEmpty ? readWholeSchema(known) : null;
  if (whole === null) {
    for (const migration of known) apply(database, migration);
  } else {
    database.exec(whole);
    noteApplied(database, known);
  }
  return known;
}

function hasNothing(database: Database.Database): boolean {
  return database.prepare('select 1 from sqlite_schema').get() === undefined;
}

function applyNextPending(
  database: Database.Database,
  known: readonly Migration[],
): Migration | null {
  createTable(database);
  const [next] = pendingMigrations(known, selectApplied(database));
  if (next === undefined) return null;
  apply(database, next);
  return next;
}

function createTable(database: Database.Database): void {
  database.exec(
    `create table if not exists schema_migrations (
      number integer primary key,
      title text not null,
      checksum text not null,
      applied_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      works_from integer
    ) strict`,
  );
}

function apply(database: Database.Database, migration: Migration): void {
  const { number, title, sql } = migration;
  try {
    database.exec(sql);
  } catch (error) {
    throw new SchemaError(
      `migration ${number} (${title}) failed, nothing of it was applied: ` +
        (error instanceof Error ? error.message : String(error)),
      { cause: error },
    );
  }
  if (!hasWorksFrom(database)) {
    database.exec('alter table schema_migrations add works_from integer');
  }
  noteApplied(database, [migration]);
}

function noteApplied(database: Database.Database, migrations: readonly Migration[]): void {
  const insert = database.prepare(
    `insert into schema_migrations (number, title, checksum, works_from)
     values (?, ?, ?, ?)`,
  );
  for (const { number, title, checksum, worksFrom } of migrations) {
    insert.run(number, title, checksum, worksFrom);
  }
}

function selectApplied(database: Database.Database): readonly AppliedMigration[] {
  const worksFrom = hasWorksFrom(database) ? 'works_from' : 'null';
  return database
    .prepare(
      `select number, title, checksum, ${worksFrom} as "worksFrom"
       from schema_migrations
       order by number`,
    )
    .all() as AppliedMigration[];
}

/** The table of an older program has no such column. */
function hasWorksFrom(database: Database.Database): boolean {
  return (
    database
      .prepare(`select 1 from pragma_table_info('schema_migrations') where name = 'works_from'`)
      .get() !== undefined
  );
}
