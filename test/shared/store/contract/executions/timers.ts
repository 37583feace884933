import type { Store } from '../../../../../src/shared/store/store.ts';
import { openTestStore, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  atOnce,
  claim,
  claimOne,
  commitOne,
  judge,
  listDue,
  placeOf,
  start,
  type Started,
} from '../drive.ts';
import { makeEvent, makePlan, makeTicket, makeTimer } from '../make.ts';

const COMPETITORS = 20;
const HOUR_MS = 60 * 60 * 1000;

export function timerCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a due timer is listed as it was started', async (t, { store }) => {
    const execution = await start(store, {
      changes: {
        startsTimers: [
          makeTimer({
            name: 'approval_timeout:review#2',
            purpose: 'approval_timeout',
            nodeId: 'review',
            visit: 2,
          }),
          makeTimer({
            name: 'workflow_timeout',
            purpose: 'workflow_timeout',
            nodeId: null,
            visit: null,
          }),
        ],
      },
    });
    const due = await listDue(store, execution);
    t.deepEqual(
      due.toSorted((left, right) => left.name.localeCompare(right.name)),
      [
        {
          ...execution,
          name: 'approval_timeout:review#2',
          purpose: 'approval_timeout',
          nodeId: 'review',
          visit: 2,
        },
        {
          ...execution,
          name: 'workflow_timeout',
          purpose: 'workflow_timeout',
          nodeId: null,
          visit: null,
        },
      ],
    );
  });

  check('a timer is due after its delay or at its instant', async (t, { store }) => {
    const execution = await start(store, {
      changes: {
        startsTimers: [
          makeTimer({ name: 'now', when: { delayMs: 0 } }),
          makeTimer({ name: 'later', when: { delayMs: HOUR_MS } }),
          makeTimer({ name: 'past', when: { until: '2020-02-29T12:00:00.000Z' } }),
          makeTimer({ name: 'future', when: { until: '2999-01-01T00:00:00.000Z' } }),
        ],
      },
    });
    t.deepEqual(
      (await listDue(store, execution)).map((timer) => timer.name),
      ['past', 'now'],
    );
  });

  check('a timer becomes due when its time has passed', async (t, { store, age }) => {
    const execution = await start(store, {
      changes: { startsTimers: [makeTimer({ when: { delayMs: HOUR_MS } })] },
    });
    const { executionId } = execution;
    const isDue = (name: string) => store.timers.isDue({ executionId, name });
    const { name } = makeTimer();
    t.deepEqual(await listDue(store, execution), []);
    t.false(await isDue(name));
    await age({ table: 'timers', columns: ['due_at'], byMs: HOUR_MS });
    t.is((await listDue(store, execution)).length, 1);
    t.true(await isDue(name));
    t.false(await isDue('wait:another#0'));
  });

  check('exactly one of twenty attempts to fire a timer succeeds', async (t, { store }) => {
    const timer = makeTimer();
    const execution = await start(store, { changes: { startsTimers: [timer] } });
    const verdicts = await atOnce(COMPETITORS, () =>
      judge(
        store,
        makePlan(execution, {
          firesTimers: [timer.name],
          events: [makeEvent({ kind: 'TimerFired' })],
        }),
      ),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 1);
    t.true(verdicts.every((verdict) => verdict.accepted || verdict.reason === 'stale'));
    t.deepEqual(await listDue(store, execution), []);
    t.like(await store.executions.find(execution.executionId, null), { lastSequence: 2 });
  });

  check('a cancelled timer is gone, and cancelling a gone one is nothing', async (t, { store }) => {
    const timer = makeTimer();
    const execution = await start(store, { changes: { startsTimers: [timer] } });
    const plan = makePlan(execution, { cancelsTimers: [timer.name, 'never there'] });
    await commitOne(store, plan);
    await commitOne(store, plan);
    t.deepEqual(await listDue(store, execution), []);
  });

  check('timers are listed oldest first, as many as asked for', async (t, { store }) => {
    const execution = await start(store, {
      changes: {
        startsTimers: [3, 1, 2].map((day) =>
          makeTimer({ name: `day-${day}`, when: { until: `2001-01-0${day}T00:00:00.000Z` } }),
        ),
      },
    });
    t.deepEqual(
      (await listDue(store, execution)).map((timer) => timer.name),
      ['day-1', 'day-2', 'day-3'],
    );
    const two = await store.timers.listDue({ limit: 2 });
    t.deepEqual(
      two.map((timer) => timer.name),
      ['day-1', 'day-2'],
    );
  });

  check('a retry returns to the queue that its ticket names', async (t, { store, age }) => {
    const execution = await start(store);
    const { tenantId } = execution;
    const build = { queue: 'function', queueName: 'default@b1' } as const;
    const tickets = [0, 1].map(() => makeTicket(execution, build));
    const delays = [0, HOUR_MS];
    const retries = tickets.map((ticket, index) => {
      return { ticket, delayMs: delays[index] ?? 0, released: null };
    });
    await commitOne(store, makePlan(execution, { retries }));
    await commitOne(store, makePlan(execution, { waitingItems: 'hold' }));
    await commitOne(store, makePlan(execution, { waitingItems: 'release' }));
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS });
    t.is((await promoted(store, execution)).length, 2);
    const of = (buildId: string | null) =>
      claim(store, tenantId, { queues: ['function'], limit: 5, buildId });
    t.deepEqual(await of(null), []);
    t.deepEqual(await of('b2'), []);
    t.deepEqual(
      (await of('b1')).map(({ ticket }) => ticket.workItemId).toSorted(),
      tickets.map(({ workItemId }) => workItemId).toSorted(),
    );
  });

  check('a retry without delay is on its queue at once', async (t, { store }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, { attempt: 1 });
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: 0, released: null }] }),
    );
    t.deepEqual((await claimOne(store, execution.tenantId)).ticket, ticket);
  });

  check('a retry waits for its time and is then promoted whole', async (t, { store, age }) => {
    const execution = await start(store, { create: { shard: 33 } });
    const ticket = makeTicket(execution, {
      attempt: 4,
      visit: 2,
      priority: 3,
      nodeTimeoutMs: 7_000,
      scheduleToStartMs: 9_000,
      queue: 'engine',
    });
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: HOUR_MS, released: null }] }),
    );
    t.deepEqual(await promoted(store, execution), []);
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS });
    t.deepEqual(await promoted(store, execution), [ticket]);
    t.deepEqual(await promoted(store, execution), []);
    const claimed = await claim(store, null, { shards: [33], limit: 100 });
    const own = claimed.find((item) => item.ticket.executionId === execution.executionId);
    t.deepEqual(own?.ticket, ticket);
  });

  check('the time to start counts from the promotion of a retry', async (t, { store, age }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, { scheduleToStartMs: 60_000 });
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: 1, released: null }] }),
    );
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS });
    await promoted(store, execution);
    t.deepEqual((await claimOne(store, execution.tenantId)).ticket, ticket);
  });

  check('twenty promoters move each retry once', async (t, { store, age }) => {
    const execution = await start(store);
    const tickets = Array.from({ length: 30 }, () => makeTicket(execution, { attempt: 1 }));
    const retries = tickets.map((ticket) => ({ ticket, delayMs: HOUR_MS, released: null }));
    await commitOne(store, makePlan(execution, { retries }));
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS });
    const rounds = await atOnce(COMPETITORS, () => store.timers.promoteRetries({ limit: 4 }));
    t.true(rounds.every(({ length }) => length <= 4));
    rounds.push(await store.timers.promoteRetries({ limit: 1000 }));
    const own = rounds.flat().filter(({ executionId }) => executionId === execution.executionId);
    t.deepEqual(
      own.map(({ workItemId }) => workItemId).toSorted(),
      tickets.map(({ workItemId }) => workItemId).toSorted(),
    );
    t.is((await claim(store, execution.tenantId, { limit: 100 })).length, 30);
  });

  check('a revoked retry is never promoted', async (t, { store, age }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, { attempt: 1 });
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: HOUR_MS, released: null }] }),
    );
    await commitOne(store, makePlan(execution, { revokesItems: [ticket.workItemId] }));
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: HOUR_MS });
    t.deepEqual(await promoted(store, execution), []);
    t.deepEqual(await claim(store, execution.tenantId), []);
    t.is(await placeOf(store, ticket), null);
  });

  check('how long until something is due is known', async (t, { store: { dialect } }) => {
    const alone = await openTestStore(dialect);
    t.teardown(() => alone.close());
    const { store } = alone;
    t.is(await store.timers.nextDueInMs(), null);
    const execution = await start(store, {
      changes: { startsTimers: [makeTimer({ when: { delayMs: HOUR_MS } })] },
    });
    const afterTimer = await store.timers.nextDueInMs();
    t.true(afterTimer !== null && afterTimer > HOUR_MS - 60_000 && afterTimer <= HOUR_MS);
    const ticket = makeTicket(execution);
    await commitOne(
      store,
      makePlan(execution, { retries: [{ ticket, delayMs: 600_000, released: null }] }),
    );
    const afterRetry = await store.timers.nextDueInMs();
    t.true(afterRetry !== null && afterRetry > 540_000 && afterRetry <= 600_000);
    await alone.age({ table: 'timers', columns: ['due_at'], byMs: 2 * HOUR_MS });
    t.is(await store.timers.nextDueInMs(), 0);
    const other = makeTimer({ name: 'held', when: { delayMs: HOUR_MS } });
    const cancelsTimers = [makeTimer().name];
    await commitOne(store, makePlan(execution, { cancelsTimers, startsTimers: [other] }));
    await commitOne(store, makePlan(execution, { holdsTimers: [other.name] }));
    const beside = await store.timers.nextDueInMs();
    t.true(beside !== null && beside <= 600_000, 'nobody waits for a held timer');
  });
}

async function promoted(store: Store, execution: Started) {
  const tickets = await store.timers.promoteRetries({ limit: 1000 });
  return tickets.filter(({ executionId }) => executionId === execution.executionId);
}
