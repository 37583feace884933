import test from 'ava';

import type { SessionTarget } from '../../../../../src/shared/config/postgres-hosts.ts';
import { probeServer } from '../../../../../src/shared/store/postgres/connection/probe-server.ts';
import { createTestDatabase, runOnServer } from '../../../../support/database.ts';
import { startPostgresServer } from '../../../../support/servers/postgres-server.ts';
import { startStandby } from '../../../../support/servers/postgres-standby.ts';

/* Which servers are fit for which value of `target_session_attrs`. */

const probe = (connectionString: string, target: SessionTarget) =>
  probeServer({ connectionString, target, timeoutMs: 10_000 });

test('a standby is fit for any, and for nothing else', async (t) => {
  const primary = await startPostgresServer();
  t.teardown(() => primary.stop());
  const standby = await startStandby(primary, { name: 'standby' });
  t.teardown(() => standby.stop());
  const own = await probe(primary.url, 'any');
  if (!own.isFit) return t.fail(String(own.error));
  t.true(own.timeline >= 1);
  // It shares the system of its primary, and starts no timeline.
  t.deepEqual(await probe(standby.url, 'any'), { ...own, timeline: 0 });
  for (const target of ['primary', 'read-write'] as const) {
    const reading = await probe(standby.url, target);
    t.like(reading, { isFit: false, isSilent: false });
    t.regex(reading.isFit ? '' : String(reading.error), /this server is a standby/);
  }
});

test('a server whose sessions only read is fit for all but read-write', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  await runOnServer(database.url, `alter database ${name} set default_transaction_read_only = on`);
  t.like(await probe(database.url, 'any'), { isFit: true });
  t.like(await probe(database.url, 'primary'), { isFit: true });
  const reading = await probe(database.url, 'read-write');
  t.regex(reading.isFit ? '' : String(reading.error), /this server is read-only/);
});
