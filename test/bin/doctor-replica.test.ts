import test from 'ava';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { createTestDatabase, runOnServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startStandby } from '../support/servers/postgres-standby.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
const cwd = folder.path;

interface Examined {
  readonly checks: readonly { readonly name: string }[];
}

test('the check of the replica tells what is behind database.read_url', async (t) => {
  const primary = await startPostgresServer();
  t.teardown(() => primary.stop());
  await migrateDatabase({ url: primary.url });
  const standby = await startStandby(primary, { name: 'standby' });
  t.teardown(() => standby.stop());
  const examine = async (readUrl: string) => {
    const env = {
      SVC_DATABASE_URL: primary.url,
      SVC_DATABASE_READ_URL: readUrl,
      SVC_DATABASE_READ_LAG_SECONDS_MAX: '1',
    };
    const { stdout } = await runSvc(['doctor', '-o', 'json'], { cwd, env });
    return (JSON.parse(stdout) as Examined).checks.find(({ name }) => name === 'replica');
  };

  t.like(await eventually(async () => requireReceiver(await examine(standby.url))), {
    verdict: 'ok',
    seen: 'a standby, 0 ms behind in its replay',
  });
  t.like(await examine(primary.url), {
    verdict: 'warn',
    seen: 'database.read_url leads to a server that is no standby',
  });
  t.like(await examine(standby.url.replace(/postgres$/, 'template1')), {
    verdict: 'warn',
    seen: 'database.read_url leads to another database than database.url',
  });

  await runOnServer(primary.url, 'create table earlier (id int)');
  await eventually(() => runOnServer(standby.url, 'select from earlier'));
  await runOnServer(standby.url, 'select pg_wal_replay_pause()');
  await runOnServer(primary.url, 'create table later (id int)');
  const behind = await eventually(async () => {
    const check = await examine(standby.url);
    if (!/ [1-9]\d* s behind/.test(JSON.stringify(check))) throw new Error(JSON.stringify(check));
    return check;
  });
  t.like(behind, { verdict: 'warn' });

  await standby.stop();
  t.regex(JSON.stringify(await examine(standby.url)), /"warn".*does not answer.*ECONNREFUSED/);
});

test('without a replica there is no such check, and SQLite takes none', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const sqlite = { SVC_DATABASE_URL: database.url };
  const { stdout } = await runSvc(['doctor'], { cwd, env: sqlite });
  t.notRegex(stdout, /replica/);
  const env = { ...sqlite, SVC_DATABASE_READ_URL: 'postgres://replica.example/svc' };
  const { code, stderr } = await runSvc(['doctor'], { cwd, env });
  t.is(code, 2);
  t.regex(stderr, /database\.read_url: an SQLite file has no replica; unset it/);
});

/** A standby that has just started connects to its primary a moment later. */
function requireReceiver<Checked>(check: Checked): Checked {
  if (/receives nothing/.test(JSON.stringify(check))) throw new Error('it receives nothing yet');
  return check;
}
