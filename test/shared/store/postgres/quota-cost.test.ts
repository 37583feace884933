import test from 'ava';
import type pg from 'pg';

import { quotaQueueName, readQuotaQueue } from '../../../../src/shared/domain/work/quota.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { claim, startWithItems } from '../contract/drive.ts';
import { connectRaw, countTableReads, waitUntilAlone } from './raw-client.ts';

/* The server counts the reads, so the machine's load does not matter. */

const WAITING = 100_000;
/** A claim of ten items, and a look at what waits, read so few index entries and rows. */
const READS_MAX = 400;

test('100 000 items that wait for a place cost claims and admissions nothing', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const raw = await connectRaw(database.url);
  t.teardown(() => raw.end());
  await raw.query('alter table work_queue set (autovacuum_enabled = off)');
  const { tenantId, queue } = await fill(database.url, raw);
  const reads = (use: Parameters<typeof readsOf>[1]) => readsOf({ url: database.url, raw }, use);

  const ofClaims = await reads(async (store) => {
    t.is((await claim(store, tenantId)).length, 2);
    t.deepEqual(await claim(store, tenantId), []);
    t.deepEqual(await claim(store, tenantId, { tools: ['shop.*'] }), []);
  });
  t.true(ofClaims < READS_MAX, `claims read ${ofClaims} rows`);

  const ofLooks = await reads(async (store) => {
    t.deepEqual(await store.quotas.listWaiting({ after: null, limit: 10 }), [queue.waiting]);
  });
  t.true(ofLooks < READS_MAX, `a look reads ${ofLooks} rows`);

  const ofAdmissions = await reads(async (store) => {
    t.is((await store.quotas.admit(queue, { atMost: 200 })).length, 3);
    t.deepEqual(await store.quotas.admit(queue, { atMost: 200 }), []);
    t.is((await claim(store, tenantId)).length, 3);
  });
  t.true(ofAdmissions < READS_MAX, `admissions read ${ofAdmissions} rows`);
});

async function fill(url: string, raw: pg.Client) {
  const store = await openPostgresStore({ url, poolSize: 1 });
  const { tenantId } = await startWithItems(store, [{}, {}]);
  await store.close();
  const name = quotaQueueName({
    queueName: 'default',
    limit: 3,
    tool: 'shop.pay',
    key: 'acme',
    rate: null,
  });
  const waiting = `${tenantId}/python_tool/${name ?? ''}`;
  await raw.query(
    `insert into work_queue (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
       priority, idempotency_key, shard, queue_key, queue_name, tool, enqueued_at)
     select gen_random_uuid(), gen_random_uuid(), $1, 'n', 0, 0, 'python_tool', 5, 'k', 0, $2, $3,
       'shop.pay', now()
     from generate_series(1, ${WAITING})`,
    [tenantId, waiting, name],
  );
  const queue = readQuotaQueue(waiting);
  if (queue?.limit !== 3) throw new Error(`${waiting} is below no quota`);
  return { tenantId, queue: { ...queue, limit: 3 } };
}

/** Rows of the queue that a session reads, by full scans and through indexes. */
async function readsOf(
  { url, raw }: { readonly url: string; readonly raw: pg.Client },
  use: (store: Awaited<ReturnType<typeof openPostgresStore>>) => Promise<void>,
): Promise<number> {
  await waitUntilAlone(raw);
  const before = await countTableReads(raw, 'work_queue');
  const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
  await use(store);
  await store.close();
  await waitUntilAlone(raw);
  return (await countTableReads(raw, 'work_queue')) - before;
}
