import { createClient } from 'svc-sdk/client';
import { defineFunction } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startWorker } from '../support/with-worker.ts';

/* Durable functions that the client starts and waits for. */

const check = onBothStores();

check('the output of a function is what its execution gives', async (t, tenant, place) => {
  const order = defineFunction<{ item: string; refuse: boolean }, { sent: string }>(
    'order',
    async (ctx, { item, refuse }) => {
      const { amount } = await ctx.waitForEvent<{ amount: number }>('paid');
      if (refuse) throw new Error('declined');
      return { sent: `${item} for ${amount}` };
    },
    { retryPolicy: { max_attempts: 1 } },
  );
  const client = createClient({
    url: place.runtime.url,
    token: place.runtime.apiKey,
    tenantId: tenant.tenantId,
  });
  await client.workflows.register(order.toIR());
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const handle = await client.start('order', { item: 'book', refuse: false });
  const waiting = handle.result({ timeout: '60s' });
  await handle.signal('paid', { amount: 12 });
  t.deepEqual(await waiting, { sent: 'book for 12' });

  const refused = await client.start('order', { item: 'book', refuse: true });
  const failing = t.throwsAsync(refused.result({ timeout: '60s' }), {
    name: 'ExecutionFailedError',
  });
  await refused.signal('paid', { amount: 12 });
  t.like(await failing, { executionId: refused.id, errorClass: 'Error', nodeId: 'run' });
});
