import { once } from 'node:events';
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import { migrationStatus } from '../../../../../src/shared/store/opening/migrate.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import {
  findPgbouncer,
  startPgbouncer,
  type PoolMode,
} from '../../../../chaos/cluster/pgbouncer.ts';
import { createTestDatabase, runOnServer } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { leaveOut } from '../../../../support/gate/sdk-step.ts';
import { freePort } from '../../../../support/servers/ports.ts';
import { judge, start } from '../../contract/drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../../contract/make.ts';
import { createRuntimeRole } from '../runtime-role.ts';

/** A real pooler. A machine without it leaves these tests out. */

if (findPgbouncer() === null) {
  leaveOut('poolers were NOT tested: install the package pgbouncer');
  test('no direct URL means that sessions are the process’s own', async (t) => {
    const database = await createTestDatabase('postgres');
    t.teardown(() => database.drop());
    await t.notThrowsAsync(migrationStatus(database));
  });
} else {
  test('a pooler in transaction mode serves each tenant its own rows', async (t) => {
    const { pooledUrl, directUrl } = await startBehind(t, 'transaction');
    const store = await openPostgresStore({ url: pooledUrl, directUrl, poolSize: 8 });
    t.teardown(() => store.close());
    const tenants = Array.from({ length: 8 }, () => makeTenantId());
    const executions = await Promise.all(tenants.map((tenantId) => start(store, { tenantId })));
    const seen = await Promise.all(
      executions.flatMap(({ executionId }) =>
        tenants.map(
          async (tenantId) => (await store.executions.find(executionId, tenantId)) !== null,
        ),
      ),
    );
    t.deepEqual(
      seen,
      tenants.flatMap((one) => tenants.map((other) => one === other)),
    );
    const plans = executions.map((execution) => makePlan(execution, { events: [makeEvent()] }));
    const verdicts = await Promise.all(plans.map((plan) => judge(store, plan)));
    t.true(verdicts.every(({ accepted }) => accepted));
    t.false(
      verdicts.some((verdict) => verdict.accepted && verdict.lastSequence !== 2),
      'each commit is carried out once',
    );
  });

  test('a pooler in transaction mode keeps settings of statements within their transactions', async (t) => {
    const { pooledUrl, directUrl } = await startBehind(t, 'transaction');
    const store = await openPostgresStore({ url: pooledUrl, directUrl });
    t.teardown(() => store.close());
    await start(store);
    const { rows } = await runOnServer(
      pooledUrl,
      `select current_setting('svc.tenant', true) as tenant, current_setting('enable_seqscan') as scans`,
    );
    t.deepEqual(rows, [{ tenant: '', scans: 'on' }]);
  });

  test('locks and hints take the direct URL', async (t) => {
    const { pooledUrl, directUrl } = await startBehind(t, 'transaction');
    const [one, other] = await Promise.all([
      openPostgresStore({ url: pooledUrl, directUrl }),
      openPostgresStore({ url: pooledUrl, directUrl }),
    ]);
    t.teardown(() => Promise.all([one.close(), other.close()]));
    t.is((await one.shards.balance({ target: 64 })).length, 64);
    t.deepEqual(await other.shards.balance({ target: 64 }), []);
    const heard: string[] = [];
    await other.wake.listen((topics) => heard.push(...topics));
    one.wake.send(['run:1']);
    await eventually(() => {
      if (!heard.includes('run:1')) throw new Error('no hint yet');
    });
    const facts = await one.diagnosis.serverFacts({ checkedBytesMax: 0 });
    t.like(facts, { isPooledByTransaction: false });
  });

  test('an error behind a pooler in transaction mode leaves nothing behind', async (t) => {
    const { pooledUrl, directUrl, ownerUrl } = await startBehind(t, 'transaction');
    const store = await openPostgresStore({
      url: pooledUrl,
      directUrl,
      statementTimeoutMs: 500,
      poolSize: 1,
      maxOverflow: 0,
    });
    t.teardown(() => store.close());
    const execution = await start(store);
    const id = execution.executionId.slice('exec_'.length);
    const holding = runOnServer(
      ownerUrl,
      `begin; select from executions where id = '${id}' for update; select pg_sleep(2); rollback`,
    );
    await eventually(async () => {
      const { rowCount } = await runOnServer(
        ownerUrl,
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      if (rowCount === 0) throw new Error('nothing is locked yet');
    });
    const plan = makePlan(execution, { events: [makeEvent()] });
    await t.throwsAsync(judge(store, plan), { name: 'StoreUnavailableError' });
    await holding;
    t.like(await judge(store, plan), { accepted: true, lastSequence: 2 });
  });

  test('a pooler in transaction mode without a direct URL is refused with what to set', async (t) => {
    const { pooledUrl, directUrl } = await startBehind(t, 'transaction');
    const error = await t.throwsAsync(migrationStatus({ dialect: 'postgres', url: pooledUrl }));
    t.is(error.name, 'PoolerError');
    t.regex(error.message, /database\.direct_url/);
    const behind = { dialect: 'postgres', url: pooledUrl, directUrl } as const;
    t.deepEqual((await migrationStatus(behind)).pending, []);
  });

  test('a direct URL that leads to a pooler in transaction mode is refused as that', async (t) => {
    const { pooledUrl: url } = await startBehind(t, 'transaction');
    const behind = { dialect: 'postgres', url, directUrl: url } as const;
    await t.throwsAsync(migrationStatus(behind), {
      name: 'PoolerError',
      message: /^a pooler in transaction mode is behind database\.direct_url, /,
    });
  });

  test('a login that a lost server never answers delays a pooler by few seconds', async (t) => {
    const front = await openFront(t);
    const { pooledUrl, directUrl } = await startBehind(t, 'transaction', front);
    const store = await openPostgresStore({ url: pooledUrl, directUrl });
    t.teardown(() => store.close());
    const began = performance.now();
    await eventually(() => store.ping({ timeoutMs: 5_000 }));
    t.is(front.unanswered(), 1);
    // The default of PgBouncer is 15 s.
    t.true(performance.now() - began < 13_000);
  });

  test('a pooler in session mode needs no direct URL', async (t) => {
    const { pooledUrl } = await startBehind(t, 'session');
    t.deepEqual((await migrationStatus({ dialect: 'postgres', url: pooledUrl })).pending, []);
    const store = await openPostgresStore({ url: pooledUrl });
    t.teardown(() => store.close());
    t.like(await judge(store, makePlan(await start(store), { events: [makeEvent()] })), {
      accepted: true,
      lastSequence: 2,
    });
    t.is((await store.shards.balance({ target: 64 })).length, 64);
  });
}

interface Front {
  readonly port: number;
  leadTo(port: number): void;
  unanswered(): number;
}

/** Leads to a server, but for its first connection, which nobody answers and nobody ends. */
async function openFront(t: ExecutionContext): Promise<Front> {
  const sockets = new Set<Socket>();
  let target = 0;
  let unanswered = 0;
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    if (unanswered === 0) {
      unanswered += 1;
      return;
    }
    const onward = connect({ port: target, host: '127.0.0.1' }).on('error', () => undefined);
    sockets.add(onward);
    client.pipe(onward).pipe(client);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return {
    port,
    leadTo: (port) => void (target = port),
    unanswered: () => unanswered,
  };
}

/** The pooler has fewer connections to the server than the process has to the pooler. */
async function startBehind(
  t: ExecutionContext,
  mode: PoolMode,
  front: Front | null = null,
): Promise<{
  readonly pooledUrl: string;
  readonly directUrl: string;
  readonly ownerUrl: string;
}> {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const role = await createRuntimeRole(database.url);
  t.teardown(role.drop);
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-pooler-'));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const url = new URL(role.url);
  front?.leadTo(Number(url.port));
  const pooler = await startPgbouncer({
    folder,
    serverPort: front?.port ?? Number(url.port),
    mode,
    users: [url.username],
    poolSize: mode === 'transaction' ? 3 : 20,
  });
  t.teardown(() => pooler.close());
  const pooled = new URL(role.url);
  pooled.port = String(pooler.port);
  if (front === null) await eventually(() => runOnServer(pooled.href, 'select 1'));
  return { pooledUrl: pooled.href, directUrl: role.url, ownerUrl: database.url };
}
