import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import test from 'ava';

import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';

const PROBE = fileURLToPath(new URL('list-loaded-drivers.ts', import.meta.url));

test('opening a store on SQLite loads no PostgreSQL driver', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const address = { dialect: 'sqlite', path: sqlitePath(database.url) };
  t.deepEqual(await loadedDrivers(address), { dialect: 'sqlite', drivers: ['better-sqlite3'] });
});

test('opening a store on PostgreSQL loads no SQLite driver', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const address = { dialect: 'postgres', url: database.url, poolSize: 1, maxOverflow: 0 };
  t.deepEqual(await loadedDrivers(address), { dialect: 'postgres', drivers: ['pg', 'slonik'] });
});

/** Runs in a separate process, because this one has loaded both. */
async function loadedDrivers(address: object): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE, JSON.stringify(address)]);
  return JSON.parse(stdout);
}
