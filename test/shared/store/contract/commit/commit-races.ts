import type { CommitPlan } from '../../../../../src/shared/store/commit.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  atOnce,
  claim,
  claimOne,
  judge,
  settleOf,
  start,
  startWithItems,
  type Started,
} from '../drive.ts';
import {
  makeCompleted,
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
  makeUuid,
} from '../make.ts';

const COMPETITORS = 20;
const CANCEL_ROUNDS = 40;

export function commitRaceCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('exactly one of twenty settles of one lease is accepted', async (t, { store }) => {
    const { tickets: _, ...execution } = await startWithItems(store, [{}]);
    const item = await claimOne(store, execution.tenantId);
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(
        store,
        makePlan(execution, { settles: [settleOf(item)], events: [makeCompleted('done')] }),
      ),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    t.true(verdicts.every((verdict) => verdict.accepted || verdict.reason === 'stale'));
    t.like(await store.executions.find(execution.executionId, null), { lastSequence: 2 });
  });

  check('exactly one of twenty plans for one sequence is accepted', async (t, { store }) => {
    const execution = await start(store);
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(store, makePlan(execution, { expectedSequence: 1, events: [makeEvent()] })),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    t.true(verdicts.every((verdict) => verdict.accepted || verdict.reason === 'moved'));
  });

  check('exactly one of twenty steps on one lease is accepted', async (t, { store }) => {
    const { tickets: _, ...execution } = await startWithItems(store, [{}]);
    const item = await claimOne(store, execution.tenantId);
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(store, makeStep(execution, { expectedSequence: 1, settles: [settleOf(item)] })),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    t.true(verdicts.every((verdict) => verdict.accepted || verdict.reason === 'moved'));
    const events = await store.executions.events({ ...execution, after: 0, limit: null });
    t.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
  });

  check('batches of steps in opposite orders leave each step once', async (t, { store }) => {
    const executions = await atOnce(10, () => start(store));
    for (let expected = 1; expected < 20; expected += 2) {
      const batches = await atOnce(4, (index) => {
        const order = index % 2 === 0 ? executions : executions.toReversed();
        return store.executions.commit(
          order.map((execution) => makeStep(execution, { expectedSequence: expected })),
        );
      });
      for (const [position] of executions.entries()) {
        const verdicts = batches.map((batch, index) =>
          index % 2 === 0 ? batch[position] : batch[executions.length - 1 - position],
        );
        t.is(verdicts.filter((verdict) => verdict?.accepted).length, 1);
      }
    }
  });

  check('every step of a batch gets the fences of its own leases', async (t, { store }) => {
    const executions = await atOnce(10, () => start(store));
    const plans = executions.map((execution) =>
      makeStep(execution, {
        expectedSequence: 1,
        bornLeased: [0, 1, 2].map(() => ({
          ticket: makeTicket(execution, { queue: 'engine' }),
          leaseTo: 'scheduler-1',
          leaseMs: 30_000,
        })),
      }),
    );
    const verdicts = await store.executions.commit(plans);
    const settles = plans.map((plan, index) => {
      const verdict = verdicts[index];
      return makeStep(plan, {
        expectedSequence: 3,
        settles: plan.bornLeased.map(({ ticket }, lease) => ({
          workItemId: ticket.workItemId,
          leaseFence: verdict?.accepted === true ? (verdict.fences[lease] ?? 0) : 0,
          onlyIfExpired: false,
        })),
      });
    });
    const ends = await store.executions.commit(settles);
    t.true(ends.every(({ accepted }) => accepted));
  });

  check('twenty facts at the tail are all kept, in one order', async (t, { store }) => {
    const execution = await start(store);
    const verdicts = await atOnce(COMPETITORS, (index) =>
      judge(
        store,
        makePlan(execution, { events: [makeEvent({ nodeId: `node-${index}` }), makeEvent()] }),
      ),
    );
    const last = verdicts.map((verdict) => (verdict.accepted ? verdict.lastSequence : null));
    t.deepEqual(
      last.toSorted((left, right) => (left ?? 0) - (right ?? 0)),
      Array.from({ length: COMPETITORS }, (_, index) => 3 + 2 * index),
    );
    const events = await store.executions.events({ ...execution, after: 0, limit: null });
    t.is(events.length, 1 + 2 * COMPETITORS);
    for (const [index, sequence] of last.entries()) {
      t.is(events[(sequence ?? 0) - 2]?.nodeId, `node-${index}`);
    }
    const stamps = events.map(({ createdAt }) => createdAt);
    t.deepEqual(stamps, stamps.toSorted());
  });

  check('exactly one of twenty starts of one execution is accepted', async (t, { store }) => {
    const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(store, makePlan(execution, { create: makeNewExecution(), events: [makeStarted()] })),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    t.true(verdicts.every((verdict) => verdict.accepted || verdict.reason === 'exists'));
  });

  check(
    'exactly one of twenty starts with one Idempotency-Key is accepted',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const request = { key: makeUuid(), bodyHash: 'hash' };
      const verdicts = await atOnce(COMPETITORS, async () => {
        const executionId = makeExecutionId();
        const plan = makePlan(
          { executionId, tenantId },
          { create: makeNewExecution({ request }), events: [makeStarted()] },
        );
        return { executionId, verdict: await judge(store, plan) };
      });
      const winners = verdicts.filter(({ verdict }) => verdict.accepted);
      t.is(winners.length, 1);
      for (const { verdict } of verdicts) {
        if (verdict.accepted) continue;
        t.is(verdict.reason, 'duplicate_request');
        t.is(verdict.existing?.executionId, winners[0]?.executionId);
      }
    },
  );

  check('batches in opposite orders do not block each other', async (t, { store }) => {
    const executions = await atOnce(10, () => start(store));
    const batches = await atOnce(COMPETITORS, (index) => {
      const order = index % 2 === 0 ? executions : executions.toReversed();
      return store.executions.commit(
        order.map((execution) => makePlan(execution, { events: [makeEvent()] })),
      );
    });
    t.true(batches.flat().every(({ accepted }) => accepted));
    for (const { executionId } of executions) {
      t.like(await store.executions.find(executionId, null), { lastSequence: 1 + COMPETITORS });
    }
  });

  check('a cancel leaves no lease, with any claims meanwhile', async (t, { store }) => {
    for (let round = 0; round < CANCEL_ROUNDS; round += 1) {
      const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}]);
      const cancel = () =>
        judge(
          store,
          makePlan(execution, {
            status: 'cancelled',
            events: [makeEvent({ kind: 'WorkflowCancelled', nodeId: null, payload: '{}' })],
            revokesAll: true,
          }),
        );
      const claims = () => atOnce(4, () => claim(store, execution.tenantId, { limit: 1 }));
      const [verdict] = await (round % 2 === 0
        ? Promise.all([cancel(), claims()])
        : Promise.all([claims(), cancel()]).then(([claimed, cancelled]) => [cancelled, claimed]));
      t.like(verdict, { accepted: true });
      for (const ticket of tickets) {
        t.like(await store.work.find(ticket.workItemId, ticket.tenantId), {
          place: 'settled',
          lease: null,
        });
      }
      t.deepEqual(await claim(store, execution.tenantId), []);
    }
  });

  check('a cancel racing the last settle leaves one end', async (t, { store }) => {
    for (let round = 0; round < CANCEL_ROUNDS; round += 1) {
      const { tickets: _, ...execution } = await startWithItems(store, [{}]);
      const item = await claimOne(store, execution.tenantId);
      const endings = [
        makePlan(execution, {
          status: 'cancelled',
          events: [makeEvent({ kind: 'WorkflowCancelled' })],
          revokesAll: true,
        }),
        makePlan(execution, {
          status: 'completed',
          settles: [settleOf(item)],
          events: [makeEvent({ kind: 'WorkflowCompleted' })],
          revokesAll: true,
        }),
      ];
      const order = round % 2 === 0 ? endings : endings.toReversed();
      const verdicts = await Promise.all(order.map((plan) => judge(store, plan)));
      t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
      t.like(await store.executions.find(execution.executionId, null), { lastSequence: 2 });
    }
  });

  check('a claim racing a promoted retry hands the item out once', async (t, { store, age }) => {
    const execution = await start(store);
    const tickets = Array.from({ length: 10 }, () => makeTicket(execution, { attempt: 1 }));
    const retries = tickets.map((ticket) => ({ ticket, delayMs: 60_000, released: null }));
    t.true((await judge(store, makePlan(execution, { retries }))).accepted);
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: 120_000 });
    const rounds = await atOnce(COMPETITORS, async (index) => {
      if (index % 2 === 0) await store.timers.promoteRetries({ limit: 3 });
      return claim(store, execution.tenantId, { limit: 2 });
    });
    await store.timers.promoteRetries({ limit: 100 });
    const claimed = [...rounds.flat(), ...(await claim(store, execution.tenantId, { limit: 100 }))];
    t.deepEqual(
      claimed.map(({ ticket }) => ticket.workItemId).toSorted(),
      tickets.map(({ workItemId }) => workItemId).toSorted(),
    );
  });
}

/** A plan with no more than a step of the engine. */
function makeStep(execution: Started, changes: Partial<CommitPlan>): CommitPlan {
  return makePlan(execution, {
    events: [makeCompleted('done'), makeEvent({ kind: 'NodeScheduled' })],
    runnable: 'clear',
    ...changes,
  });
}
