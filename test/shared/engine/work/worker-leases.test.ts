import test, { type ExecutionContext } from 'ava';

import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Concurrent claims, renewals and completions, and the cached data of claims. */

const NODE = { kind: { type: 'python_fn', module: 'm', function: 'f' }, retry_policy: 'no_retry' };
const IR = { nodes: { only: NODE }, edges: [] };
const STALE = { code: 'conflict', body: { completed: false } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, place: Place) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, age, close } = await openTestStore(dialect);
      t.teardown(close);
      await run(t, { store, age, host: openTestEngine({ store }) });
    });

  check('claims at once are served oldest first, in the order they came', async (t, { host }) => {
    const executions: ExecutionId[] = [];
    for (let count = 0; count < 5; count += 1) executions.push(await host.start(IR));
    const claims = await Promise.all([
      host.claim('worker-a', 1),
      host.claim('worker-b', 2),
      host.claim('worker-c', 1),
      host.claim('worker-d', 3),
      host.claim('worker-e', 1),
    ]);
    t.deepEqual(
      claims.map((items) => items.map(({ record }) => executions.indexOf(record.executionId))),
      [[0], [1, 2], [3], [4], []],
    );
    const fences = claims.flat().map(({ leaseFence }) => leaseFence);
    t.is(new Set(fences).size, 5);
    for (const [index, worker] of ['a', 'b', 'c', 'd'].entries()) {
      for (const item of claims[index] ?? []) {
        const found = await host.store.work.find(item.record.workItemId, TENANT);
        t.is(found?.lease?.workerId, `worker-${worker}`);
        t.is(found?.lease?.leaseFence, item.leaseFence);
      }
    }
  });

  check('a caller who has left takes nothing, and its neighbours get theirs', async (t, place) => {
    const { host } = place;
    const executions = [await host.start(IR), await host.start(IR)];
    const leaving = new AbortController();
    const first = host.claim('worker-a');
    const left = host.engine.claimWork({ ...claimOf(TENANT, 'worker-b'), signal: leaving.signal });
    const last = host.claim('worker-c');
    leaving.abort();
    t.deepEqual(await left, []);
    const items = [...(await first), ...(await last)];
    t.deepEqual(
      items.map(({ record }) => record.executionId),
      executions,
    );
  });

  check('claims of two tenants at once get items of their own', async (t, { host, store }) => {
    const other = openTestEngine({ store, tenantId: 'other' as TenantId });
    const own = new Set([await host.start(IR), await host.start(IR)]);
    const foreign = new Set([await other.start(IR)]);
    const of = (tenantId: TenantId) => host.engine.claimWork(claimOf(tenantId, 'same-worker'));
    const claims = await Promise.all([TENANT, 'other' as TenantId, TENANT, TENANT].map(of));
    const executionsOf = (index: number) =>
      (claims[index] ?? []).map(({ record }) => record.executionId);
    t.deepEqual(new Set([0, 2].flatMap(executionsOf)), own);
    t.deepEqual(new Set(executionsOf(1)), foreign);
    t.deepEqual(claims[3], []);
  });

  check('renewals at once each answer for their own lease', async (t, { host }) => {
    for (let count = 0; count < 3; count += 1) await host.start(IR);
    const items = await host.claim('worker', 3);
    const renew = (index: number, fencesOff: number) => {
      const item = items[index];
      if (item === undefined) throw new Error('nothing was claimed');
      const { workItemId } = item.record;
      const leaseFence = item.leaseFence + fencesOff;
      const ref = { tenantId: TENANT, workItemId, workerId: 'worker', leaseFence };
      return host.engine.renewLease(ref);
    };
    const [first, stale, third] = await Promise.allSettled([
      renew(0, 0),
      renew(1, 1_000),
      renew(2, 0),
    ]);
    t.is(first.status, 'fulfilled');
    t.is(third.status, 'fulfilled');
    t.like(stale, { status: 'rejected', reason: { body: { renewed: false } } });
  });

  check(
    'an item that another process has handed out is completed here',
    async (t, { host, store }) => {
      const here = openTestEngine({ store });
      const executionId = await host.start(IR);
      const [item] = await host.claim();
      await here.complete(item);
      await here.settle();
      t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
    },
  );

  check(
    '409 before 400: an item handed out here that another process has settled',
    async (t, { host, store }) => {
      const elsewhere = openTestEngine({ store });
      await host.start(IR);
      const [item] = await host.claim();
      await elsewhere.complete(item);
      const wrong = { idempotencyKey: 'f'.repeat(64) };
      const refusal = await t.throwsAsync(host.complete(item, wrong));
      t.like(refusal, { code: 'conflict', body: { completed: false, reason: 'already settled' } });
      const again = await t.throwsAsync(host.complete(item));
      t.like(again, { code: 'conflict', body: { completed: false, reason: 'already settled' } });
    },
  );

  check(
    '409 before 400: an item handed out here whose lease was reclaimed',
    async (t, { host, store, age }) => {
      await host.start({ ...IR, nodes: { only: { ...NODE, retry_policy: { initial_delay: 0 } } } });
      const [item] = await host.claim();
      await age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
      await openTestEngine({ store }).settle();
      const wrong = { idempotencyKey: 'f'.repeat(64), nodeId: 'other' };
      t.like(await t.throwsAsync(host.complete(item, wrong)), STALE);
      t.like(await t.throwsAsync(host.complete(item)), STALE);
      t.like(await t.throwsAsync(host.fail(item)), {
        code: 'conflict',
        body: { failed: false },
      });
    },
  );

  check('400: a wrong key of an item handed out here leaves it leased', async (t, { host }) => {
    const executionId = await host.start(IR);
    const [item] = await host.claim();
    const wrong = { idempotencyKey: 'f'.repeat(64) };
    t.like(await t.throwsAsync(host.complete(item, wrong)), { code: 'bad_request' });
    t.like(await t.throwsAsync(host.complete(item, { nodeId: 'other' })), { code: 'bad_request' });
    await host.complete(item);
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  check('404: an item handed out here does not exist for another tenant', async (t, { host }) => {
    await host.start(IR);
    const [item] = await host.claim();
    const tenantId = 'other' as TenantId;
    t.like(await t.throwsAsync(host.complete(item, { tenantId })), { code: 'not_found' });
    await host.complete(item);
  });

  check('one of twenty completions of one lease at once holds', async (t, { host, store }) => {
    const other = openTestEngine({ store });
    const executionId = await host.start(IR);
    const [item] = await host.claim();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? host : other).complete(item)),
    );
    t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const story = await host.story(executionId);
    t.is(story.filter((line) => line === 'NodeCompleted only').length, 1);
  });
}

interface Place extends Pick<Awaited<ReturnType<typeof openTestStore>>, 'store' | 'age'> {
  readonly host: ReturnType<typeof openTestEngine>;
}

function claimOf(tenantId: TenantId, workerId: string) {
  return {
    tenantId,
    workerId,
    queues: ['python_tool'] as const,
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
  };
}
