import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';

import { readMigrations, type Migration } from '../../../../src/shared/store/opening/migrations.ts';
import { readWholeSchema, sumOf } from '../../../../src/shared/store/opening/whole-schema.ts';
import { migrateOpen } from '../../../../src/shared/store/sqlite/connection/migrator.ts';
import { readAllRows, writeNewFileScript } from './read-sqlite-file.ts';

/*
 * `migrations/sqlite-new.sql` makes of an empty file what the migrations make one after another.
 * `UPDATE_DOCS=1 npm test -- test/shared/store/schema` writes it.
 */

const SCRIPT = new URL('../../../../migrations/sqlite-new.sql', import.meta.url);

test.serial('sqlite-new.sql is what the migrations leave in an empty file', async (t) => {
  const known = await readMigrations('sqlite');
  using migrated = openEmpty();
  migrateOneByOne(migrated.database, known);
  const current = writeNewFileScript(migrated.database, sumOf(known));
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(SCRIPT, current);
  t.is(
    await readFile(SCRIPT, 'utf8'),
    current,
    'run: UPDATE_DOCS=1 npm test -- test/shared/store/schema',
  );
});

test.serial('an empty file gets the script, and is as if it had been migrated', async (t) => {
  const known = await readMigrations('sqlite');
  t.not(readWholeSchema(known), null);
  using migrated = openEmpty();
  migrateOneByOne(migrated.database, known);
  using created = openEmpty();
  const told: number[] = [];
  const onApplied = ({ number }: Migration) => told.push(number);
  t.is(migrateOpen({ database: created.database, known, onApplied }), known.length);
  t.deepEqual(
    told,
    known.map(({ number }) => number),
  );
  t.deepEqual(readAllRows(created.database), readAllRows(migrated.database));
  t.is(migrateOpen({ database: created.database, known, onApplied }), 0);
});

test.serial('the script is not used for other migrations', async (t) => {
  const known = await readMigrations('sqlite');
  t.is(readWholeSchema(known.slice(0, -1)), null);
  const changed = known.map((migration) => ({ ...migration, checksum: 'other' }));
  t.is(readWholeSchema([...changed.slice(0, 1), ...known.slice(1)]), null);
});

test.serial('a file that has something else in it is migrated step by step', async (t) => {
  const known = await readMigrations('sqlite');
  using given = openEmpty();
  given.database.exec('create table tenants (id text)');
  t.throws(() => migrateOpen({ database: given.database, known, onApplied: () => undefined }), {
    message: /^migration 1 \(initial\) failed, nothing of it was applied: .*tenants already exists/,
  });
});

/** In two calls: no script is one of the first migration alone. */
function migrateOneByOne(database: Database.Database, known: readonly Migration[]): void {
  const onApplied = () => undefined;
  migrateOpen({ database, known: known.slice(0, 1), onApplied });
  migrateOpen({ database, known, onApplied });
}

function openEmpty(): Disposable & { readonly database: Database.Database } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-new-'));
  const database = new Database(join(folder, 'new.db'));
  // Without it each migration waits for the disk.
  database.pragma('synchronous = off');
  return {
    database,
    [Symbol.dispose]() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
