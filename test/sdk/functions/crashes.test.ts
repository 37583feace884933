import { fileURLToPath } from 'node:url';

import { defineFunction } from 'svc-sdk/worker';

import { onBothStores, type Place } from '../../support/both-stores.ts';
import { startProgram, type Started } from '../../support/processes.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startFunction, startWorker, until } from '../support/with-worker.ts';

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '2' } });

const WORKER = fileURLToPath(new URL('support/worker-process.ts', import.meta.url));

/** An external system with idempotency keys. It delays the answer to a held call. */
async function startReceiver(holds: (name: string, calls: number) => boolean) {
  const effects = new Map<string, string>();
  const calls: string[] = [];
  const server = await startHttpServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const key = String(request.headers['idempotency-key']);
    calls.push(name);
    effects.set(key, effects.get(key) ?? name);
    if (holds(name, calls.filter((call) => call === name).length)) return;
    response.end(`${name} done`);
  });
  return { ...server, effects, calls };
}

function startProcess(
  given: { readonly place: Place; readonly tenant: TestTenant },
  receiverUrl: string,
): Promise<Started> {
  const { place, tenant } = given;
  return startProgram({
    entry: { path: WORKER },
    args: [],
    env: {
      RUNTIME_URL: place.runtime.url,
      RUNTIME_TOKEN: place.runtime.apiKey,
      RUNTIME_TENANT: tenant.tenantId,
      RECEIVER_URL: receiverUrl,
    },
  });
}

const named = defineFunction('order', () => ({}));

for (const step of ['charge', 'ship']) {
  check(
    `a worker killed in ${step} is followed by another, and each effect happens once`,
    async (t, tenant, place) => {
      const receiver = await startReceiver((name, calls) => name === step && calls === 1);
      t.teardown(() => receiver.close());
      const first = await startProcess({ tenant, place }, receiver.url);
      t.teardown(() => first.end('SIGKILL'));
      const id = await startFunction(tenant, named, {});
      await until('the step is under way', () => receiver.calls.includes(step));
      await first.end('SIGKILL');
      const second = await startProcess({ tenant, place }, receiver.url);
      t.teardown(() => second.end('SIGKILL'));
      const { state } = await tenant.until(id, 'completed');
      t.deepEqual(state['output'], {
        first: { answer: 'charge done' },
        second: { answer: 'ship done' },
        third: { answer: 'bill done' },
      });
      t.is(receiver.calls.filter((name) => name === step).length, 2);
      t.deepEqual([...receiver.effects.values()].toSorted(), ['bill', 'charge', 'ship']);
      t.is(await second.end('SIGTERM'), 0);
    },
  );
}

check('lost answers cost nothing', async (t, tenant, place) => {
  const verbs = ['steps', 'suspend', 'complete', 'fail', 'release'];
  const proxy = await startLosingProxy(place.runtime.url, verbs);
  t.teardown(() => proxy.close());
  const effects: string[] = [];
  const order = defineFunction<{ refuse: boolean }>(
    'order',
    async (ctx, { refuse }) => {
      ctx.onRollback('refund', () => void effects.push('refund'));
      await ctx.step('charge', () => void effects.push('charge'));
      await ctx.waitForEvent('paid');
      await ctx.sleep(1);
      if (refuse) throw new Error('refused');
      await ctx.step('ship', () => void effects.push('ship'));
      return { effects: effects.length };
    },
    { retryPolicy: 'no_retry' },
  );
  startWorker(t, { tenant, place, options: { functions: [order], url: proxy.url } });
  const id = await startFunction(tenant, order, { refuse: false });
  await tenant.deliver(id, 'paid');
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { effects: 2 });
  t.deepEqual(effects.splice(0), ['charge', 'ship']);
  const refused = await tenant.start('order', { refuse: true });
  await tenant.deliver(refused, 'paid');
  await tenant.until(refused, 'failed');
  t.deepEqual(effects, ['charge', 'refund']);
  for (const verb of ['steps', 'suspend', 'complete', 'fail'])
    t.true(proxy.lost.includes(verb), verb);
  for (const one of [id, refused]) {
    const kinds = (await tenant.events(one)).map(({ kind }) => kind);
    t.false(
      kinds.some((kind) => /Lease|Retr/.test(kind)),
      kinds.join(),
    );
  }
});

check('a lost answer to a claim uses no attempt', async (t, tenant, place) => {
  const proxy = await startLosingProxy(place.runtime.url, ['claim']);
  t.teardown(() => proxy.close());
  const runs: string[] = [];
  const order = defineFunction<{ id: string }>('order', (ctx, { id }) => {
    runs.push(`${id} ${ctx.attempt}`);
    return {};
  });
  const ids: string[] = [];
  for (const id of ['one', 'two', 'three']) ids.push(await startFunction(tenant, order, { id }));
  startWorker(t, { tenant, place, options: { functions: [order], url: proxy.url } });
  for (const id of ids) {
    await tenant.until(id, 'completed');
    const kinds = (await tenant.events(id)).map(({ kind }) => kind);
    t.false(kinds.includes('NodeFailed'), kinds.join());
  }
  t.deepEqual(runs.toSorted(), ['one 0', 'three 0', 'two 0']);
  t.true(proxy.lost.length > 0);
});

check(
  'a cancel aborts the step under way, and undoes what was registered',
  async (t, tenant, place) => {
    const seen: string[] = [];
    const refunds = new Set<string>();
    const order = defineFunction('order', async (ctx) => {
      ctx.onRollback('refund', ({ idempotencyKey }) => void refunds.add(idempotencyKey));
      await ctx.step('charge', ({ signal }) => {
        seen.push('charge');
        return new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            seen.push('aborted');
            reject(new Error('aborted'));
          });
        });
      });
      return {};
    });
    startWorker(t, { tenant, place, options: { functions: [order] } });
    const id = await startFunction(tenant, order, {});
    await until('the step is under way', () => seen.includes('charge'));
    await tenant.cancel(id);
    await tenant.until(id, 'cancelled');
    await until('the step learns of it', () => seen.includes('aborted'));
    t.deepEqual(seen, ['charge', 'aborted']);
    t.is(refunds.size, 1);
  },
);
