import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';

import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import {
  DEFAULT_TENANT,
  type DefinitionId,
  executionIdFromUuid,
} from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { importingOf, makeDocument } from '../../../support/imports.ts';
import {
  claim,
  claimOne,
  commitOne,
  judge,
  settleOf,
  start,
  startWithItems,
  requeueNow,
} from '../contract/drive.ts';
import {
  makeCause,
  makeCompleted,
  makeEvent,
  makeItem,
  makeKey,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
  makeTimer,
  makeUuid,
} from '../contract/make.ts';
import { partitionPast } from './partition-scene.ts';
import { connectRaw, countTableReads, summarizeEvents, waitUntilAlone } from './raw-client.ts';

/*
 * The server plans a statement at its first use and keeps the plan. A process that starts with an
 * empty database must not keep plans for an empty database when it is full.
 */

const ROWS = 5_000;
/**
 * A generous limit for the reads of one use of every statement. A scan of one table would read
 * `ROWS`.
 */
const READS_MAX = 1_000;

for (const partitioned of [false, true]) {
  const where = partitioned ? 'events in partitions' : 'one table of events';

  test(`${where}: plans that were made on empty tables walk over no full one`, async (t) => {
    const { url, reader } = await openDatabase(t, partitioned);
    const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
    await useEverything(t, store);
    await fill(reader);
    await useFullTables(t, { store, reader });
  });

  // The server analyzes tables when it sees fit, and plans again after it.
  test(`${where}: plans that were made with statistics walk over no full one`, async (t) => {
    const { url, reader } = await openDatabase(t, partitioned);
    await fill(reader);
    await reader.query('analyze');
    const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
    await useFullTables(t, { store, reader });
  });

  test(`${where}: sealing walks over no table, and looks up no execution but those it seals`, async (t) => {
    const { url, reader } = await openDatabase(t, partitioned);
    // As directly after a burst of load: the server has not analyzed its tables yet.
    const { rows: tables } = await reader.query<{ readonly name: string }>(
      `select c.relname as name
       from pg_class c
       where c.relkind = 'r'
         and c.relname ~ '^(events|executions)'`,
    );
    for (const { name } of tables) {
      await reader.query(`alter table ${name} set (autovacuum_enabled = off)`);
    }
    await reader.query(
      `insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
         priority, status, last_sequence, created_at, updated_at)
       select overlay(gen_random_uuid()::text placing left(uuid_floor(i)::text, 13) from 1)::uuid,
         'default', gen_random_uuid(), 'w', '1', 0, 0, 'running', 1, i, i
       from generate_series(now() - interval '5000 minutes', now(), interval '1 minute') as i`,
    );
    await reader.query(
      `insert into events (execution_id, sequence, kind, payload, actor_id, created_at)
       select id, 1, 'NodeStarted', '{}', 'a', created_at from executions order by created_at`,
    );
    // The first seal searches for the beginning of the chain once.
    await sealOnce(url);
    await waitUntilAlone(reader);
    const before = await countWalks(reader);
    t.true((await sealOnce(url)) > 0);
    await waitUntilAlone(reader);
    const after = await countWalks(reader);
    t.is(after.walks - before.walks, 0);
    t.true(after.lookups - before.lookups <= 100, `${after.lookups - before.lookups} lookups`);
  });
}

test('a start that joins a long line reads a bounded part of it', async (t) => {
  const { url, reader } = await openDatabase(t, false);
  const tenantId = makeTenantId();
  const placeKey = '["w","k"]';
  const awaitsPlace = { placeKey, placesMax: 1 };
  const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
  await start(store, { tenantId, create: { awaitsPlace } });
  await reader.query(
    `insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since)
     select gen_random_uuid(), $1, $2, 1, 0, now() from generate_series(1, ${ROWS})`,
    [tenantId, placeKey],
  );
  const before = await countTableReads(reader, 'flow_waits');
  await start(store, { tenantId, create: { awaitsPlace } });
  await store.close();
  await waitUntilAlone(reader);
  const reads = (await countTableReads(reader, 'flow_waits')) - before;
  t.true(reads < READS_MAX, `${reads} waits were read`);
});

test('items that return to long queues read a bounded part of them', async (t) => {
  const { url, reader } = await openDatabase(t, false);
  const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
  await store.timers.promoteRetries({ limit: 10 });
  const item = `gen_random_uuid(), gen_random_uuid(), 't', 'n', 0, 0, 'python_tool', 0, 'k', 0`;
  const columns = `work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
    idempotency_key, shard, queue_name`;
  for (const [key, name] of [
    ['t/python_tool/gpu', 'gpu'],
    ['t/python_tool/gpu~', 'gpu~a~1'],
  ]) {
    await reader.query(
      `insert into work_queue (${columns}, queue_key, enqueued_at)
       select ${item}, $1, $2, now() from generate_series(1, ${ROWS})`,
      [name, key],
    );
  }
  const returned = { gpu: 5, 'gpu~a~1': -5, 'gpu~b~1': -5, 'gpu~b~1#1#m.f#': -5 };
  for (const place of Object.entries(returned)) {
    await reader.query(
      `insert into retry_timers (${columns}, queue_seq, due_at, queued_at)
       select ${item}, $1, $2, now() - interval '1 s', now()`,
      place,
    );
  }
  const before = await countTableReads(reader, 'work_queue');
  t.is((await store.timers.promoteRetries({ limit: 10 })).length, 4);
  await store.close();
  await waitUntilAlone(reader);
  const reads = (await countTableReads(reader, 'work_queue')) - before;
  t.true(reads < 40, `${reads} items were read`);
});

test('a page of the audit log reads no more of a tenant with many executions than it counts', async (t) => {
  const { url, reader } = await openDatabase(t, false);
  await fillHistory(reader);
  const store = await openPostgresStore({ url, poolSize: 1 });
  // Reports what filling has read.
  await countReads(reader);
  const before = await countReads(reader);
  const filter = { tenantId: DEFAULT_TENANT, executionId: null, actorId: null, eventType: null };
  const page = await store.audit.list({ ...filter, limit: 50, offset: 0 });
  t.deepEqual([page.items.length, page.total >= 10_000, page.totalIsExact], [50, true, false]);
  const last = page.items.at(-1);
  const after = { createdAt: last?.createdAt ?? '', key: last?.executionId ?? '', sequence: 1 };
  t.is((await store.audit.list({ ...filter, after, limit: 50, offset: 0 })).items.length, 50);
  await store.audit.list({ ...filter, eventType: 'node_started', limit: 50, offset: 0 });
  await store.close();
  await waitUntilAlone(reader);
  const reads = await countReads(reader);
  const readOf = (table: string) => (reads.get(table) ?? 0) - (before.get(table) ?? 0);
  // A join by estimates reads 110 000.
  t.true(readOf('executions') < 60_000, `${readOf('executions')} executions`);
  t.true(readOf('audit_seals') < 4 * 2_000 + 500, `${readOf('audit_seals')} seals`);
});

test('a search of the audit log for a rare type reads a bounded part of the history', async (t) => {
  const { url, reader } = await openDatabase(t, false);
  await fillHistory(reader);
  const readsOf = async (eventType: string) => {
    const before = await countEventReads(reader);
    const store = await openPostgresStore({ url, poolSize: 1 });
    const filter = { tenantId: DEFAULT_TENANT, executionId: null, actorId: null, eventType };
    const look = { itemsMax: 1_000, msMax: Number.POSITIVE_INFINITY };
    const { next } = await store.audit.list({ ...filter, limit: 50, offset: 0, look });
    await store.close();
    await waitUntilAlone(reader);
    return { next, events: (await countEventReads(reader)) - before };
  };
  const rare = await readsOf('approval_received');
  t.not(rare.next, null);
  // The total counts 10 000; looking at all would read 20 000 more.
  t.true(rare.events < 16_000, `${rare.events} events`);
  const none = await readsOf('token_rotated');
  t.deepEqual(none, { next: null, events: 0 });
});

async function openDatabase(
  t: ExecutionContext,
  partitioned: boolean,
): Promise<{ readonly url: string; readonly reader: pg.Client }> {
  const database = await createTestDatabase();
  const { url } = database;
  t.teardown(() => database.drop());
  if (partitioned) {
    await partitionPast(url);
    const store = await openPostgresStore({ url, poolSize: 1 });
    await store.retention.tendPartitions({ sweepAfterMs: null });
    await store.close();
  }
  const reader = await connectRaw(url);
  t.teardown(() => reader.end());
  return { url, reader };
}

/** Uses every statement, and closes the store. */
async function useFullTables(
  t: ExecutionContext,
  { store, reader }: { readonly store: Store; readonly reader: pg.Client },
): Promise<void> {
  const before = await countReads(reader);
  await useEverything(t, store);
  await store.close();
  await waitUntilAlone(reader);
  for (const [table, reads] of await countReads(reader)) {
    const read = reads - (before.get(table) ?? 0);
    t.true(read < READS_MAX, `${table}: ${read} rows were read`);
  }
}

/** Seals in a separate session, which reports its reads when it ends. */
async function sealOnce(url: string): Promise<number> {
  const store = await openPostgresStore({ url, poolSize: 1, audit: { finalMs: 0 } });
  const { items } = await store.audit.seal({ itemsMax: 100, lagMs: 0 });
  await store.close();
  return items;
}

/** 20 000 executions with one event each, one a minute, sealed by the hour, and no statistics. */
async function fillHistory(reader: pg.Client): Promise<void> {
  const hours = `generate_series(0, 333) as h`;
  const hour = (n: string) => `timestamptz '2026-01-01' + (${n}) * interval '1 hour'`;
  const hash = `repeat('0', 64)`;
  for (const statement of [
    'alter table executions set (autovacuum_enabled = off)',
    'alter table events set (autovacuum_enabled = off)',
    `insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
       priority, status, last_sequence, created_at, updated_at)
     select gen_random_uuid(), 'default', gen_random_uuid(), 'w', '1', 0, 0, 'running', 1, at, at
     from generate_series(1, 20000) n
     cross join lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at) t`,
    `insert into events (execution_id, sequence, kind, payload, actor_id, created_at)
     select id, 1, 'NodeStarted', json_build_object('text', repeat('x', 1000)), 'a', created_at
     from executions order by created_at`,
    `insert into audit_windows select h + 1, ${hour('h')}, ${hour('h + 1')}, ${hash}, ${hash}, now()
     from ${hours}`,
    `insert into audit_seals
     select 'default', h + 1, h + 1, ${hour('h')}, ${hour('h + 1')}, 60, '[]', ${hash}, ${hash}
     from ${hours}`,
  ]) {
    await reader.query(statement);
  }
  await summarizeEvents(reader);
}

/** Rows of events that scans and indexes have fetched. */
async function countEventReads(reader: pg.Client): Promise<number> {
  await reader.query('select pg_stat_force_next_flush()');
  const { rows } = await reader.query<{ readonly reads: number }>(
    `select (t.seq_tup_read + coalesce(t.idx_tup_fetch, 0))::float8 as reads
     from pg_stat_user_tables t
     where t.relname = 'events'`,
  );
  return rows[0]?.reads ?? Number.NaN;
}

/** Counts full scans of both tables, and rows of executions that an index found. */
async function countWalks(reader: pg.Client): Promise<{ walks: number; lookups: number }> {
  await reader.query('select pg_stat_force_next_flush()');
  const { rows } = await reader.query<{ readonly walks: number; readonly lookups: number }>(
    `select sum(t.seq_scan)::float8 as walks,
       sum(t.idx_tup_fetch) filter (where t.relname = 'executions')::float8 as lookups
     from pg_stat_user_tables t
     where t.relname ~ '^(events|executions)'`,
  );
  return rows[0] ?? { walks: Number.NaN, lookups: Number.NaN };
}

/** Uses each statement of the hot path, with every part of a commit. */
async function useEverything(t: ExecutionContext, store: Store): Promise<void> {
  const request = { key: makeUuid(), bodyHash: 'hash' };
  const started = await start(store, { create: { request } });
  await judge(store, makePlan(started, { events: [makeEvent()], runnable: 'mark' }));
  await store.runnable.list({ shards: [7], limit: 10 });
  await store.runnable.lookAround();
  await useFlow(store);

  const { tickets: _, ...execution } = await startWithItems(store, [{}, {}, {}, {}]);
  const first = await claimOne(store, execution.tenantId, { limit: 1 });
  const [second] = await claim(store, execution.tenantId, {
    limit: 1,
    queues: ['java_tool', 'python_tool'],
  });
  if (second === undefined) throw new Error('nothing was claimed');
  for (const tools of [['no.such'], ['no.such', 'nor.this'], ['no.*', 'nor.this']]) {
    await claim(store, execution.tenantId, { limit: 1, tools });
  }
  await store.work.renew([{ ...first, ...first.ticket, leaseMs: 30_000 }]);
  await store.work.find(first.ticket.workItemId, execution.tenantId);
  const engine = makeTicket(execution, { queue: 'engine' });
  const childId = executionIdFromUuid(makeUuid());
  await commitOne(
    store,
    makePlan(execution, {
      expectedSequence: 1,
      settles: [settleOf(first)],
      events: [makeCompleted('done')],
      newItems: [makeItem(makeTicket(execution, { scheduleToStartMs: 0 }))],
      bornLeased: [{ ticket: engine, leaseTo: 'w', leaseMs: 30_000 }],
      retries: [
        { ticket: { ...first.ticket, attempt: 1 }, delayMs: 0, released: null },
        { ticket: makeTicket(execution, { attempt: 1 }), delayMs: 1, released: null },
      ],
      startsTimers: [
        makeTimer(),
        makeTimer({ name: 'other' }),
        makeTimer({ name: 'foreign', executionId: started.executionId }),
      ],
      startsExecutions: [
        {
          executionId: childId,
          definitionId: makeUuid() as DefinitionId,
          workflowId: 'w',
          workflowVersion: '1',
          shard: 7,
          priority: 0,
          parentExecutionId: execution.executionId,
          started: makeStarted(),
          used: { inputTokens: 1, outputTokens: 1, costUsd: 0 },
          waitsForPlace: false,
          takesPlaceOf: null,
        },
      ],
      tree: { rootExecutionId: execution.executionId, is: 'start', adds: 1, descendantsMax: 10 },
      snapshot: '{}',
      runnable: 'mark',
      usesToken: true,
    }),
  );
  await judge(
    store,
    makePlan(
      { executionId: childId, tenantId: execution.tenantId },
      {
        events: [makeEvent()],
        tree: { rootExecutionId: execution.executionId, is: 'begin', adds: 0, descendantsMax: 10 },
        charge: { inputTokens: 1, outputTokens: 1, costUsd: 0 },
      },
    ),
  );
  t.is((await store.executions.usage(childId)).length, 2);
  const importing = importingOf(makeDocument(), execution.tenantId);
  const { executionId: importedId } = importing.execution;
  await store.imports.removal(importedId);
  await store.imports.add(importing);
  await store.imports.find({ tenantId: execution.tenantId, executionIds: [importedId] });
  await store.audit.histories([importedId]);
  await store.audit.imports({ tenantId: null, after: null, limit: 10 });
  await store.work.recordedOutput({
    executionId: execution.executionId,
    idempotencyKey: makeKey(),
  });
  await store.timers.promoteRetries({ limit: 10 });
  await store.timers.listDue({ limit: 10 });
  await store.timers.nextDueInMs();
  await store.timers.discard([{ executionId: started.executionId, name: 'foreign' }]);
  await store.work.listExpiredLeases({ limit: 10 });
  await store.work.listHeld({ workerId: 'nobody', executionId: execution.executionId });
  const overdue = await store.work.listOverdueQueued({ limit: 10 });
  await judge(
    store,
    makePlan(execution, {
      expiresQueued: overdue
        .filter(({ executionId }) => executionId === execution.executionId)
        .map(({ workItemId }) => workItemId),
      firesTimers: [makeTimer().name],
      cancelsTimers: ['other'],
      events: [makeEvent()],
      deadLetters: [
        { workItemId: first.ticket.workItemId, attempt: 1, error: 'boom', ...makeCause() },
      ],
      revokesItems: [engine.workItemId],
    }),
  );
  await store.work.settleUnfenced({
    workItemId: second.ticket.workItemId,
    tenantId: execution.tenantId,
    record: null,
    deadLetter: 'boom',
  });
  await store.work.listDeadLetters({ tenantId: execution.tenantId, limit: 10, before: null });
  await requeueNow(store, second.ticket.workItemId, execution.tenantId);
  await store.executions.load(execution.executionId, execution.tenantId);
  await store.executions.events({ ...execution, after: 0, limit: 10 });
  await store.executions.find(execution.executionId, null);
  await store.executions.list({
    tenantId: execution.tenantId,
    status: null,
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 10,
    offset: 0,
  });
  await store.executions.list({
    tenantId: execution.tenantId,
    status: null,
    workflowId: null,
    parentExecutionId: execution.executionId,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 10,
    offset: 0,
  });
  const parents = [executionIdFromUuid(makeUuid()), execution.executionId];
  t.is(await store.executions.findLiveChild({ tenantId: execution.tenantId, parents }), childId);
  await commitOne(
    store,
    makePlan(execution, { status: 'cancelled', events: [makeEvent()], revokesAll: true }),
  );
}

/** Executions with a key of concurrency, the second of which cancels the oldest. */
async function useFlow(store: Store): Promise<void> {
  const tenantId = makeTenantId();
  const placeKey = '["w","k"]';
  const awaitsPlace = { placeKey, placesMax: 1 };
  const line = { tenantId, placeKey, limit: 10 };
  await start(store, { tenantId, create: { awaitsPlace } });
  await store.flow.admit(line);
  const { executionId } = await start(store, {
    tenantId,
    create: { awaitsPlace: { ...awaitsPlace, cancelsOldest: true } },
  });
  await store.flow.find(executionId);
  await store.flow.findLine(executionId);
  await store.flow.listKeys({ limit: 10, lines: 10, batchBytesMax: 1_000 });
  await store.flow.listSurplus(line);
  await store.flow.admit(line);
  const token = {
    placesKey: placeKey,
    bucket: { key: `${tenantId}/start#["w",""]`, intervalUs: 1, burst: 9 },
  };
  await store.flow.admitAtRate({ ...line, token });
  await store.flow.endDebounce(line);
  await store.flow.findBatch({ ...line, bytesMax: 1_000 });
}

/** Adds as many rows to each table as there may be after a while. */
async function fill(reader: pg.Client): Promise<void> {
  const tenant = makeTenantId();
  const ticket = `gen_random_uuid(), gen_random_uuid(), '${tenant}', 'n', 0, 0, 'python_tool', 0, 'k'`;
  const columns =
    'work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority, idempotency_key';
  for (const insert of [
    `executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority, status,
       last_sequence, created_at, updated_at)
     select gen_random_uuid(), '${tenant}', gen_random_uuid(), 'w', '1', i % 64, 0, 'running', 1, now(),
       now()`,
    `events (execution_id, sequence, kind, payload, actor_id, created_at)
     select overlay(
         gen_random_uuid()::text
         placing left(uuid_floor(now() - i * interval '10 minutes')::text, 13) from 1
       )::uuid, 1, 'NodeStarted', '{}', 'a', now()`,
    `child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
     select gen_random_uuid(), '${tenant}', gen_random_uuid(), 0, 'lent', now()`,
    `flow_places (tenant_id, place_key, place, execution_id)
     select '${tenant}', i::text, 1, gen_random_uuid()`,
    `flow_waits (execution_id, tenant_id, place_key, places_max, shard, since)
     select gen_random_uuid(), '${tenant}', i::text, 1, 0, now()`,
    `execution_usage (execution_id, tenant_id, input_tokens, output_tokens, cost_usd)
     select gen_random_uuid(), '${tenant}', 1, 1, 0`,
    `execution_trees (root_execution_id, tenant_id, descendants)
     select gen_random_uuid(), '${tenant}', 1`,
    `snapshots (execution_id, sequence, body) select gen_random_uuid(), 1, ''`,
    `runnable (execution_id, shard, bucket_key, admitted_at)
     select gen_random_uuid(), 9, i::text, now()`,
    `work_items (work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool,
       payload, retry_policy, heartbeat_interval_ms, created_at)
     select gen_random_uuid(), gen_random_uuid(), '${tenant}', 'n', 0, 'python_tool', 'k', 't', '{}', '{}',
       1, now()`,
    `work_queue (${columns}, shard, queue_key, enqueued_at) select ${ticket}, 0, '${tenant}/python_tool', now()`,
    ...['work_leases', 'leases'].map(
      (table) => `${table} (${columns}, worker_id, lease_fence, claimed_at, expires_at
       ${table === 'leases' ? ', look_at' : ''})
     select ${ticket}, 'w', nextval('lease_fence_seq'), now(), now() + interval '1 hour'
       ${table === 'leases' ? ", now() + interval '1 hour'" : ''}`,
    ),
    `retry_timers (${columns}, shard, due_at) select ${ticket}, 0, now() + interval '1 hour'`,
    `timers (execution_id, name, tenant_id, due_at, purpose)
     select gen_random_uuid(), 'wait', '${tenant}', now() + interval '1 hour', 'wait'`,
    `recorded_outputs (execution_id, idempotency_key, work_item_id, event_sequence, created_at)
     select gen_random_uuid(), 'k', gen_random_uuid(), 1, now()`,
    `dead_letters (work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
       dead_lettered_at)
     select gen_random_uuid(), gen_random_uuid(), '${tenant}', 'n', 'python_tool', 't', 0, 'e', now()`,
    `request_keys (tenant_id, key, body_hash, execution_id, created_at)
     select '${tenant}', i::text, 'h', gen_random_uuid(), now()`,
  ]) {
    await reader.query(`insert into ${insert} from generate_series(1, ${ROWS}) as i`);
  }
}

/** Rows read from each table, by full scans and through its indexes. */
async function countReads(reader: pg.Client): Promise<ReadonlyMap<string, number>> {
  await reader.query('select pg_stat_force_next_flush()');
  const { rows } = await reader.query<{ readonly table: string; readonly reads: number }>(
    `select t.relname as table,
       (coalesce(t.seq_tup_read, 0) + coalesce(sum(i.idx_tup_read), 0))::float8 as reads
     from pg_stat_user_tables t
     left join pg_stat_user_indexes i on i.relid = t.relid
     group by t.relid, t.relname, t.seq_tup_read`,
  );
  return new Map(rows.map(({ table, reads }) => [table, reads]));
}
