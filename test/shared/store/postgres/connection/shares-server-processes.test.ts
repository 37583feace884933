import test from 'ava';

import { createServerFinder } from '../../../../../src/shared/store/postgres/connection/server-finder.ts';
import { sharesServerProcesses } from '../../../../../src/shared/store/postgres/connection/shares-server-processes.ts';
import { createTestDatabase } from '../../../../support/database.ts';
import { startPooler } from '../start-pooler.ts';

test('sessions of one database have server processes of their own', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  t.false(await sharesServerProcesses(settingsOf(database.url)));
});

test('a pooler in transaction mode is found out', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  t.true(await sharesServerProcesses(settingsOf(await startPooler(t, database.url))));
});

function settingsOf(url: string) {
  return {
    servers: createServerFinder({ url, connectTimeoutMs: 5_000 }),
    applicationName: 'svc-test',
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    onBackgroundError: () => undefined,
  };
}
