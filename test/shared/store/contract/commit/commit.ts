import fc from 'fast-check';

import type { BornLease, Settle } from '../../../../../src/shared/store/commit.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claimOne, commitOne, judge, placeOf, settleOf, start, startWithItems } from '../drive.ts';
import {
  makeCompleted,
  makeDefinitionId,
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
} from '../make.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function commitCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a started execution is what its plan says', async (t, { store }) => {
    const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
    const create = makeNewExecution({
      definitionId: makeDefinitionId(),
      workflowId: 'orders',
      workflowVersion: '2.1',
      shard: 63,
      priority: 4,
      parentExecutionId: makeExecutionId(),
    });
    const verdict = await commitOne(
      store,
      makePlan(execution, { create, events: [makeStarted(), makeEvent()] }),
    );
    t.is(verdict.lastSequence, 2);
    t.deepEqual(verdict.fences, []);
    t.regex(verdict.createdAt, ISO);
    const { request: _, limits: _limits, ...created } = create;
    t.deepEqual(await store.executions.find(execution.executionId, execution.tenantId), {
      ...execution,
      ...created,
      status: 'running',
      lastSequence: 2,
      error: null,
      createdAt: verdict.createdAt,
      updatedAt: verdict.createdAt,
      completedAt: null,
    });
  });

  check('events come back as they were given, numbered from 1', async (t, { store }) => {
    const payload = { visit: 0, output: { text: 'Größe ✓ 😀', list: [1, 2.5, null] } };
    const execution = await start(store);
    const verdict = await commitOne(
      store,
      makePlan(execution, {
        expectedSequence: 1,
        events: [
          makeEvent({
            kind: 'NodeCompleted',
            nodeId: 'a',
            payload: JSON.stringify(payload),
            actorId: 'worker:w1',
          }),
          makeEvent({ kind: 'WorkflowCompleted', nodeId: null, payload: '{}' }),
        ],
      }),
    );
    const events = await store.executions.events({ ...execution, after: 0, limit: null });
    t.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
    t.deepEqual(events[1], {
      kind: 'NodeCompleted',
      nodeId: 'a',
      payload,
      sequence: 2,
      createdAt: verdict.createdAt,
      actorId: 'worker:w1',
    });
    t.is(events[2]?.createdAt, verdict.createdAt);
    t.is(events[2]?.nodeId, null);
  });

  check('without an expected sequence a fact goes to the tail', async (t, { store }) => {
    const execution = await start(store);
    for (const expected of [2, 3, 4]) {
      const verdict = await commitOne(store, makePlan(execution, { events: [makeEvent()] }));
      t.is(verdict.lastSequence, expected);
    }
  });

  check('a plan without events moves no sequence', async (t, { store }) => {
    const execution = await start(store);
    const verdict = await commitOne(
      store,
      makePlan(execution, { expectedSequence: 1, runnable: 'mark' }),
    );
    t.is(verdict.lastSequence, 1);
  });

  check('pausing and resuming leave the execution open', async (t, { store }) => {
    const execution = await start(store);
    for (const status of ['paused', 'running'] as const) {
      await commitOne(store, makePlan(execution, { status, events: [makeEvent()] }));
      t.like(await store.executions.find(execution.executionId, null), {
        status,
        completedAt: null,
      });
    }
  });

  for (const status of ['completed', 'failed', 'cancelled'] as const) {
    check(`an execution that is ${status} has an end and its error`, async (t, { store }) => {
      const execution = await start(store);
      const error = status === 'failed' ? 'node a: boom' : null;
      const { createdAt } = await commitOne(
        store,
        makePlan(execution, { status, error, events: [makeEvent()], revokesAll: true }),
      );
      t.like(await store.executions.find(execution.executionId, null), {
        status,
        error,
        updatedAt: createdAt,
        completedAt: createdAt,
      });
    });
  }

  check('an execution may end in the commit that starts it', async (t, { store }) => {
    const execution = await start(store, { changes: { status: 'completed' } });
    const row = await store.executions.find(execution.executionId, null);
    t.is(row?.status, 'completed');
    t.is(row?.completedAt, row?.createdAt);
  });

  check('a batch of five hundred plans gets its verdicts in order', async (t, { store }) => {
    const executions = Array.from({ length: 500 }, () => ({
      executionId: makeExecutionId(),
      tenantId: makeTenantId(),
    }));
    await store.executions.commit(
      executions.map((execution) =>
        makePlan(execution, { create: makeNewExecution(), events: [makeStarted()] }),
      ),
    );
    const verdicts = await store.executions.commit(
      executions.map((execution, index) =>
        makePlan(execution, {
          expectedSequence: index % 3 === 0 ? 99 : 1,
          events: Array.from({ length: 1 + (index % 2) }, () => makeEvent()),
        }),
      ),
    );
    t.deepEqual(
      verdicts.map((verdict) => (verdict.accepted ? verdict.lastSequence : verdict.reason)),
      executions.map((_, index) => (index % 3 === 0 ? 'moved' : 2 + (index % 2))),
    );
  });

  check('an empty batch is no work', async (t, { store }) => {
    t.deepEqual(await store.executions.commit([]), []);
  });

  check('a plan that cannot be written takes its whole batch back', async (t, database) => {
    const { store } = database;
    const { tickets, ...execution } = await startWithItems(store, [{}]);
    const other = await start(store);
    const before = await database.contents();
    await t.throwsAsync(
      store.executions.commit([
        makePlan(other, { events: [makeEvent()] }),
        makePlan(execution, { events: [makeEvent()], newItems: tickets.map(makeItem) }),
      ]),
    );
    t.deepEqual(await database.contents(), before);
  });

  check('ending an execution leaves no item and no timer', async (t, database) => {
    const { store } = database;
    const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}, {}]);
    const [leased, failed] = await store.work.claim({
      tenantId: execution.tenantId,
      queues: ['python_tool'],
      workerId: 'w',
      leaseMs: 30_000,
      limit: 2,
      shards: null,
    });
    if (leased === undefined || failed === undefined) throw new Error('nothing was claimed');
    await commitOne(
      store,
      makePlan(execution, {
        settles: [settleOf(failed)],
        retries: [{ ticket: { ...failed.ticket, attempt: 1 }, delayMs: 60_000, released: null }],
        startsTimers: [makeTimer(), makeTimer({ name: 'workflow_timeout', nodeId: null })],
      }),
    );
    await commitOne(
      store,
      makePlan(execution, {
        status: 'cancelled',
        events: [makeEvent({ kind: 'WorkflowCancelled', nodeId: null, payload: '{}' })],
        revokesAll: true,
      }),
    );
    const contents = await database.contents();
    const traces = execution.executionId.slice('exec_'.length);
    for (const table of ['work_queue', 'work_leases', 'retry_timers', 'timers']) {
      const left = contents[table]?.filter((row) => row.replaceAll('-', '').includes(traces));
      t.deepEqual(left, [], table);
    }
    for (const ticket of tickets) t.is(await placeOf(store, ticket), 'settled');
  });

  check('a revoked item is gone from queue, lease and retry', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}, {}]);
    const [leased, failed] = await store.work.claim({
      tenantId: execution.tenantId,
      queues: ['python_tool'],
      workerId: 'w',
      leaseMs: 30_000,
      limit: 2,
      shards: null,
    });
    const [, , queued, kept] = tickets;
    if (!leased || !failed || !queued || !kept) throw new Error('nothing was claimed');
    await commitOne(
      store,
      makePlan(execution, {
        settles: [settleOf(failed)],
        retries: [{ ticket: { ...failed.ticket, attempt: 1 }, delayMs: 60_000, released: null }],
      }),
    );
    await commitOne(
      store,
      makePlan(execution, {
        revokesItems: [leased.ticket.workItemId, failed.ticket.workItemId, queued.workItemId],
      }),
    );
    for (const ticket of [leased.ticket, failed.ticket, queued]) {
      t.is(await placeOf(store, ticket), 'settled');
    }
    t.is(await placeOf(store, kept), 'queued');
  });

  check('no plan revokes an item of another execution', async (t, { store }) => {
    const { tickets } = await startWithItems(store, [{}]);
    const [ticket] = tickets;
    if (!ticket) throw new Error('no item was made');
    const other = await start(store, { tenantId: ticket.tenantId });
    await commitOne(store, makePlan(other, { revokesItems: [ticket.workItemId] }));
    t.is(await placeOf(store, ticket), 'queued');
  });

  check('an item born leased is never queued and ends under its fence', async (t, { store }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, { queue: 'engine' });
    const second = makeTicket(execution, { queue: 'engine' });
    const { fences } = await commitOne(
      store,
      makePlan(execution, {
        bornLeased: [ticket, second].map((born) => ({
          ticket: born,
          leaseTo: 'scheduler-1',
          leaseMs: 30_000,
        })),
      }),
    );
    t.is(fences.length, 2);
    const [leaseFence, secondFence] = fences;
    if (leaseFence === undefined || secondFence === undefined) throw new Error('no fence');
    t.not(leaseFence, secondFence);
    const swapped = {
      workItemId: ticket.workItemId,
      leaseFence: secondFence,
      onlyIfExpired: false,
    };
    t.false((await judge(store, makePlan(execution, { settles: [swapped] }))).accepted);
    const settles = [{ ...swapped, leaseFence }];
    t.true((await judge(store, makePlan(execution, { settles }))).accepted);
  });

  check(
    'the lease that ends and those that begin in one plan do not touch',
    async (t, { store }) => {
      const execution = await start(store);
      const lease = { leaseTo: 'scheduler-1', leaseMs: 30_000 };
      const items = Array.from({ length: 4 }, () => makeTicket(execution, { queue: 'engine' }));
      const [first, second, third, bystander] = items.map((ticket) => ({ ticket, ...lease }));
      if (!first || !second || !third || !bystander) throw new Error('no item was made');
      const held: Settle[] = [];
      const begin = async (born: readonly BornLease[], settles: readonly Settle[]) => {
        const plan = makePlan(execution, { bornLeased: born, settles });
        const { fences } = await commitOne(store, plan);
        held.push(
          ...born.map(({ ticket: { workItemId } }, index) => ({
            workItemId,
            leaseFence: fences[index] ?? 0,
            onlyIfExpired: false,
          })),
        );
      };
      const isHeld = async () => {
        const { executionId } = execution;
        const asked = { executionId, tenantId: null, leaseMs: 30_000 };
        return (await store.work.renew(held.map((settle) => ({ ...settle, ...asked })))).map(
          (renewed) => renewed !== null,
        );
      };
      await begin([first, bystander], []);
      t.deepEqual(await isHeld(), [true, true]);
      await begin([second, third], held.slice(0, 1));
      t.deepEqual(await isHeld(), [false, true, true, true]);
      await begin([second], held.slice(2, 3));
      t.deepEqual(await isHeld(), [false, true, false, true, true]);
    },
  );

  check('an item may be settled and retried under the same id', async (t, { store }) => {
    const { tenantId, executionId } = await startWithItems(store, [{}]);
    const first = await claimOne(store, tenantId);
    const retried = { ...first.ticket, attempt: 1 };
    await commitOne(
      store,
      makePlan(
        { tenantId, executionId },
        { settles: [settleOf(first)], retries: [{ ticket: retried, delayMs: 0, released: null }] },
      ),
    );
    const second = await claimOne(store, tenantId);
    t.deepEqual(second.ticket, retried);
    t.true(second.leaseFence > first.leaseFence);
  });

  check('a timer may be cancelled and started again in one plan', async (t, { store }) => {
    const execution = await start(store, {
      changes: { startsTimers: [makeTimer({ when: { delayMs: 60_000 } })] },
    });
    const { name } = makeTimer();
    await commitOne(
      store,
      makePlan(execution, { cancelsTimers: [name], startsTimers: [makeTimer()] }),
    );
    t.true((await judge(store, makePlan(execution, { firesTimers: [name] }))).accepted);
  });

  check('the same Idempotency-Key finds the execution it started', async (t, { store }) => {
    const tenantId = makeTenantId();
    const request = { key: `order-${makeUuid()}`, bodyHash: 'hash-1' };
    const first = await start(store, { tenantId, create: { request } });
    const verdict = await judge(
      store,
      makePlan(
        { executionId: makeExecutionId(), tenantId },
        { create: makeNewExecution({ request: { ...request, bodyHash: 'hash-2' } }) },
      ),
    );
    t.deepEqual(verdict, {
      accepted: false,
      reason: 'duplicate_request',
      existing: { executionId: first.executionId, bodyHash: 'hash-1' },
    });
  });

  check('an Idempotency-Key counts within its tenant', async (t, { store }) => {
    const request = { key: `order-${makeUuid()}`, bodyHash: 'hash' };
    await start(store, { create: { request } });
    await t.notThrowsAsync(start(store, { create: { request } }));
  });

  check('an Idempotency-Key counts for 24 hours', async (t, { store, age }) => {
    const tenantId = makeTenantId();
    const request = { key: `order-${makeUuid()}`, bodyHash: 'hash' };
    const repeat = () =>
      judge(
        store,
        makePlan(
          { executionId: makeExecutionId(), tenantId },
          { create: makeNewExecution({ request }), events: [makeStarted()] },
        ),
      );
    await start(store, { tenantId, create: { request } });
    const columns = ['created_at'];
    await age({ table: 'request_keys', columns, byMs: 24 * 60 * 60 * 1000 - 60_000 });
    t.like(await repeat(), { reason: 'duplicate_request' });
    await age({ table: 'request_keys', columns, byMs: 120_000 });
    t.like(await repeat(), { accepted: true });
    t.like(await repeat(), { reason: 'duplicate_request' });
  });

  check('two starts with one Idempotency-Key in one batch start one', async (t, { store }) => {
    const tenantId = makeTenantId();
    const request = { key: `order-${makeUuid()}`, bodyHash: 'hash' };
    const plans = [0, 1].map(() =>
      makePlan(
        { executionId: makeExecutionId(), tenantId },
        { create: makeNewExecution({ request }), events: [makeStarted()] },
      ),
    );
    const verdicts = await store.executions.commit(plans);
    const winner = plans[verdicts.findIndex((verdict) => verdict.accepted)];
    t.deepEqual(
      verdicts.filter((verdict) => !verdict.accepted),
      [
        {
          accepted: false,
          reason: 'duplicate_request',
          existing: { executionId: winner?.executionId, bodyHash: 'hash' },
        },
      ] as typeof verdicts,
    );
  });

  check(
    'sequences have no gap, after any mix of accepted and refused plans',
    async (t, { store }) => {
      const step = fc.record({
        execution: fc.nat({ max: 2 }),
        events: fc.nat({ max: 3 }),
        expected: fc.constantFrom('tail', 'right', 'wrong'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 }),
          async (batches) => {
            const executions = await Promise.all([start(store), start(store), start(store)]);
            const last = [1, 1, 1];
            for (const batch of batches) {
              const steps = [...new Map(batch.map((each) => [each.execution, each])).values()];
              const verdicts = await store.executions.commit(
                steps.flatMap(({ execution, events, expected }) => {
                  const target = executions[execution];
                  const at = last[execution] ?? 0;
                  if (target === undefined) return [];
                  const expectedSequence =
                    expected === 'tail' ? null : expected === 'right' ? at : at + 1;
                  const made = Array.from({ length: events }, () => makeCompleted(events));
                  return [makePlan(target, { expectedSequence, events: made })];
                }),
              );
              for (const [index, { execution, events, expected }] of steps.entries()) {
                t.is(verdicts[index]?.accepted, expected !== 'wrong');
                if (expected !== 'wrong') last[execution] = (last[execution] ?? 0) + events;
              }
            }
            for (const [index, { executionId }] of executions.entries()) {
              const events = await store.executions.events({ executionId, after: 0, limit: null });
              t.deepEqual(
                events.map(({ sequence }) => sequence),
                Array.from({ length: last[index] ?? 0 }, (_, offset) => offset + 1),
              );
            }
          },
        ),
        { numRuns: 15 },
      );
    },
  );
}
