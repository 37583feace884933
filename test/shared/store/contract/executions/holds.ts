import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, commitOne, placeOf, refuses, settleOf, startWithItems } from '../drive.ts';
import { makeEvent, makePlan, makeTicket } from '../make.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** Waiting items can be held and released. */
export function holdCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a held item is not claimed, and is given back in its order', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}]);
    const others = await startWithItems(store, [{}]);
    const [leased] = await claim(store, execution.tenantId, { limit: 1 });
    await commitOne(store, makePlan(execution, { waitingItems: 'hold', events: [makeEvent()] }));
    t.deepEqual(await claim(store, execution.tenantId), []);
    t.is((await claim(store, others.tenantId)).length, 1);
    await store.timers.promoteRetries({ limit: 100 });
    t.deepEqual(await claim(store, execution.tenantId), []);

    // A leased item may be settled meanwhile.
    if (leased === undefined) return t.fail('nothing was claimed');
    await commitOne(store, makePlan(execution, { settles: [settleOf(leased)] }));
    await commitOne(store, makePlan(execution, { waitingItems: 'release' }));
    await store.timers.promoteRetries({ limit: 100 });
    const given = await claim(store, execution.tenantId);
    t.deepEqual(
      given.map(({ ticket }) => ticket),
      tickets.filter(({ workItemId }) => workItemId !== leased.ticket.workItemId),
    );
  });

  check('a retry that is held keeps its time', async (t, { store, age }) => {
    const { tickets: _, ...execution } = await startWithItems(store, []);
    const ticket = makeTicket(execution, { queue: 'engine', attempt: 1 });
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: HOUR_MS, released: null }] }),
    );
    const hold = makePlan(execution, { waitingItems: 'hold' });
    await commitOne(store, hold);
    await commitOne(store, hold);
    await age({ table: 'retry_timers', columns: ['held_due_at'], byMs: HOUR_MS / 2 });
    await commitOne(store, makePlan(execution, { waitingItems: 'release' }));
    const isPromoted = async () =>
      (await store.timers.promoteRetries({ limit: 100 })).some(
        ({ workItemId }) => workItemId === ticket.workItemId,
      );
    t.false(await isPromoted());
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS / 2 });
    t.true(await isPromoted());
  });

  check('held items are revoked like the rest', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}, {}]);
    const [one, other] = tickets;
    await commitOne(store, makePlan(execution, { waitingItems: 'hold' }));
    if (one === undefined || other === undefined) return t.fail('two items were made');
    await commitOne(store, makePlan(execution, { revokesItems: [one.workItemId] }));
    t.is(await placeOf(store, one), 'settled');
    await commitOne(store, makePlan(execution, { revokesAll: true }));
    t.is(await placeOf(store, other), 'settled');
  });

  check('a refused plan holds nothing', async (t, database) => {
    const { tickets: _, ...execution } = await startWithItems(database.store, [{}]);
    const plan = makePlan(execution, { waitingItems: 'hold', expectedSequence: 9 });
    await refuses(t, database, { plan, reason: 'moved' });
    t.is((await claim(database.store, execution.tenantId)).length, 1);
  });

  check('executions are held and given back beside others in one batch', async (t, { store }) => {
    const made = await Promise.all([1, 2, 3].map(() => startWithItems(store, [{}])));
    const [held, free, given] = made;
    if (held === undefined || free === undefined || given === undefined) return t.fail('three');
    await commitOne(store, makePlan(given, { waitingItems: 'hold' }));
    const verdicts = await store.executions.commit([
      makePlan(held, { waitingItems: 'hold' }),
      makePlan(free, { revokesAll: true }),
      makePlan(given, { waitingItems: 'release' }),
    ]);
    t.true(verdicts.every(({ accepted }) => accepted));
    await store.timers.promoteRetries({ limit: 100 });
    const counts = await Promise.all(
      made.map(async ({ tenantId }) => (await claim(store, tenantId)).length),
    );
    t.deepEqual(counts, [0, 0, 1]);
  });
}
