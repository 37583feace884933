import { defineFunction } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/* Functions that continue as new, on a worker and the real service. */

const check = onBothStores();

/** Counts to 6, one per visit. */
function counter(keys: string[]) {
  return defineFunction<{ count: number }, { count: number }>(
    'counter',
    async (ctx, { count }) => {
      const next = await ctx.step('add', ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return count + 1;
      });
      await ctx.sleep(1);
      return next < 6 ? ctx.continueAsNew({ count: next }) : { count: next };
    },
    { retryPolicy: 'no_retry' },
  );
}

check('a function continues five times and returns', async (t, tenant, place) => {
  const keys: string[] = [];
  const count = counter(keys);
  startWorker(t, { tenant, place, options: { functions: [count] } });
  const id = await startFunction(tenant, count, { count: 0 });
  t.deepEqual((await tenant.until(id, 'completed')).state['output'], { count: 6 });
  t.is(new Set(keys).size, 6);
  t.is(keys.length, 6);
  const continued = (await tenant.events(id)).filter(({ kind }) => kind === 'NodeContinuedAsNew');
  t.deepEqual(
    continued.map(({ payload }) => payload['input']),
    [1, 2, 3, 4, 5].map((next) => ({ count: next })),
  );
});

check('a lost answer to a continuation costs nothing', async (t, tenant, place) => {
  const proxy = await startLosingProxy(place.runtime.url, ['continue']);
  t.teardown(() => proxy.close());
  const keys: string[] = [];
  const count = counter(keys);
  startWorker(t, { tenant, place, options: { functions: [count], url: proxy.url } });
  const id = await startFunction(tenant, count, { count: 0 });
  t.deepEqual((await tenant.until(id, 'completed')).state['output'], { count: 6 });
  t.is(keys.length, 6);
  t.is(proxy.lost.length, 5);
  const kinds = (await tenant.events(id)).map(({ kind }) => kind);
  t.is(kinds.filter((kind) => kind === 'NodeContinuedAsNew').length, 5);
  t.false(
    kinds.some((kind) => /Lease|Retr|Failed/.test(kind)),
    kinds.join(),
  );
});

check('a function that catches the signal fails at once', async (t, tenant, place) => {
  const caught = defineFunction<object>('caught', async (ctx) => {
    try {
      return ctx.continueAsNew({ count: 1 });
    } catch {
      return { count: 0 };
    }
  });
  startWorker(t, { tenant, place, options: { functions: [caught] } });
  const id = await startFunction(tenant, caught, {});
  await tenant.until(id, 'failed');
  const events = await tenant.events(id);
  t.like(events.at(-1)?.payload, { error_class: 'ContinueAsNewError' });
  t.false(events.some(({ kind }) => kind === 'RetryScheduled' || kind === 'NodeContinuedAsNew'));
});

check('a function with a rollback does not continue, and undoes', async (t, tenant, place) => {
  const undone: string[] = [];
  const order = defineFunction<object>('order', async (ctx) => {
    ctx.onRollback('refund', () => void undone.push('refund'));
    await ctx.step('charge', () => 'charged');
    return ctx.continueAsNew({});
  });
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, {});
  await tenant.until(id, 'failed');
  t.like((await tenant.events(id)).at(-1)?.payload, { error_class: 'ContinueAsNewError' });
  t.deepEqual(undone, ['refund']);
});

check('400: an input that the service refuses fails the function', async (t, tenant, place) => {
  let runs = 0;
  const large = defineFunction<object>('large', (ctx) => {
    runs += 1;
    // The service rejects numbers that JSON readers round.
    return ctx.continueAsNew({ cursor: 2 ** 53 });
  });
  startWorker(t, { tenant, place, options: { functions: [large] } });
  const id = await startFunction(tenant, large, {});
  await tenant.until(id, 'failed');
  t.like((await tenant.events(id)).at(-1)?.payload, { error_class: 'ContinueAsNewError' });
  t.is(runs, 1);
});
