import { randomUUID } from 'node:crypto';

import test from 'ava';
import { createWorker, defineFunction, defineTool, silentLogger } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startWorker, until } from '../support/with-worker.ts';

/* A worker that stops. `giving-back.test.ts` has what it gives back. */

const check = onBothStores();

const CHARGE = { kind: 'python_fn', module: 'payment', function: 'charge' };

check(
  'a worker that has stopped no longer counts among those that claim',
  async (t, tenant, place) => {
    const tools = [defineTool('payment.charge', () => ({}))];
    const stays = startWorker(t, { tenant, place, options: { tools } }).worker;
    const { worker } = startWorker(t, { tenant, place, options: { tools } });
    await untilListed(tenant, stays.workerId, true);
    await untilListed(tenant, worker.workerId, true);
    await worker.stop();
    await untilListed(tenant, worker.workerId, false);
    await t.notThrowsAsync(untilListed(tenant, stays.workerId, true));
  },
);

check(
  'a worker whose places are all taken no longer counts once it stops',
  async (t, tenant, place) => {
    const going = Promise.withResolvers<object>();
    const begun = Promise.withResolvers<void>();
    const charge = defineTool('payment.charge', () => {
      begun.resolve();
      return going.promise;
    });
    const id = await tenant.run({ nodes: { pay: CHARGE } });
    const options = { tools: [charge], concurrency: 1 };
    const { worker } = startWorker(t, { tenant, place, options });
    await begun.promise;
    await untilListed(tenant, worker.workerId, true);
    const stopped = worker.stop();
    await untilListed(tenant, worker.workerId, false);
    going.resolve({});
    await stopped;
    t.is((await tenant.until(id, 'completed')).status, 'completed');
  },
);

check('the last claim of a worker leases nothing', async (t, tenant) => {
  await tenant.run({ nodes: { pay: CHARGE } });
  const claimId = randomUUID();
  for (const more of [{}, { claim_id: claimId, repeated: true, max_items: 1 }]) {
    t.like(await tenant.tryClaim({ last: true, ...more }), { claimed: false });
  }
  const held = await tenant.claim({ claim_id: claimId });
  t.is(held.attempt, 0);
  const again = await tenant.claim({ claim_id: claimId, repeated: true, last: true });
  t.deepEqual([again.id, again.lease_fence], [held.id, held.lease_fence]);
});

interface Listed {
  readonly worker_id: string;
}

function untilListed(tenant: TestTenant, workerId: string, isListed: boolean): Promise<void> {
  return eventually(async () => {
    const { body } = await tenant.get<{ readonly workers: readonly Listed[] }>('/workers');
    const isFound = body.workers.some((listed) => listed.worker_id === workerId);
    if (isFound !== isListed) throw new Error(`${workerId} is listed: ${isFound}`);
  });
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

test('a worker says again that it stops if its last report has claimed after that', async (t) => {
  const claims: Claim[] = [];
  const left = Promise.withResolvers<void>();
  const fetch = async (_: unknown, init?: RequestInit) => {
    const claim = claimIn(init);
    claims.push(claim);
    if (claims.length === 1) return Response.json({ claimed: true, work_items: [ITEM] });
    if (claim.last === true) left.resolve();
    if (claim.reports === undefined) return Response.json({ claimed: false, work_items: [] });
    void worker.stop();
    // The runtime serves the report after the claim that says that the worker stops.
    await left.promise;
    const results = [{ work_item_id: ITEM.id, status: 200, body: {} }];
    return Response.json({ claimed: false, work_items: [], results });
  };
  const tools = [defineTool('a.b', () => ({}))];
  const options = { url: 'http://svc.test', tools, concurrency: 1, logger: silentLogger };
  const worker = createWorker({ ...options, fetch });
  await worker.run();
  t.deepEqual(
    claims.map(({ last = false }) => last),
    [false, false, true, true],
  );
});

test('a worker that stops repeats no claim to a runtime that knows the contract alone', async (t) => {
  const claims: Claim[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    claims.push(claimIn(init));
    if (claims.length === 1) return Response.json({ claimed: false });
    void worker.stop();
    throw await abortOf(init?.signal);
  };
  const tools = [defineTool('a.b', () => ({}))];
  const worker = createWorker({ url: 'http://svc.test', tools, fetch, logger: silentLogger });
  await worker.run();
  t.deepEqual(
    claims.map(({ last = false, repeated = false }) => [last, repeated]),
    [
      [false, false],
      [false, false],
    ],
  );
});

interface Claim {
  readonly last?: boolean;
  readonly repeated?: boolean;
  readonly reports?: readonly unknown[];
}

const ITEM = {
  id: 'item_1',
  execution_id: 'exec_1',
  node_id: 'a',
  queue_type: 'python_tool',
  attempt: 0,
  lease_fence: 1,
  heartbeat_interval_ms: 60_000,
  idempotency_key: 'k',
  payload: { module: 'a', function: 'b', input: {} },
};

function claimIn(init: RequestInit | undefined): Claim {
  return JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Claim;
}

/** The reason with which the signal aborts. */
function abortOf(signal: AbortSignal | null | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve(signal.reason);
    signal?.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
