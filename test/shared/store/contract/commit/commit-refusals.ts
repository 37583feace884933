import type { CommitPlan, RefusalReason } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  claimOne,
  commitOne,
  refuses,
  settleOf,
  start,
  startWithItems,
  type Started,
} from '../drive.ts';
import {
  makeCause,
  makeCompleted,
  makeEvent,
  makeExecutionId,
  makeItem,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
  makeTimer,
  makeUuid,
  makeWorkItemId,
} from '../make.ts';

/** Creates the state that the plan expects, and names the reason for the refusal. */
interface Refusal {
  readonly title: string;
  readonly reason: RefusalReason;
  readonly prepare: (store: Store) => Promise<CommitPlan>;
}

const REFUSALS: readonly Refusal[] = [
  {
    title: 'decided on a sequence that has passed',
    reason: 'moved',
    prepare: async (store) => {
      const execution = await start(store);
      await commitOne(store, makePlan(execution, { events: [makeEvent()] }));
      return makeFullPlan(execution, { expectedSequence: 1 });
    },
  },
  {
    title: 'decided on a sequence that has not come',
    reason: 'moved',
    prepare: async (store) => makeFullPlan(await start(store), { expectedSequence: 2 }),
  },
  ...(['completed', 'failed', 'cancelled'] as const).map((status): Refusal => ({
    title: `for an execution that is ${status}`,
    reason: 'ended',
    prepare: async (store) => {
      const execution = await start(store, { changes: { status } });
      return makeFullPlan(execution, { expectedSequence: 1 });
    },
  })),
  {
    title: 'for an execution that has ended and moved on since',
    reason: 'ended',
    prepare: async (store) => {
      const execution = await start(store);
      await commitOne(
        store,
        makePlan(execution, { status: 'cancelled', events: [makeEvent()], revokesAll: true }),
      );
      return makeFullPlan(execution, { expectedSequence: 1 });
    },
  },
  {
    title: 'for an unknown execution',
    reason: 'missing',
    prepare: async () => makeFullPlan(makeAbsent()),
  },
  {
    title: 'for an execution of another tenant',
    reason: 'missing',
    prepare: async (store) => {
      const { executionId } = await start(store);
      return makeFullPlan({ executionId, tenantId: makeTenantId() });
    },
  },
  {
    title: 'to settle an item under a fence it does not have',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const item = await claimOne(store, execution.tenantId);
      return makeFullPlan(execution, {
        settles: [{ ...settleOf(item), leaseFence: item.leaseFence + 1 }],
      });
    },
  },
  {
    title: 'to settle an item under the fence of a lease it has lost',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const lost = await claimOne(store, execution.tenantId);
      await commitOne(
        store,
        makePlan(execution, {
          settles: [settleOf(lost)],
          retries: [{ ticket: { ...lost.ticket, attempt: 1 }, delayMs: 0, released: null }],
        }),
      );
      await claimOne(store, execution.tenantId);
      return makeFullPlan(execution, { settles: [settleOf(lost)] });
    },
  },
  {
    title: 'under a lease that continues with another fence',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const item = await claimOne(store, execution.tenantId);
      return makeFullPlan(execution, {
        keepsLeases: [{ ...settleOf(item), leaseFence: item.leaseFence + 1 }],
      });
    },
  },
  {
    title: 'under a lease of another execution, which continues',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...other } = await startWithItems(store, [{}]);
      const item = await claimOne(store, other.tenantId);
      const execution = await start(store, { tenantId: other.tenantId });
      return makeFullPlan(execution, { keepsLeases: [settleOf(item)] });
    },
  },
  {
    title: 'to settle an item of another execution',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...other } = await startWithItems(store, [{}]);
      const item = await claimOne(store, other.tenantId);
      const execution = await start(store, { tenantId: other.tenantId });
      return makeFullPlan(execution, { settles: [settleOf(item)] });
    },
  },
  {
    title: 'to settle two items of which one is no longer leased',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const held = await claimOne(store, execution.tenantId);
      const gone = { workItemId: makeWorkItemId(), leaseFence: 1, onlyIfExpired: false };
      return makeFullPlan(execution, { settles: [settleOf(held), gone] });
    },
  },
  // Plans with only the step itself, whose items are leased already: to somebody else, or by the
  // same commit that is sent twice.
  {
    title: 'to hand on an item that somebody else holds by now',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets, ...execution } = await startWithItems(store, [{}]);
      const held = await claimOne(store, execution.tenantId);
      return makePlan(execution, {
        settles: [{ ...settleOf(held), leaseFence: held.leaseFence - 1 }],
        events: [makeEvent()],
        bornLeased: tickets.map((ticket) => ({ ticket, leaseTo: 'scheduler', leaseMs: 30_000 })),
      });
    },
  },
  {
    title: 'to lease an item from birth a second time',
    reason: 'moved',
    prepare: async (store) => {
      const execution = await start(store);
      const step = makePlan(execution, {
        expectedSequence: 1,
        events: [makeEvent()],
        bornLeased: [makeBorn(execution)],
      });
      await commitOne(store, step);
      return step;
    },
  },
  {
    title: 'to start an execution a second time, with an item leased from birth',
    reason: 'exists',
    prepare: async (store) => {
      const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
      const first = makePlan(execution, {
        create: makeNewExecution(),
        events: [makeStarted()],
        bornLeased: [makeBorn(execution)],
      });
      await commitOne(store, first);
      return first;
    },
  },
  {
    title: 'to reclaim a lease that has not lapsed',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const item = await claimOne(store, execution.tenantId);
      return makeFullPlan(execution, { settles: [settleOf(item, { onlyIfExpired: true })] });
    },
  },
  {
    title: 'to expire a queued item that has been claimed',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets, ...execution } = await startWithItems(store, [
        { scheduleToStartMs: 60_000 },
      ]);
      await claimOne(store, execution.tenantId);
      return makeFullPlan(execution, { expiresQueued: tickets.map((each) => each.workItemId) });
    },
  },
  {
    title: 'to expire a queued item that has not waited too long',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets, ...execution } = await startWithItems(store, [
        { scheduleToStartMs: 60_000 },
      ]);
      return makeFullPlan(execution, { expiresQueued: tickets.map((each) => each.workItemId) });
    },
  },
  {
    title: 'to fire a timer that does not exist',
    reason: 'stale',
    prepare: async (store) => makeFullPlan(await start(store), { firesTimers: ['wait:gone#0'] }),
  },
  {
    title: 'to fire a timer that is not due',
    reason: 'stale',
    prepare: async (store) => {
      const timer = makeTimer({ when: { delayMs: 60_000 } });
      const execution = await start(store, { changes: { startsTimers: [timer] } });
      return makeFullPlan(execution, { firesTimers: [timer.name], startsTimers: [] });
    },
  },
  {
    title: 'to start an execution that exists',
    reason: 'exists',
    prepare: async (store) =>
      makeFullPlan(await start(store), {
        create: makeNewExecution({ request: { key: makeUuid(), bodyHash: 'hash' } }),
      }),
  },
  {
    title: 'to start an execution whose id another tenant has',
    reason: 'exists',
    prepare: async (store) => {
      const { executionId } = await start(store);
      return makeFullPlan(
        { executionId, tenantId: makeTenantId() },
        { create: makeNewExecution() },
      );
    },
  },
  {
    title: 'to start an execution with an Idempotency-Key that was used',
    reason: 'duplicate_request',
    prepare: async (store) => {
      const request = { key: makeUuid(), bodyHash: 'hash' };
      const { tenantId } = await start(store, { create: { request } });
      return makeFullPlan(
        { executionId: makeExecutionId(), tenantId },
        { create: makeNewExecution({ request }) },
      );
    },
  },
];

/** The same for plans with no more than a step of the engine, which most plans are. */
const STEP_REFUSALS: readonly Refusal[] = [
  {
    title: 'for a step on a sequence that has passed',
    reason: 'moved',
    prepare: async (store) => {
      const { execution, item } = await startLeased(store);
      await commitOne(store, makePlan(execution, { events: [makeEvent()] }));
      return makeStep(execution, { settles: [settleOf(item)] });
    },
  },
  ...(['completed', 'failed', 'cancelled'] as const).map((status): Refusal => ({
    title: `for a step of an execution that is ${status}`,
    reason: 'ended',
    prepare: async (store) => makeStep(await start(store, { changes: { status } })),
  })),
  {
    title: 'for a step of an unknown execution',
    reason: 'missing',
    prepare: async () => makeStep(makeAbsent()),
  },
  {
    title: 'for a step of an execution of another tenant',
    reason: 'missing',
    prepare: async (store) => {
      const { executionId } = await start(store);
      return makeStep({ executionId, tenantId: makeTenantId() });
    },
  },
  {
    title: 'for a step under a fence that the lease does not have',
    reason: 'stale',
    prepare: async (store) => {
      const { execution, item } = await startLeased(store);
      return makeStep(execution, {
        settles: [{ ...settleOf(item), leaseFence: item.leaseFence + 1 }],
      });
    },
  },
  {
    title: 'for a step that settles an item of another execution',
    reason: 'stale',
    prepare: async (store) => {
      const { execution: other, item } = await startLeased(store);
      const execution = await start(store, { tenantId: other.tenantId });
      return makeStep(execution, { settles: [settleOf(item)] });
    },
  },
  {
    title: 'for a step that settles two items under each other’s fences',
    reason: 'stale',
    prepare: async (store) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}, {}]);
      const [first, second] = [
        await claimOne(store, execution.tenantId, { limit: 1 }),
        await claimOne(store, execution.tenantId, { limit: 1 }),
      ];
      return makeStep(execution, {
        settles: [
          { ...settleOf(first), leaseFence: second.leaseFence },
          { ...settleOf(second), leaseFence: first.leaseFence },
        ],
      });
    },
  },
  {
    title: 'for a step that settles one item twice',
    reason: 'stale',
    prepare: async (store) => {
      const { execution, item } = await startLeased(store);
      return makeStep(execution, {
        settles: [settleOf(item), { ...settleOf(item), leaseFence: item.leaseFence + 1 }],
      });
    },
  },
  {
    title: 'to start an execution that exists, with one step',
    reason: 'exists',
    prepare: async (store) =>
      makePlan(await start(store), { create: makeNewExecution(), events: [makeStarted()] }),
  },
];

export function commitRefusalCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  for (const { title, reason, prepare } of [...REFUSALS, ...STEP_REFUSALS]) {
    check(`a plan ${title} is refused as ${reason} and writes nothing`, async (t, database) => {
      await refuses(t, database, { plan: await prepare(database.store), reason });
    });

    check(`neighbours of a plan ${title} are written`, async (t, database) => {
      const { store } = database;
      const refused = await prepare(store);
      const [first, last] = [await start(store), await start(store)];
      const verdicts = await store.executions.commit([
        makePlan(first, { expectedSequence: 1, events: [makeEvent()] }),
        refused,
        makePlan(last, { expectedSequence: 1, events: [makeEvent(), makeEvent()] }),
      ]);
      t.deepEqual(
        verdicts.map((verdict) => (verdict.accepted ? verdict.lastSequence : verdict.reason)),
        [2, reason, 3],
      );
      t.like(await store.executions.find(first.executionId, null), { lastSequence: 2 });
      t.like(await store.executions.find(last.executionId, null), { lastSequence: 3 });
    });
  }
}

async function startLeased(store: Store) {
  const { tickets: _, ...execution } = await startWithItems(store, [{}]);
  return { execution, item: await claimOne(store, execution.tenantId) };
}

/** The plan of a step: the end of one node and the beginning of the next. */
function makeStep(execution: Started, changes: Partial<CommitPlan> = {}): CommitPlan {
  const next = makeTicket(execution, { queue: 'engine' });
  return makePlan(execution, {
    expectedSequence: 1,
    events: [makeCompleted('done'), makeEvent({ kind: 'NodeScheduled' })],
    bornLeased: [{ ticket: next, leaseTo: 'scheduler-1', leaseMs: 30_000 }],
    runnable: 'clear',
    ...changes,
  });
}

function makeBorn(execution: Started): CommitPlan['bornLeased'][number] {
  const ticket = makeTicket(execution, { queue: 'engine' });
  return { ticket, leaseTo: 'scheduler', leaseMs: 30_000 };
}

/** A plan that would leave a trace in every table that it can write. */
function makeFullPlan(execution: Started, changes: Partial<CommitPlan> = {}): CommitPlan {
  const queued = makeTicket(execution, { scheduleToStartMs: 1_000 });
  const born = makeTicket(execution, { queue: 'engine' });
  const retried = makeTicket(execution, { attempt: 1 });
  const atOnce = makeTicket(execution, { attempt: 1 });
  return makePlan(execution, {
    events: [makeStarted(), makeCompleted({ done: true })],
    status: 'paused',
    newItems: [makeItem(queued)],
    bornLeased: [{ ticket: born, leaseTo: 'scheduler-1', leaseMs: 30_000 }],
    retries: [
      { ticket: retried, delayMs: 60_000, released: null },
      { ticket: atOnce, delayMs: 0, released: null },
    ],
    startsTimers: [makeTimer({ name: 'wait:other#0' })],
    cancelsTimers: [makeTimer().name],
    holdsTimers: ['wait:held#0'],
    releasesTimers: ['wait:released#0'],
    deadLetters: [{ workItemId: queued.workItemId, attempt: 2, error: 'boom', ...makeCause() }],
    snapshot: '{"a":1}',
    runnable: 'mark',
    ...changes,
  });
}

function makeAbsent(): Started {
  return { executionId: makeExecutionId(), tenantId: makeTenantId() };
}
