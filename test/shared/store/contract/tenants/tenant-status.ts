import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { TenantStatus } from '../../../../../src/shared/domain/tenant.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  claim,
  claimOne,
  commitOne,
  judge,
  start,
  startWithItems,
  type Started,
} from '../drive.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import { makeEvent, makeItem, makePlan, makeTenantId, makeTicket, makeTimer } from '../make.ts';

const SHARD = 61;
/** Other cases leave some thousand leases that have expired. */
const LIMIT = 10_000;

/** Nothing of an inactive tenant is scheduled, and everything continues when it is active again. */
export function tenantStatusCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  for (const status of ['suspended', 'archived'] as const) {
    check(`nothing is claimed from a tenant that is ${status}`, async (t, { store }) => {
      const { tenantId } = await startWithItems(store, [{}, { queue: 'java_tool' }]);
      const both = { queues: ['python_tool', 'java_tool'] } as const;
      await put(store, tenantId, status);
      t.deepEqual(await claim(store, tenantId), []);
      t.deepEqual(await claim(store, tenantId, both), []);
      await put(store, tenantId, 'active');
      t.is((await claim(store, tenantId, both)).length, 2);
    });

    check(`nothing is due or runnable in a tenant that is ${status}`, async (t, database) => {
      const { store } = database;
      const execution = await startWithEverythingDue(database);
      const { tenantId } = execution;
      await put(store, tenantId, status);
      t.deepEqual(await findReady(store, execution), NOTHING_READY);
      await put(store, tenantId, 'active');
      t.deepEqual(await findReady(store, execution), {
        timers: 1,
        leases: 1,
        overdue: 1,
        marks: 1,
        retries: 1,
        engine: 1,
      });
    });
  }

  check('a commit that leases items to workers says if the tenant is not active', async (t, at) => {
    const { store } = at;
    const execution = await start(store, { tenantId: makeTenantId() });
    const other = await start(store);
    const lease = (of: Started, changes: Partial<WorkTicket> = {}) => {
      const { ticket, record } = makeItem(makeTicket(of, changes));
      const to = { ticket, leaseTo: 'worker-1', leaseMs: 30_000 };
      return { bornLeased: [record === null ? to : { ...to, record }] };
    };
    // With and without conditions that the store checks per plan.
    const judged = { startsTimers: [makeTimer()] };
    for (const also of [{}, judged]) {
      await put(store, execution.tenantId, 'suspended');
      const [own, engine, neighbour] = await store.executions.commit([
        makePlan(execution, { ...also, ...lease(execution) }),
        makePlan(await start(store, execution), lease(execution, { queue: 'engine' })),
        makePlan(other, lease(other)),
      ]);
      t.like(own, { accepted: true, isUnserved: true });
      t.true(engine?.accepted === true && engine.isUnserved === undefined);
      t.true(neighbour?.accepted === true && neighbour.isUnserved === undefined);
      await put(store, execution.tenantId, 'active');
      const served = await judge(store, makePlan(execution, { ...also, ...lease(execution) }));
      t.true(served.accepted && served.isUnserved === undefined);
    }
  });

  check('the next due is never that of a suspended tenant', async (t, { store }) => {
    const execution = await start(store);
    const soon = makeTimer({ when: { delayMs: 0 } });
    await commitOne(store, makePlan(execution, { startsTimers: [soon] }));
    const others = async () =>
      (await store.timers.listDue({ limit: LIMIT })).some(
        ({ executionId }) => executionId !== execution.executionId,
      );
    await put(store, execution.tenantId, 'suspended');
    if (!(await others())) t.not(await store.timers.nextDueInMs(), 0);
    await put(store, execution.tenantId, 'active');
    t.is(await store.timers.nextDueInMs(), 0);
    await commitOne(store, makePlan(execution, { status: 'cancelled', revokesAll: true }));
  });
}

async function put(store: Store, tenantId: TenantId, status: TenantStatus): Promise<void> {
  await store.tenants.create({ tenantId, name: 'put', actorId: 'token:ci' });
  await store.tenants.update(tenantId, {
    name: null,
    status,
    policy: null,
    limits: null,
    actorId: 'token:ci',
  });
}

/** A timer, a retry and a mark, a lapsed lease, an overdue item, and one for the engine. */
async function startWithEverythingDue({ store, age }: TestStore): Promise<Started> {
  const execution = await start(store, {
    tenantId: makeTenantId(),
    create: { shard: SHARD },
    changes: { runnable: 'mark' },
  });
  await commitOne(store, makePlan(execution, { newItems: [makeItem(makeTicket(execution))] }));
  await claimOne(store, execution.tenantId, { leaseMs: 0 });
  await commitOne(
    store,
    makePlan(execution, {
      events: [makeEvent()],
      newItems: [
        makeItem(makeTicket(execution, { scheduleToStartMs: 0, queue: 'java_tool' })),
        makeItem(makeTicket(execution, { queue: 'engine' })),
      ],
      retries: [{ ticket: makeTicket(execution, { attempt: 1 }), delayMs: 1, released: null }],
      startsTimers: [makeTimer()],
      runnable: 'mark',
    }),
  );
  // The clocks of both databases know milliseconds: a retry of one isn't due in the same one.
  await age({ table: 'retry_timers', columns: ['due_at'], byMs: 1_000 });
  return execution;
}

const NOTHING_READY = { timers: 0, leases: 0, overdue: 0, marks: 0, retries: 0, engine: 0 };

async function findReady(
  store: Store,
  { executionId }: Started,
): Promise<Readonly<Record<keyof typeof NOTHING_READY, number>>> {
  const own = (rows: readonly { readonly executionId: string }[]) =>
    rows.filter((row) => row.executionId === executionId).length;
  const limit = LIMIT;
  const ofTickets = (rows: readonly { readonly ticket: { readonly executionId: string } }[]) =>
    own(rows.map(({ ticket }) => ticket));
  return {
    timers: own(await store.timers.listDue({ limit })),
    leases: ofTickets(await store.work.listExpiredLeases({ limit })),
    overdue: own(await store.work.listOverdueQueued({ limit })),
    marks: own(await store.runnable.list({ shards: [SHARD], limit })),
    retries: own(await store.timers.promoteRetries({ limit })),
    engine: ofTickets(await claim(store, null, { shards: [SHARD], limit })),
  };
}
