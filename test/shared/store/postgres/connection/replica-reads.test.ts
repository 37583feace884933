import test, { type ExecutionContext } from 'ava';

import { beginLaggingReads } from '../../../../../src/shared/store/readings/lagging-reads.ts';
import { migrateDatabase } from '../../../../../src/shared/store/opening/migrate.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import type {
  ReplicaRead,
  ReplicaState,
} from '../../../../../src/shared/store/readings/replica-report.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  startPostgresServer,
  type PostgresServer,
} from '../../../../support/servers/postgres-server.ts';
import { startStandby } from '../../../../support/servers/postgres-standby.ts';
import { start } from '../../contract/drive.ts';
import { makeTenantId } from '../../contract/make.ts';

const TENANT = makeTenantId();

test('only a request that says so reads from a replica, and only until it writes or ends', async (t) => {
  const { primary, standby } = await startPair(t);
  const { store, outcomes } = await openStore(t, { url: primary.url, readUrl: standby.url });
  await start(store, { tenantId: TENANT });
  await eventually(async () => {
    const reads = beginLaggingReads();
    const found = await reads.run(() => list(store));
    if (reads.stalenessMs === null || found.length === 0) throw new Error('the primary answers');
  });

  // Nobody has asked for it: the engine, a single execution.
  const outside = beginLaggingReads();
  await list(store);
  t.is(outside.stalenessMs, null);

  for (const write of [
    () => start(store, { tenantId: TENANT }),
    () => store.tokens.revoke(crypto.randomUUID(), TENANT, 'token:a'),
  ]) {
    outcomes.length = 0;
    const writing = beginLaggingReads();
    await writing.run(async () => {
      await list(store);
      await write();
      await list(store);
    });
    t.deepEqual(outcomes, ['replica']);
  }

  const ended = beginLaggingReads();
  await ended.run(async () => {
    ended.end();
    await list(store);
  });
  t.is(ended.stalenessMs, null);
});

test('a server that is no replica of the database is not read', async (t) => {
  const { primary, standby } = await startPair(t);
  const stranger = await startPostgresServer();
  t.teardown(() => stranger.stop());
  for (const [readUrl, reason] of [
    [stranger.url, 'it has another database than database.url'],
    [primary.url, 'it is no standby'],
    [standby.url.replace(/\/postgres$/, '/template1'), 'it has another database than database.url'],
  ] as const) {
    const { store, changes } = await openStore(t, { url: primary.url, readUrl });
    const reads = beginLaggingReads();
    await eventually(async () => {
      await reads.run(() => list(store));
      if (changes.length === 0) throw new Error('nothing is known of it yet');
    });
    await reads.run(() => list(store));
    t.is(reads.stalenessMs, null);
    t.deepEqual(changes, [['unfit', reason]]);
  }
});

function list(store: Store) {
  return store.executions.list({
    tenantId: TENANT,
    status: null,
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 100,
    offset: 0,
  });
}

async function openStore(
  t: ExecutionContext,
  urls: { readonly url: string; readonly readUrl: string },
) {
  const changes: [ReplicaState, string][] = [];
  const outcomes: ReplicaRead[] = [];
  const store = await openPostgresStore({
    ...urls,
    readLagMsMax: 10_000,
    onReplica: {
      read: (outcome) => void outcomes.push(outcome),
      changed: (state, reason) => void changes.push([state, reason]),
    },
  });
  t.teardown(() => store.close());
  return { store, changes, outcomes };
}

async function startPair(
  t: ExecutionContext,
): Promise<{ readonly primary: PostgresServer; readonly standby: PostgresServer }> {
  const primary = await startPostgresServer();
  t.teardown(() => primary.stop());
  await migrateDatabase({ url: primary.url });
  const standby = await startStandby(primary, { name: 'standby' });
  t.teardown(() => standby.stop());
  return { primary, standby };
}
