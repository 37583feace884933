import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';

import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';
import { readPostgresSchema } from './read-postgres-schema.ts';
import { readSqliteSchema } from './read-sqlite-schema.ts';

/*
 * The schema that all migrations create in an empty database, for readers of the code.
 * `UPDATE_DOCS=1 npm test -- test/shared/store/schema` writes both files; a review
 * then shows the changes of a migration.
 */

for (const dialect of ['postgres', 'sqlite'] as const) {
  test(`${dialect}.sql is the schema that the migrations make`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const current =
      dialect === 'postgres'
        ? await readPostgresSchema(database.url)
        : readSqliteSchema(sqlitePath(database.url));
    const file = new URL(`${dialect}.sql`, import.meta.url);
    if (process.env['UPDATE_DOCS'] === '1') await writeFile(file, current);
    t.is(
      await readFile(file, 'utf8'),
      current,
      'run: UPDATE_DOCS=1 npm test -- test/shared/store/schema',
    );
  });
}
