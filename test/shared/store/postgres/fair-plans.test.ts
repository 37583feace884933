import test from 'ava';

import { fairQueueName } from '../../../../src/shared/domain/work/fair-queue.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { claim, startWithItems } from '../contract/drive.ts';
import { connectRaw, waitUntilAlone } from './raw-client.ts';

const SHARES = 5_000;
const CLAIMS = 20;
/** A claim reads its candidates, and a hundred spare ones. */
const READS_MAX = CLAIMS * 500;

for (const tools of [null, ['tool']]) {
  const what = tools === null ? 'all tools' : 'one tool';

  test(`claims for ${what} read few of the shares that wait, and joining reads few of its key`, async (t) => {
    const database = await createTestDatabase('postgres');
    t.teardown(() => database.drop());
    const reader = await connectRaw(database.url);
    t.teardown(() => reader.end());
    const store = await openPostgresStore({ url: database.url, poolSize: 1, maxOverflow: 0 });
    const queueName = fairQueueName(null, { key: 'a', weight: 1 });
    // Plans are made on empty tables.
    const { tenantId } = await startWithItems(store, [{ queueName }]);
    t.is((await claim(store, tenantId, { limit: 1, tools })).length, tools === null ? 1 : 0);
    await reader.query(
      `insert into work_queue (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
         priority, idempotency_key, shard, queue_key, queue_name, tool, enqueued_at)
       select gen_random_uuid(), gen_random_uuid(), $1, 'n', 0, 0, 'python_tool', 0, 'k', 0,
         $1 || '/python_tool/default~', 'default~' || (i % 50) || '~1', 'tool', now()
       from generate_series(1, ${SHARES}) as i`,
      [tenantId],
    );
    await reader.query('analyze work_queue');
    store.work.noteAdded(`${tenantId}/python_tool/default~`);
    const before = await countReads(reader);
    for (let n = 0; n < CLAIMS; n += 1) {
      t.is((await claim(store, tenantId, { limit: 1, tools })).length, 1);
      await startWithItems(store, [{ queueName }]);
    }
    await store.close();
    await waitUntilAlone(reader);
    const reads = (await countReads(reader)) - before;
    t.true(reads < READS_MAX, `${reads} rows were read`);
  });
}

test('a statement waits once for the lock of a key, however many items it queues', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const [holder, writer] = [await connectRaw(database.url), await connectRaw(database.url)];
  t.teardown(() => Promise.all([holder.end(), writer.end()]));
  await holder.query('begin');
  await holder.query(
    `select pg_advisory_xact_lock(hashtextextended('t/python_tool/default~a', 45))`,
  );
  const began = performance.now();
  await writer.query(
    `insert into work_queue (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
       priority, idempotency_key, shard, queue_key, queue_name, tool, enqueued_at)
     select gen_random_uuid(), gen_random_uuid(), 't', 'n', 0, 0, 'python_tool', 0, 'k', 0,
       't/python_tool/default~', 'default~a~1', 'tool', now()
     from generate_series(1, 100)`,
  );
  const tookMs = performance.now() - began;
  t.true(tookMs < 1_000, `${tookMs} ms`);
});

async function countReads(reader: Awaited<ReturnType<typeof connectRaw>>): Promise<number> {
  await reader.query('select pg_stat_force_next_flush()');
  const { rows } = await reader.query<{ readonly reads: number }>(
    `select (t.seq_tup_read + coalesce(t.idx_tup_fetch, 0))::float8 as reads
     from pg_stat_user_tables t
     where t.relname = 'work_queue'`,
  );
  return rows[0]?.reads ?? Number.NaN;
}
