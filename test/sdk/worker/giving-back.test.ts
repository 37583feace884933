import test from 'ava';
import { defineTool } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startWorker, type RunningWorker } from '../support/with-worker.ts';

/*
 * A worker that stops while its claim is unanswered gives back what the claim has leased. Leases outlast the
 * tests, and the worker has any time for it, so a busy machine changes nothing.
 */

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '3600' } });

const CHARGE = { kind: 'python_fn', module: 'payment', function: 'charge' };
const CLAIMED_MS_MAX = 60_000;

test.before(() => {
  AbortSignal.timeout = () => new AbortController().signal;
});

check(
  'an item that a stopping worker is being given is given back, and uses no attempt',
  async (t, tenant, place) => {
    let runs = 0;
    let started: RunningWorker | null = null;
    const proxy = await startLosingProxy(place.runtime.url, ['claim'], () => {
      void started?.worker.stop();
    });
    t.teardown(() => proxy.close());
    const workflow = await tenant.register({ nodes: { pay: CHARGE } });
    for (let orders = 0; orders < 2; orders += 1) await tenant.start(workflow);
    const tools = [defineTool('payment.charge', () => ({ runs: (runs += 1) }))];
    started = startWorker(t, { tenant, place, options: { tools, url: proxy.url } });
    await started.running;
    t.true(proxy.lost.length > 0);
    t.is(runs, 0);
    const items = [await claimAgain(tenant), await claimAgain(tenant)];
    t.deepEqual(
      items.map(({ attempt }) => attempt),
      [0, 0],
    );
  },
);

check(
  'an item is given back that came with a lost answer before the worker stopped',
  async (t, tenant, place) => {
    const proxy = await startLosingProxy(place.runtime.url, ['claim']);
    t.teardown(() => proxy.close());
    await tenant.run({ nodes: { pay: CHARGE } });
    let worker: RunningWorker['worker'] | null = null;
    const logger = { debug() {}, info() {}, error() {}, warn: () => void worker?.stop() };
    const tools = [defineTool('payment.charge', () => ({}))];
    const started = startWorker(t, { tenant, place, options: { tools, url: proxy.url, logger } });
    worker = started.worker;
    await started.running;
    t.is((await claimAgain(tenant)).attempt, 0);
  },
);

/** The runtime hands an item out again some time after it was given back. */
function claimAgain(tenant: TestTenant) {
  return eventually(() => tenant.claim(), { withinMs: CLAIMED_MS_MAX });
}
