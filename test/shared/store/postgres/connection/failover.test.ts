import test, { type ExecutionContext } from 'ava';

import { migrateDatabase } from '../../../../../src/shared/store/opening/migrate.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { Line } from '../../../../chaos/proxy/line.ts';
import { runOnServer } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  startPostgresServer,
  type PostgresServer,
} from '../../../../support/servers/postgres-server.ts';
import { startStandby } from '../../../../support/servers/postgres-standby.ts';
import { judge, start } from '../../contract/drive.ts';
import { makeEvent, makePlan } from '../../contract/make.ts';

const RECOVERY_MS_MAX = 5_000;

test('a URL with several hosts follows the promotion when the primary dies', async (t) => {
  const { primary, standby, url } = await startPair(t);
  const store = await openPostgresStore({ url });
  t.teardown(() => store.close());
  const execution = await start(store);
  t.deepEqual((await store.shards.balance({ target: 64 })).length, 64);
  await runOnServer(primary.url, `alter system set synchronous_standby_names = ''`);
  await primary.stop();
  const error = await t.throwsAsync(commit(store, execution), {
    instanceOf: StoreUnavailableError,
  });
  t.regex(error.message, /^database unavailable: /);
  t.deepEqual(await store.shards.balance({ target: 64 }), [], 'no lock outlives its server');
  await promote(standby);
  const began = performance.now();
  t.like(await eventually(() => commit(store, execution)), { accepted: true, lastSequence: 2 });
  t.true(performance.now() - began < RECOVERY_MS_MAX);
  await eventually(async () => {
    const shards = await store.shards.balance({ target: 64 });
    return shards.length === 64 ? shards : Promise.reject(new Error('not yet'));
  });
});

test('a primary that another has replaced keeps no client, though it still runs', async (t) => {
  const { primary, standby, url } = await startPair(t);
  const store = await openPostgresStore({ url });
  t.teardown(() => store.close());
  const execution = await start(store);
  await promote(standby);
  // The replaced primary waits for a standby that follows it no longer, so the commit has no answer.
  const began = performance.now();
  const error = await t.throwsAsync(commit(store, execution), {
    instanceOf: StoreUnavailableError,
  });
  t.true(performance.now() - began < RECOVERY_MS_MAX);
  t.true(error.ambiguous);
  t.like(await commit(store, execution), { accepted: true, lastSequence: 2 });
  t.is(await countSequences(standby), 2, 'the replaced primary added nothing');
  // A new process asks both, and takes the newer.
  const other = await openPostgresStore({ url });
  t.teardown(() => other.close());
  t.like(await other.executions.find(execution.executionId, null), { lastSequence: 2 });
  await runOnServer(primary.url, `alter system set synchronous_standby_names = ''`);
});

test('a URL that leads to a standby alone is unavailable', async (t) => {
  const { standby } = await startPair(t);
  const store = await openPostgresStore({ url: standby.url });
  t.teardown(() => store.close());
  const error = await t.throwsAsync(store.ping({ timeoutMs: 5_000 }), {
    instanceOf: StoreUnavailableError,
  });
  t.regex(error.message, /this server is a standby/);
  const reader = await openPostgresStore({ url: `${standby.url}?target_session_attrs=any` });
  t.teardown(() => reader.close());
  await t.notThrowsAsync(reader.ping({ timeoutMs: 5_000 }));
});

test('a server that falls silent is given up within seconds', async (t) => {
  const { primary } = await startPair(t);
  const line = await Line.open({
    name: 'store→postgres',
    protocol: 'postgres',
    targetPort: Number(new URL(primary.url).port),
  });
  t.teardown(() => line.close());
  const url = new URL(primary.url);
  url.port = String(line.port);
  const store = await openPostgresStore({ url: url.href, connectTimeoutMs: 1_000 });
  t.teardown(() => store.close());
  const execution = await start(store);
  line.fallSilent();
  const began = performance.now();
  const error = await t.throwsAsync(commit(store, execution), {
    instanceOf: StoreUnavailableError,
  });
  t.true(error.ambiguous);
  t.true(performance.now() - began < RECOVERY_MS_MAX);
  line.heal();
  t.like(await eventually(() => commit(store, execution)), { accepted: true });
});

test('a commit that no standby has confirmed is ambiguous', async (t) => {
  const { primary, standby } = await startPair(t);
  const store = await openPostgresStore({ url: primary.url, applicationName: 'svc-unconfirmed' });
  t.teardown(() => store.close());
  const execution = await start(store);
  await standby.stop();
  const committing = commit(store, execution);
  await eventually(async () => {
    const { rowCount } = await runOnServer(
      primary.url,
      `select pg_cancel_backend(pid) from pg_stat_activity
       where application_name = 'svc-unconfirmed' and wait_event = 'SyncRep'`,
    );
    if (rowCount === 0) throw new Error('the commit does not wait yet');
  });
  const error = await t.throwsAsync(committing, { instanceOf: StoreUnavailableError });
  t.true(error.ambiguous);
  await runOnServer(primary.url, `alter system set synchronous_standby_names = ''`);
});

/** A primary whose commits wait for its standby. */
async function startPair(t: ExecutionContext): Promise<{
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly url: string;
}> {
  const primary = await startPostgresServer();
  t.teardown(() => primary.stop());
  await migrateDatabase({ url: primary.url });
  const standby = await startStandby(primary, { name: 'standby' });
  t.teardown(() => standby.stop());
  await runOnServer(primary.url, `alter system set synchronous_standby_names = 'standby'`);
  await runOnServer(primary.url, 'select pg_reload_conf()');
  await eventually(async () => {
    const { rowCount } = await runOnServer(
      primary.url,
      `select from pg_stat_replication where sync_state = 'sync'`,
    );
    if (rowCount !== 1) throw new Error('the standby does not follow yet');
  });
  const [one, other] = [primary, standby].map(({ url }) => new URL(url).host);
  return { primary, standby, url: `postgres://postgres@${one},${other}/postgres` };
}

async function promote(standby: PostgresServer): Promise<void> {
  await runOnServer(standby.url, 'select pg_promote()');
}

async function countSequences(server: PostgresServer): Promise<number> {
  const { rows } = await runOnServer(server.url, 'select count(*)::int4 as events from events');
  return (rows[0] as { readonly events: number }).events;
}

type Store = Awaited<ReturnType<typeof openPostgresStore>>;

function commit(store: Store, execution: Awaited<ReturnType<typeof start>>) {
  return judge(store, makePlan(execution, { events: [makeEvent()] }));
}
