import test, { type ExecutionContext } from 'ava';
import pg from 'pg';

import { advisoryKey } from '../../../../src/shared/store/postgres/connection/advisory-key.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { ServerFacts, Timeline } from '../../../../src/shared/store/installation.ts';
import { runOnServer } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { withRuntimeRole } from '../../store/postgres/runtime-role.ts';
import { openInstallation } from './doctor-scene.ts';

/** Sets a default for new sessions on the test's database. */
async function set(url: string, setting: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runOnServer(url, `alter database ${name} set ${setting}`);
}

async function connect(t: ExecutionContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'somebody' });
  client.on('error', () => undefined);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

test('durability: a server that does not sync, and sessions that do not wait', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  await set(svc.url, 'synchronous_commit = off');
  const { check } = await svc.ask();
  t.is(check('durability').verdict, 'fail');
  // The server of the tests has disabled the other two.
  t.regex(check('durability').advice ?? '', /synchronous_commit, fsync, full_page_writes/);
});

test('autovacuum: a table that is left out', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.is((await svc.ask()).verdict('autovacuum'), 'ok');
  await svc.change('alter table work_queue set (autovacuum_enabled = false)');
  const { check } = await svc.ask();
  t.like(check('autovacuum'), { verdict: 'fail', seen: 'off for work_queue' });
});

test('snapshots: a session that holds one, and for how long', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  const holder = await connect(t, svc.url);
  await holder.query('begin isolation level repeatable read');
  const { rows } = await holder.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const fresh = await svc.ask({ limits: { snapshotMs: { warn: 3_600_000, fail: 7_200_000 } } });
  t.is(fresh.verdict('snapshots'), 'ok');
  t.regex(fresh.check('snapshots').seen, new RegExp(`session ${pid} somebody`));
  const old = await svc.ask({ limits: { snapshotMs: { warn: 0, fail: 7_200_000 } } });
  t.is(old.verdict('snapshots'), 'warn');
  t.regex(old.check('snapshots').advice ?? '', new RegExp(`pg_terminate_backend\\(${pid}\\)`));
  t.is(
    (await svc.ask({ limits: { snapshotMs: { warn: 0, fail: 0 } } })).verdict('snapshots'),
    'fail',
  );
});

test('lock waits: the waiting session, its time, and the session that blocks it', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.is((await svc.ask()).check('lock waits').seen, 'nobody waits for a lock');
  const [holder, waiter] = [await connect(t, svc.url), await connect(t, svc.url)];
  await holder.query('begin');
  await holder.query('lock table webhooks in access exclusive mode');
  const { rows } = await holder.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  const waiting = waiter.query('select from webhooks limit 1');
  const pid = rows[0]?.pid ?? 0;
  const limits = { lockWaitMs: { warn: 0, fail: 3_600_000 } };
  await eventually(async () => {
    const { check } = await svc.ask({ limits });
    if (check('lock waits').verdict !== 'warn') throw new Error('nobody is seen to wait');
  });
  const { check } = await svc.ask({ limits });
  t.regex(check('lock waits').seen, new RegExp(`longest \\d+ somebody, for .*, behind ${pid}$`));
  t.regex(check('lock waits').advice ?? '', new RegExp(`pg_terminate_backend\\(${pid}\\)`));
  await holder.query('rollback');
  await waiting;
});

test('time-outs: none for forgotten transactions', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.like((await svc.ask()).check('time-outs'), {
    verdict: 'warn',
    seen: 'idle in transaction without end, statements without end',
  });
});

test('time-outs: as they should be', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  await set(svc.url, `idle_in_transaction_session_timeout = '60s'`);
  t.like((await svc.ask()).check('time-outs'), {
    verdict: 'ok',
    seen: 'idle in transaction 60 s, statements without end',
  });
});

test('time-outs: too short a one for migrations', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  await set(svc.url, `statement_timeout = '10s'`);
  const { check } = await svc.ask();
  t.like(check('time-outs'), { verdict: 'warn' });
  t.regex(check('time-outs').advice ?? '', /migrations/);
});

test('migrations: one that is under way', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  const migrator = await connect(t, svc.url);
  await migrator.query('select pg_advisory_lock($1)', [advisoryKey('migration', 0)]);
  const { check } = await svc.ask();
  t.is(check('migrations').verdict, 'warn');
  t.regex(check('migrations').seen, /^session \d+ \(somebody\) is migrating$/);
});

test('connections: more may be wanted than there are', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.is((await svc.ask()).verdict('connections'), 'ok');
  const setup = { connectionsPerProcess: 1_000, keyIds: [] };
  const { check } = await svc.ask({ setup });
  t.like(check('connections'), { verdict: 'warn' });
  t.regex(check('connections').seen, /1 of our processes may want 1000$/);
});

test('shards: their holders, and those without a holder', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  const all = await svc.ask();
  t.is(all.verdict('shards'), 'ok');
  t.regex(all.check('shards').seen, /^64 of 64 worked; \d+ svc-test-locks: 64; duties: \d+$/);
  await svc.store.shards.balance({ target: 60 });
  t.like((await svc.ask()).check('shards'), { verdict: 'warn' });
  await svc.store.shards.releaseAll();
  await svc.store.workers.withdraw({ workerId: 'process-1', tenantId: null });
  const none = await svc.ask();
  t.is(none.verdict('shards'), 'fail');
  t.regex(none.check('shards').seen, /^0 of 64 worked/);
});

test('dead rows: a table that is full of them', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  await svc.change('alter table timers set (autovacuum_enabled = false)');
  const row = `'t', now(), 'wait' from generate_series(1, 200) n`;
  await svc.change(
    `insert into timers (execution_id, name, tenant_id, due_at, purpose)
     select gen_random_uuid(), n::text, ${row};
     delete from timers;
     select pg_stat_force_next_flush()`,
  );
  const { check } = await svc.ask({ limits: { deadTuplesWarn: 100 } });
  t.like(check('dead rows'), { verdict: 'warn' });
  t.regex(check('dead rows').seen, /^most in timers: 200 dead, 0 live$/);
});

test('rights: a role that owns nothing, and what it may create', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.is((await svc.ask()).check('rights').seen, 'the role owns the tables');
  const role = await withRuntimeRole(t, svc.url);
  const runtime = await openPostgresStore({ url: role.url, poolSize: 1 });
  t.teardown(() => runtime.close());
  const ask = async () => (await svc.ask({ diagnosis: runtime.diagnosis })).check('rights');
  t.like(await ask(), { verdict: 'ok', seen: 'the role owns nothing and creates nothing' });
  const name = new URL(svc.url).pathname.slice(1);
  await svc.change(`grant temporary on database ${name} to public`);
  t.regex((await ask()).seen, /may create temporary tables$/);
  await svc.change('grant create on schema public to public');
  t.like(await ask(), {
    verdict: 'warn',
    seen: 'the role owns no table and may create temporary tables, and tables and functions in the schema',
  });
});

test('restore: a timeline that is not the first, and its age', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  t.like((await svc.ask()).check('restore'), { verdict: 'ok', advice: null });
  const on = async (timeline: Timeline) => {
    const server = await svc.store.diagnosis.serverFacts({ checkedBytesMax: 0 });
    const diagnosis = {
      ...svc.store.diagnosis,
      serverFacts: async () => ({ ...server, timeline }) as ServerFacts,
    };
    return (await svc.ask({ diagnosis })).check('restore');
  };
  const fresh = await on({ number: 2, ageMs: 3_600_000 });
  t.like(fresh, {
    verdict: 'warn',
    seen: 'timeline 2, begun by a restore or a failover 60 min ago',
  });
  t.regex(fresh.advice ?? '', /svc audit verify/);
  t.is((await on({ number: 2, ageMs: 25 * 3_600_000 })).verdict, 'ok');
  t.like(await on({ number: 3, ageMs: null }), { verdict: 'ok' });
  t.is((await on({ number: null, ageMs: null })).verdict, 'skipped');
});

test('pooling: sessions that keep their server process', async (t) => {
  const svc = await openInstallation(t, 'postgres');
  const { check } = await svc.ask();
  t.is(check('pooling').verdict, 'ok');
  const diagnosis = {
    ...svc.store.diagnosis,
    serverFacts: async () => {
      const server = await svc.store.diagnosis.serverFacts({ checkedBytesMax: 0 });
      return { ...server, isPooledByTransaction: true };
    },
  };
  t.is((await svc.ask({ diagnosis })).verdict('pooling'), 'fail');
});
