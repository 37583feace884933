import test from 'ava';
import pg from 'pg';

import { executionIdFromUuid } from '../../../../../src/shared/domain/ids.ts';
import { runOnServer } from '../../../../support/database.ts';
import { importingOf } from '../../../../support/imports.ts';
import {
  end,
  openRetentionScene,
  present,
  type RetentionScene,
} from '../../../engine/retention/retention-scene.ts';
import { commitOne, start, type Started } from '../../contract/drive.ts';
import { makeEvent, makePlan, makeUuid } from '../../contract/make.ts';
import { partitionAt, partitionPast, startAt } from '../partition-scene.ts';

const DAY_MS = 86_400_000;
const SWEEP = { sweepAfterMs: 2 * DAY_MS };

test('old and new rows are read and written as before, with any id', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, tenantId } = scene;
  const before = await start(store, { tenantId });
  t.is(await store.retention.partitionEvents({ days: 7 }), 'done');
  t.is(await store.retention.partitionEvents({ days: 7 }), 'already');
  const executions = [before, await start(store, { tenantId })];
  for (const inDays of [-400, 3, 12, 400]) {
    executions.push(await startAt(scene, inDays));
  }
  for (const execution of executions) {
    await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
    const loaded = await store.executions.load(execution.executionId, null);
    t.deepEqual(
      loaded?.events.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
  }
  const many = await Promise.all(
    executions.map(({ executionId }) => store.executions.load(executionId, null)),
  );
  t.true(many.every((loaded) => loaded?.events.length === 3));
  t.deepEqual(await tablesOf(scene, executions), [
    'events_before',
    'events_before',
    'events_before',
    await partitionAt(scene.database.url, 3),
    await partitionAt(scene.database.url, 12),
    'events_other',
  ]);
});

test('a partition whose executions are all removed is dropped, and the log still proved', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, seal, age, run, verify } = scene;
  await partitionPast(scene.database.url);
  const old = [await startAt(scene, -38), await startAt(scene, -38)];
  const newer = [await startAt(scene, -30)];
  for (const execution of [...old, ...newer]) await end(store, execution);
  await seal();
  const name = await partitionAt(scene.database.url, -38);
  await age(31);
  await store.retention.tendPartitions(SWEEP);
  t.is(await countEvents(scene, [...old, ...newer]), 9);
  await run({ olderThanMs: DAY_MS });
  t.deepEqual(await present(store, [...old, ...newer]), []);
  t.is(await countEvents(scene, old), 6);
  t.deepEqual((await verify()).problems, []);
  t.like(await store.retention.tendPartitions(SWEEP), { sweptEvents: 0 });
  t.is(await countEvents(scene, [...old, ...newer]), 0);
  const left = await runOnServer(scene.database.url, `select to_regclass('${name}') as name`);
  t.deepEqual(left.rows, [{ name: null }]);
  t.like(await verify(), { problems: [], retiredItems: 9, retiredExecutions: 3 });
});

test('a partition with a live execution stays, and is swept of the removed ones', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, seal, age, run, verify } = scene;
  await partitionPast(scene.database.url);
  const live = await startAt(scene, -38);
  const ended = await startAt(scene, -38);
  await end(store, ended);
  await seal();
  await age(31);
  await run({ olderThanMs: DAY_MS });
  t.like(await store.retention.tendPartitions({ sweepAfterMs: null }), { sweptEvents: 0 });
  t.like(await store.retention.tendPartitions(SWEEP), { sweptEvents: 3 });
  t.like(await store.retention.tendPartitions(SWEEP), { sweptEvents: 0 });
  t.is(await countEvents(scene, [live]), 1);
  await commitOne(store, makePlan(live, { events: [makeEvent()] }));
  await seal();
  t.deepEqual((await verify()).problems, []);
});

test('a partition with few remaining rows is rewritten, and those stay unchanged', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, database, seal, age, run, verify } = scene;
  await partitionPast(scene.database.url);
  const live = await startAt(scene, -38);
  const payload = JSON.stringify({ text: Array.from({ length: 3_000 }, makeUuid).join('') });
  const ended: Started[] = [];
  for (let index = 0; index < 4; index += 1) {
    const execution = await startAt(scene, -38);
    await commitOne(store, makePlan(execution, { events: [makeEvent({ payload })] }));
    await end(store, execution);
    ended.push(execution);
  }
  await commitOne(store, makePlan(live, { events: [makeEvent(), makeEvent()] }));
  await seal();
  await age(31);
  const before = await store.executions.events({ ...live, after: 0, limit: null });
  const shrink = { ...SWEEP, shrinkBytesMin: 100_000 };
  t.like(await store.retention.tendPartitions(shrink), { shrunk: 0 }, 'nothing is removed yet');
  await unsweep(scene);
  await run({ olderThanMs: DAY_MS });
  const name = await partitionAt(scene.database.url, -38);
  const sizeOf = async () =>
    (await store.retention.listPartitions()).find((partition) => partition.name === name)?.bytes;
  const size = (await sizeOf()) ?? 0;
  t.like(await store.retention.tendPartitions(shrink), { shrunk: 1, sweptEvents: 0 });
  t.true(((await sizeOf()) ?? 0) < size / 2, `${await sizeOf()} of ${size} bytes`);
  t.is(await countEvents(scene, ended), 0);
  t.deepEqual(await store.executions.events({ ...live, after: 0, limit: null }), before);
  for (const change of [`update ${name} set actor_id = 'x'`, `truncate ${name}`]) {
    await t.throwsAsync(runOnServer(database.url, change), { message: /is refused/ }, change);
  }
  await commitOne(store, makePlan(live, { events: [makeEvent()] }));
  await seal();
  t.deepEqual((await verify()).problems, []);
  await unsweep(scene);
  t.like(await store.retention.tendPartitions(shrink), { shrunk: 0 }, 'it is small by now');
});

test('a partition is not rewritten while some of its events belong to no execution on record', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, database, seal, age, run } = scene;
  await partitionPast(scene.database.url);
  const live = await startAt(scene, -38);
  const [removed, lost] = [await startAt(scene, -38), await startAt(scene, -38)];
  const payload = JSON.stringify({ text: makeUuid().repeat(3_000) });
  for (const execution of [removed, lost]) {
    await commitOne(store, makePlan(execution, { events: [makeEvent({ payload })] }));
  }
  await end(store, removed);
  await seal();
  await age(31);
  await run({ olderThanMs: DAY_MS });
  const id = lost.executionId.slice('exec_'.length);
  await runOnServer(database.url, `delete from executions where id = '${id}'`);
  const name = await partitionAt(scene.database.url, -38);
  const shrink = `select shrink_event_partition('${name}', 5000, 0) as done`;
  t.deepEqual((await runOnServer(database.url, shrink)).rows, [{ done: false }]);
  t.is(await countEvents(scene, [live, lost]), 3);
});

test('restored events stay in their existing partition, which is neither swept nor dropped', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, seal, age, run, verify, tenantId } = scene;
  await partitionPast(scene.database.url);
  const execution = await startAt(scene, -38);
  const gone = await startAt(scene, -38);
  for (const each of [execution, gone]) await end(store, each);
  const document = await store.executions.document(execution.executionId, null);
  await seal();
  await age(31);
  await run({ olderThanMs: DAY_MS });
  t.is(await countEvents(scene, [execution, gone]), 6);
  const removal = await store.imports.removal(execution.executionId);
  if (document === null || removal === null) throw new Error('it existed, and was removed');
  const { retirementId } = removal;
  const verdict = await store.imports.add(importingOf(document, tenantId, { retirementId }));
  t.is(verdict, 'imported');
  t.like(await store.retention.tendPartitions(SWEEP), { sweptEvents: 3 });
  t.is(await countEvents(scene, [execution]), 3);
  t.like(await verify(), { problems: [], importedEvents: 3 });
  await t.throwsAsync(runOnServer(scene.database.url, 'delete from events'), {
    message: /is refused/,
  });
});

test('a partition is not dropped for somebody who only deleted the executions', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, database } = scene;
  await partitionPast(scene.database.url);
  const execution = await startAt(scene, -38);
  await runOnServer(database.url, 'delete from executions');
  await store.retention.tendPartitions(SWEEP);
  t.is(await countEvents(scene, [execution]), 1);
});

test('events of partitions are as protected as they were', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { database } = scene;
  await partitionPast(scene.database.url);
  await startAt(scene, -38);
  for (const table of ['events', await partitionAt(scene.database.url, -38)]) {
    for (const change of [
      `update ${table} set actor_id = 'token:x'`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await t.throwsAsync(runOnServer(database.url, change), { message: /is refused/ }, change);
    }
  }
});

test('partitions are made ahead', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  await partitionPast(scene.database.url);
  // From 26 days ago to 16 days from now: the last one begins after the last necessary day.
  t.like(await scene.store.retention.tendPartitions(SWEEP), { made: 6 });
  t.like(await scene.store.retention.tendPartitions(SWEEP), { made: 0 });
  t.not(await partitionAt(scene.database.url, 0), 'none');
  t.not(await partitionAt(scene.database.url, 7), 'none');
});

test('while a partition is in use it is not dropped, and nobody waits long', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, database, seal, age, run } = scene;
  await partitionPast(scene.database.url);
  const execution = await startAt(scene, -38);
  await end(store, execution);
  await seal();
  await age(31);
  await run({ olderThanMs: DAY_MS });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('begin');
  await client.query('select count(*) from events');
  const busy = await store.retention.tendPartitions(SWEEP);
  t.true(busy.postponed > 0);
  t.is(busy.dropped, 0);
  t.is(await countEvents(scene, [execution]), 3);
  await client.query('rollback');
  t.true((await store.retention.tendPartitions(SWEEP)).dropped > 0);
  t.is(await countEvents(scene, [execution]), 0);
});

test('leftovers of a process that died midway are taken back before they do harm', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { store, database } = scene;
  await runOnServer(database.url, 'select prepare_event_partitions()');
  await store.retention.tendPartitions(SWEEP);
  await t.throwsAsync(startAt(scene, 3), { message: /events_before/ });
  await runOnServer(
    database.url,
    `do $$
     begin
       alter table events drop constraint events_before;
       execute format(
         'alter table events add constraint events_before check (execution_id < %L) not valid',
         uuid_floor(clock_timestamp() + interval '23 hours')
       );
     end
     $$`,
  );
  await store.retention.tendPartitions(SWEEP);
  await startAt(scene, 3);
});

async function tablesOf(scene: RetentionScene, executions: readonly Started[]) {
  const { rows } = await runOnServer(
    scene.database.url,
    `select distinct execution_id::text as id, tableoid::regclass::text as name from events`,
  );
  const names = new Map(
    (rows as readonly { readonly id: string; readonly name: string }[]).map(({ id, name }) => [
      executionIdFromUuid(id),
      name,
    ]),
  );
  return executions.map(({ executionId }) => names.get(executionId));
}

/** Simulates that a day has passed since the last sweep of partitions. */
async function unsweep({ database }: RetentionScene): Promise<void> {
  await runOnServer(database.url, 'update event_partitions set swept_at = null');
}

async function countEvents(scene: RetentionScene, executions: readonly Started[]): Promise<number> {
  const ids = executions.map(({ executionId }) => `'${executionId.slice('exec_'.length)}'`);
  const { rows } = await runOnServer(
    scene.database.url,
    `select count(*)::int as count from events where execution_id in (${ids.join(', ')})`,
  );
  return (rows as readonly { readonly count: number }[])[0]?.count ?? -1;
}
