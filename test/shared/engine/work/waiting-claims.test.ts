import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import { queueTopic } from '../../../../src/shared/engine/wake/wake-for.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { systemTimers } from '../../../../src/shared/engine/scheduling/timers.ts';
import type { ClaimedWork } from '../../../../src/shared/engine/work/hand-out-items.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A commit that creates an item leases it to a waiting claim at once. */

const WORK = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const CHAIN = { nodes: { a: WORK, b: WORK }, edges: [{ from: 'a', to: 'b' }] };

/**
 * The clock is stopped: after its first look a claim waits for a hint, and cached values stay
 * cached.
 */
const timers = { ...systemTimers, now: () => 0 };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (
    title: string,
    run: (t: ExecutionContext, host: TestEngine) => Promise<void>,
  ): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const host = openTestEngine({ store, timers });
      await run(t, host);
      t.deepEqual(host.troubles, []);
    });

  check('a start and a completion give their items to a claim that waits', async (t, host) => {
    const first = await waiting(host);
    const id = await host.start(CHAIN);
    const [a] = await first.claimed;
    t.is(a?.record.nodeId, 'a');
    const lease = a && (await host.store.work.find(a.record.workItemId, TENANT));
    t.is(lease?.lease?.leaseFence, a?.leaseFence);
    t.is(lease?.lease?.expiresAt, a?.leaseExpiresAt);
    const second = await waiting(host);
    await host.complete(a);
    const [b] = await second.claimed;
    t.like(b, { attempt: 0, record: { nodeId: 'b' } });
    await host.complete(b);
    t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
    t.is(host.counts.get('items_claimed'), 2);
  });

  check('a claim gets no more than it asked for, and only its tools', async (t, host) => {
    const other = await waiting(host, { filter: { tools: ['other.*'] } });
    const one = await waiting(host);
    const ids = [await host.start(CHAIN), await host.start(CHAIN)];
    const claimed = await one.claimed;
    t.deepEqual(
      claimed.map(({ record }) => record.executionId),
      ids.slice(0, 1),
    );
    t.is((await host.claim()).length, 1);
    other.leave();
    t.deepEqual(await other.claimed, []);
  });

  check('a claim that leaves gets the items of commits under way', async (t, host) => {
    await host.start(CHAIN);
    const [item] = await host.claim();
    if (item === undefined) throw new Error('nothing was claimed');
    const { waitingClaims } = host.deps;
    const wait = () =>
      waitingClaims.open({
        ...claimOf({}),
        ...ANY,
        topics: [queueTopic(newItem(item).ticket)],
        onGiven: () => undefined,
      });
    const reserve = () => waitingClaims.reserve(newItem(item));
    const [one, other] = [wait(), wait()];
    const [first, second] = [reserve(), reserve()];
    const closed = Promise.all([one.close(), other.close()]);
    t.is(reserve(), null);
    const given = { ...item, ticket: newItem(item).ticket } as never;
    first?.give(given);
    second?.free();
    t.deepEqual(await closed, [[given], []]);
  });

  check('a repeated claim finds what it was given', async (t, host) => {
    const claimId = randomUUID();
    const claim = await waiting(host, { claimId });
    await host.start(CHAIN);
    const [lost] = await claim.claimed;
    const [again] = await host.engine.claimWork(claimOf({ claimId, isRepeated: true }));
    t.is(again?.leaseFence, lost?.leaseFence);
  });

  check('an item of a tenant that another process suspends is put back', async (t, { store }) => {
    const tenantId = 'acme' as TenantId;
    const host = openTestEngine({ store, tenantId, timers });
    const other = openTestEngine({ store });
    await other.engine.createTenant({ tenantId, name: 'Acme', actorId: 'token:test' });
    await host.start(CHAIN);
    const [item] = await host.claim();
    const claim = await waiting(host, { tenantId });
    const changes = { name: null, status: 'suspended', policy: null, limits: null } as const;
    // The clock is stopped, so this process keeps the current tenant in its cache.
    host.deps.tenants.forget(tenantId);
    await host.deps.tenants.get(tenantId);
    await other.engine.updateTenant({ tenantId, actorId: 'token:test', changes });
    await host.complete(item);
    claim.leave();
    t.deepEqual(await claim.claimed, []);
    t.is(host.counts.get('items_released'), 1);
  });

  check('a refused commit leaves the claim waiting', async (t, host) => {
    const id = await host.start(CHAIN);
    const [item] = await host.claim();
    const claim = await waiting(host);
    await host.engine.cancelExecution({
      tenantId: TENANT,
      actorId: 'token:test',
      executionId: id,
    });
    await t.throwsAsync(host.complete(item));
    const next = await host.start(CHAIN);
    const [given] = await claim.claimed;
    t.is(given?.record.executionId, next);
  });
}

type Claim = Parameters<TestEngine['engine']['claimWork']>[0];

const ANY = { filter: {}, claimId: null, maxItems: 1 };

function newItem({ record }: ClaimedWork) {
  const ticket = {
    ...record,
    attempt: 0,
    priority: 5,
    nodeTimeoutMs: null,
    scheduleToStartMs: null,
  };
  return { ticket, record };
}

/** A claim that has found an empty queue. */
async function waiting(host: TestEngine, changes: Partial<Claim> = {}) {
  const leaving = new AbortController();
  const opened = Promise.withResolvers<void>();
  const { waitingClaims } = host.deps;
  const open = waitingClaims.open.bind(waitingClaims);
  waitingClaims.open = (claim) => {
    waitingClaims.open = open;
    opened.resolve();
    return open(claim);
  };
  const claimed = host.engine.claimWork(
    claimOf({ waitMs: 10_000, signal: leaving.signal, ...changes }),
  );
  await opened.promise;
  return { claimed, leave: () => leaving.abort() };
}

function claimOf(changes: Partial<Claim>): Claim {
  return {
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['python_tool'],
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
    ...changes,
  };
}
