import test from 'ava';

import { createClaimWatermarks } from '../../../../src/shared/store/postgres/claim-watermarks.ts';
import { connectPool } from '../../../../src/shared/store/postgres/connect.ts';
import { claimItems } from '../../../../src/shared/store/postgres/leases.ts';
import { openTestStore } from '../../../support/stores.ts';
import { commitOne, startWithItems } from '../contract/drive.ts';
import { makeItem, makePlan, makeTicket } from '../contract/make.ts';

test('who got nothing above the watermark gets what another process put below it', async (t) => {
  const { store, url, close } = await openTestStore('postgres');
  const pool = connectPool({
    url,
    min: 1,
    max: 1,
    applicationName: 'svc-claims',
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    onBackgroundError: () => undefined,
  });
  t.teardown(async () => {
    await pool.close();
    await close();
  });
  let time = 0;
  const watermarks = createClaimWatermarks(() => time);
  const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}]);
  const claim = async (claimers: number) => {
    const claimed = await claimItems(pool, watermarks, {
      tenantId: execution.tenantId,
      queues: ['python_tool'],
      leaseMs: 30_000,
      shards: null,
      claimers: Array.from({ length: claimers }, (_, index) => ({
        workerId: `worker-${index}`,
        limit: 1,
      })),
    });
    return claimed.map((items) =>
      items.map(({ ticket, workerId }) => [ticket.workItemId, workerId]),
    );
  };
  await claim(1);
  time += 50;
  await claim(1);
  const urgent = makeTicket(execution, { priority: 0 });
  await commitOne(store, makePlan(execution, { newItems: [makeItem(urgent)] }));
  time += 100;
  t.deepEqual(await claim(3), [
    [[tickets[2]?.workItemId, 'worker-0']],
    [[urgent.workItemId, 'worker-1']],
    [],
  ]);
});
