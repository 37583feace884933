import test from 'ava';

import { quotaQueueName, readQuotaQueue } from '../../../../src/shared/domain/work/quota.ts';
import { openTestStore } from '../../../support/stores.ts';
import { startWithItems } from '../contract/drive.ts';
import { connectRaw, waitUntilBlocked } from './raw-client.ts';

test('an admission waits for one that is not committed, and sees its tokens as spent', async (t) => {
  const opened = await openTestStore('postgres');
  t.teardown(opened.close);
  const raw = await connectRaw(opened.url);
  t.teardown(() => raw.end());
  const rate = { key: null, limit: 2, perMs: 86_400_000, burst: 2 };
  const queueName = quotaQueueName({
    queueName: 'default',
    limit: null,
    tool: 'm.f',
    key: null,
    rate,
  });
  if (queueName === null) return t.fail('the quota has no name');
  const { tenantId } = await startWithItems(
    opened.store,
    Array.from({ length: 4 }, () => ({ queueName })),
  );
  const queue = readQuotaQueue(`${tenantId}/python_tool/${queueName}`);
  if (queue === null || queue.bucket === null) return t.fail('the queue has no rate');
  const { waiting, served, quota, bucket } = queue;

  await raw.query('begin');
  const { rows } = await raw.query<{ readonly count: number }>(
    `select cardinality(admitted) as count
     from admit_quota_at_rate($1, $2, $3, null, 10, $4, $5, $6)`,
    [waiting, served, quota, bucket.key, bucket.intervalUs, bucket.burst],
  );
  t.is(rows[0]?.count, 2);
  const second = opened.store.quotas.admitAtRate({ ...queue, bucket }, { atMost: 10 });
  await waitUntilBlocked(raw);
  await raw.query('commit');
  t.deepEqual((await second).admitted, []);
});
