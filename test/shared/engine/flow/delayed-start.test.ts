import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Executions whose time comes while another process is about to look at them, or while they are paused. */

const IR = {
  workflow_id: 'later',
  nodes: {
    go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
  },
  concurrency: { limit: 1 },
};
const BY = { tenantId: TENANT, actorId: 'token:t' };
const ROUND = { shards: [...Array(64).keys()], limit: 100 };
const HOUR_MS = 3_600_000;
const MISSED = ['WorkflowStarted', 'TimerStarted', 'TimerFired', 'WorkflowFailed'];

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: one whose time comes after a scheduler has listed it waits for its place`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.start({});
    await svc.settle();
    const delayed = await svc.start({ after: '1h' });
    await svc.engine.deliverExternalEvent({
      ...BY,
      executionId: delayed,
      correlationKey: 'other',
      payload: {},
    });
    const late = openTestEngine({
      store: afterListing(svc.store, async () => {
        await svc.passTime(HOUR_MS);
        await svc.scheduling.fireTimers(ROUND);
      }),
    });
    await late.scheduling.advanceRunnable(ROUND);
    await late.settle();
    t.deepEqual((await svc.store.flow.find(delayed))?.holders, [first]);
    t.false((await svc.story(delayed)).includes('NodeScheduled go'));
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await late.settle();
    t.true((await svc.story(delayed)).includes('NodeScheduled go'));
  });

  test(`${dialect}: neither an event nor the clock lets a paused one begin before its resume`, async (t) => {
    const svc = await open(t, dialect);
    const delayed = await svc.start({ after: '1h' });
    await svc.engine.deliverExternalEvent({
      ...BY,
      executionId: delayed,
      correlationKey: 'go',
      payload: {},
    });
    await svc.settle();
    t.deepEqual(await svc.story(delayed), [
      'WorkflowStarted',
      'TimerStarted',
      'ExternalEventReceived',
    ]);
    await svc.engine.pauseExecution({ ...BY, executionId: delayed, reason: null });
    await svc.passTime(HOUR_MS);
    await svc.settle();
    t.is((await svc.story(delayed)).at(-1), 'TimerFired');
    await svc.engine.resumeExecution({ ...BY, executionId: delayed });
    await svc.settle();
    t.is((await svc.store.executions.find(delayed, TENANT))?.status, 'completed');
  });

  test(`${dialect}: one that has begun by its deadline has none any more`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.start({});
    const second = await svc.start({ deadline: '1h' });
    await svc.settle();
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.settle();
    t.true((await svc.story(second)).includes('NodeScheduled go'));
    await svc.passTime(2 * HOUR_MS);
    t.deepEqual(await svc.store.timers.listDue({ limit: 10 }), []);
    await svc.settle();
    t.is((await svc.store.executions.find(second, TENANT))?.status, 'paused');
  });

  test(`${dialect}: one whose deadline has passed while nothing ran does not begin with its place`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.start({});
    const late = await svc.start({ deadline: '1h' });
    await svc.settle();
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.passTime(2 * HOUR_MS);
    await svc.scheduling.admitChildren();
    t.is(await svc.store.flow.find(late), null);
    await svc.scheduling.advanceRunnable(ROUND);
    await svc.rest();
    t.deepEqual(await svc.story(late), MISSED);
    const next = await svc.start({});
    await svc.settle();
    t.true((await svc.story(next)).includes('NodeScheduled go'));
  });

  test(`${dialect}: those whose deadlines have passed hold back no others, though no timer fires`, async (t) => {
    const svc = await open(t, dialect);
    await svc.engine.registerWorkflow({ ...BY, ir: { ...IR, concurrency: { limit: 3 } } });
    const holders = await svc.startEach(3, {});
    const overdue = await svc.startEach(3, { deadline: '1h' });
    const other = await svc.startOther();
    await svc.settle();
    for (const executionId of holders) {
      await svc.engine.cancelExecution({ ...BY, executionId });
    }
    await svc.passTime(2 * HOUR_MS);
    await svc.scheduling.admitChildren();
    const event = { correlationKey: 'go', payload: {} };
    await svc.engine.deliverExternalEvent({ ...BY, executionId: other, ...event });
    const round = { ...ROUND, limit: overdue.length };
    t.like(await svc.scheduling.advanceRunnable(round), { found: overdue.length });
    await svc.rest();
    for (const executionId of overdue) t.deepEqual(await svc.story(executionId), MISSED);
    t.deepEqual(await svc.scheduling.advanceRunnable(round), { found: 1, more: false });
    await svc.rest();
    t.is((await svc.store.executions.find(other, TENANT))?.status, 'completed');
  });

  test(`${dialect}: a deadline fires once, though its timer and its place are found together`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.start({});
    const late = await svc.start({ deadline: '1h' });
    await svc.settle();
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.passTime(2 * HOUR_MS);
    await svc.scheduling.admitChildren();
    const { scheduling: beside } = openTestEngine({ store: svc.store });
    await Promise.all([
      svc.scheduling.advanceRunnable(ROUND),
      beside.advanceRunnable(ROUND),
      beside.fireTimers(ROUND),
    ]);
    await svc.settle();
    t.deepEqual(await svc.story(late), MISSED);
  });

  test(`${dialect}: one that has missed its deadline while paused joins no queue`, async (t) => {
    const svc = await open(t, dialect);
    await svc.start({});
    await svc.settle();
    const after = new Date(Date.now() + HOUR_MS).toISOString();
    const late = await svc.start({ after, deadline: '10m' });
    await svc.engine.pauseExecution({ ...BY, executionId: late, reason: null });
    await svc.passTime(HOUR_MS / 2);
    await svc.settle();
    t.true((await svc.story(late)).includes('TimerFired'));
    await svc.passTime(HOUR_MS);
    await svc.settle();
    t.is(await svc.store.flow.find(late), null);
    await svc.engine.resumeExecution({ ...BY, executionId: late });
    await svc.settle();
    t.is((await svc.store.executions.find(late, TENANT))?.status, 'failed');
  });
}

/** The store of a process that lists what to advance, and then does nothing for a while. */
function afterListing(store: Store, meanwhile: () => Promise<void>): Store {
  let isOver = false;
  return {
    ...store,
    runnable: {
      ...store.runnable,
      async list(params) {
        const listed = await store.runnable.list(params);
        if (!isOver) await meanwhile();
        isOver = true;
        return listed;
      },
    },
  };
}

async function open(t: ExecutionContext, dialect: Dialect) {
  const { store, close, age } = await openTestStore(dialect);
  t.teardown(close);
  const svc = openTestEngine({ store });
  await svc.engine.registerWorkflow({ ...BY, ir: IR });
  const given = { workflowVersion: null, input: {}, priority: 5, idempotencyKey: null };
  async function startOf(workflowId: string, startTimes: StartTimesText): Promise<ExecutionId> {
    const started = await svc.engine.startExecution({ ...BY, workflowId, ...given, startTimes });
    return started.executionId;
  }
  const start = (startTimes: StartTimesText) => startOf(IR.workflow_id, startTimes);
  return {
    ...svc,
    start,
    startEach(count: number, startTimes: StartTimesText): Promise<readonly ExecutionId[]> {
      return Promise.all(Array.from({ length: count }, () => start(startTimes)));
    },
    /** One of a workflow without limits. */
    async startOther(): Promise<ExecutionId> {
      const { nodes } = IR;
      await svc.engine.registerWorkflow({ ...BY, ir: { workflow_id: 'other', nodes } });
      return startOf('other', {});
    },
    /** Waits until the runners that are under way have stopped, and begins no others. */
    async rest(): Promise<void> {
      while (svc.scheduling.underWay() > 0) await new Promise((resolve) => setImmediate(resolve));
    },
    passTime: (byMs: number) => age({ table: 'timers', columns: ['due_at'], byMs }),
  };
}

interface StartTimesText {
  readonly after?: string;
  readonly deadline?: string;
}
