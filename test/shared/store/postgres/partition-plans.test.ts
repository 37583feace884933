import test from 'ava';
import type pg from 'pg';

import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Retiring } from '../../../../src/shared/store/retention.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { eventually } from '../../../support/eventually.ts';
import { end, openRetentionScene } from '../../engine/retention/retention-scene.ts';
import { commitOne, judge, type Started } from '../contract/drive.ts';
import { makeEvent, makePlan, makeUuid } from '../contract/make.ts';
import { partitionAt, partitionPast, startAt } from './partition-scene.ts';
import { connectRaw } from './raw-client.ts';

/* A statement about some executions reads only their partitions, out of a dozen. */

const APPLICATION = 'svc-test-plans';

test('queries about executions search their partitions alone', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { url } = scene.database;
  await partitionPast(url);
  const old = await startAt(scene, -38);
  await scene.store.retention.tendPartitions({ sweepAfterMs: null });
  const [first, second] = [await startAt(scene, 0), await startAt(scene, 0)];
  for (const execution of [old, first, second]) {
    await commitOne(scene.store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
  }
  await end(scene.store, old);
  await scene.seal();
  await scene.age(31);
  const [past, present] = [await partitionAt(url, -38), await partitionAt(url, 0)];
  t.not(past, present);
  const reader = await connectRaw(url);
  t.teardown(() => reader.end());
  for (const [name, expected, ask] of asked({ old, first, second, past, present })) {
    const before = await readScans(reader);
    const store = await openPostgresStore({
      url,
      poolSize: 1,
      maxOverflow: 0,
      applicationName: APPLICATION,
    });
    // The server may plan the first uses again; the third use is like all later ones.
    for (let time = 0; time < 3; time += 1) await ask(store);
    await store.close();
    const after = await readScans(reader);
    const touched = [...after]
      .filter(([table, scans]) => scans > (before.get(table) ?? 0))
      .map(([table]) => table);
    t.deepEqual(touched, expected.toSorted(), name);
  }
});

interface Cast {
  readonly old: Started;
  readonly first: Started;
  readonly second: Started;
  readonly past: string;
  readonly present: string;
}

type Asked = readonly [
  name: string,
  partitions: readonly string[],
  ask: (store: Store) => Promise<unknown>,
];

function asked({ old, first, second, past, present }: Cast): readonly Asked[] {
  const ids = [first.executionId, second.executionId];
  const both = (store: Store) => Promise.all(ids.map((id) => store.executions.load(id, null)));
  return [
    ['events', [past], (store) => store.executions.events({ ...old, after: 0, limit: 10 })],
    ['load', [past], (store) => store.executions.load(old.executionId, null)],
    ['load of a tenant', [past], (store) => store.executions.load(old.executionId, old.tenantId)],
    ['load of many at once', [present], both],
    ['document', [past], (store) => store.executions.document(old.executionId, null)],
    ['histories', [past], (store) => store.retention.histories([old.executionId])],
    ['histories of many', [present], (store) => store.retention.histories(ids)],
    ['measure', [past], (store) => store.retention.measure([old.executionId])],
    ['scan', [past], (store) => store.retention.scan({ ...SCAN, tenantId: old.tenantId })],
    ['removal', [past], (store) => store.retention.retire(removalOf(old))],
    ['commit', [], (store) => judge(store, makePlan(first, { events: [makeEvent()] }))],
  ];
}

/** The first removal is executed; further ones are refused, because the execution is gone. */
function removalOf({ executionId, tenantId }: Started): Retiring {
  return {
    retirementId: makeUuid(),
    tenantId,
    actorId: 'system:cli',
    told: {},
    executions: [{ executionId, lastSequence: 5, eventHashes: '0'.repeat(5 * 64) }],
  };
}

const SCAN = {
  workflowId: null,
  status: null,
  olderThanMs: 86_400_000,
  defaults: { completed: 0, failed: 0, cancelled: 0 },
  ageMsMin: 86_400_000,
  after: null,
  limit: 1,
} as const;

/** The number of scans of each partition, by sessions that have ended. */
async function readScans(reader: pg.Client): Promise<ReadonlyMap<string, number>> {
  await eventually(async () => {
    const { rows } = await reader.query(
      'select from pg_stat_activity where application_name = $1',
      [APPLICATION],
    );
    if (rows.length > 0) throw new Error('a session has not ended');
  });
  await reader.query('select pg_stat_force_next_flush()');
  const { rows } = await reader.query<{ readonly table: string; readonly scans: number }>(
    `select t.relname as table, (coalesce(t.seq_scan, 0) + coalesce(t.idx_scan, 0))::float8 as scans
     from pg_stat_user_tables t
     where t.relname ~ '^events_'
     order by t.relname`,
  );
  return new Map(rows.map(({ table, scans }) => [table, scans]));
}
