import test from 'ava';
import { createWorker, defineFunction, defineTool, silentLogger } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startWorker, until, type RunningWorker } from '../support/with-worker.ts';

/* A worker that stops while its claim is unanswered. */

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '3' } });

const CHARGE = { kind: 'python_fn', module: 'payment', function: 'charge' };

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
    const items = [await tenant.claim(), await tenant.claim()];
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
    t.is((await tenant.claim()).attempt, 0);
  },
);

check(
  'a worker that has stopped no longer counts among those that claim',
  async (t, tenant, place) => {
    const tools = [defineTool('payment.charge', () => ({}))];
    const untilListed = (isListed: boolean, workerId: string) =>
      eventually(async () => {
        const { body } = await tenant.get<{ readonly workers: readonly Listed[] }>('/workers');
        const isFound = body.workers.some((listed) => listed.worker_id === workerId);
        if (isFound !== isListed) throw new Error(`${workerId} is listed: ${isFound}`);
      });
    const stays = startWorker(t, { tenant, place, options: { tools } }).worker;
    const { worker } = startWorker(t, { tenant, place, options: { tools } });
    await untilListed(true, stays.workerId);
    await untilListed(true, worker.workerId);
    await worker.stop();
    await untilListed(false, worker.workerId);
    await t.notThrowsAsync(untilListed(true, stays.workerId));
  },
);

interface Listed {
  readonly worker_id: string;
}

test('a worker that stops before it has registered is never ready', async (t) => {
  const fetch = async () => {
    void worker.stop();
    throw new TypeError('fetch failed');
  };
  const functions = [defineFunction('one', () => {})];
  const worker = createWorker({ url: 'http://svc.test', functions, fetch, logger: silentLogger });
  const ready = t.throwsAsync(worker.ready, {
    name: 'ShutdownError',
    message: /stops before it has registered its functions/,
  });
  await t.notThrowsAsync(worker.run());
  await ready;
});

test('a worker that stops before it runs is never ready', async (t) => {
  const fetch = async () => Response.json({});
  const functions = [defineFunction('one', () => {})];
  const worker = createWorker({ url: 'http://svc.test', functions, fetch, logger: silentLogger });
  await worker.stop();
  await t.throwsAsync(worker.ready, { name: 'ShutdownError', message: /let `ready` resolve/ });
  await t.notThrowsAsync(worker.run());
});

check('a worker stops although the runtime no longer answers', async (t, tenant, place) => {
  const proxy = await startLosingProxy(place.runtime.url, []);
  const tools = [defineTool('payment.charge', () => ({}))];
  const { worker, running } = startWorker(t, { tenant, place, options: { tools, url: proxy.url } });
  await until('the worker claims', () => proxy.requests.length > 0);
  await proxy.close();
  await worker.stop();
  await t.notThrowsAsync(running);
});

check(
  'a worker stops at its deadline although the runtime no longer answers about its item',
  async (t, tenant, place) => {
    const proxy = await startLosingProxy(place.runtime.url, []);
    let begun = false;
    const charge = defineTool('payment.charge', (_, { signal }) => {
      begun = true;
      return new Promise<object>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    });
    await tenant.run({ nodes: { pay: CHARGE } });
    const options = { tools: [charge], url: proxy.url };
    const { worker, running } = startWorker(t, { tenant, place, options });
    await until('the tool runs', () => begun);
    await proxy.close();
    await worker.stop({ deadlineMs: 10 });
    await t.notThrowsAsync(running);
  },
);
