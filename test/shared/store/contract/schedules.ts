import type { ExecutionContext } from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { Schedule } from '../../../../src/shared/domain/schedules/schedule.ts';
import type {
  NewSchedule,
  TurnSchedule,
  UpdateSchedule,
} from '../../../../src/shared/store/schedules.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../support/stores.ts';
import { contractCases } from './contract-case.ts';
import { atOnce, commitOne, start } from './drive.ts';
import { makeEvent, makeExecutionId, makePlan, makeTenantId, makeUuid } from './make.ts';

const PAST = '2026-01-01T00:00:00.000Z';
const FUTURE = '2999-01-01T00:00:00.000Z';
const LATER = '2999-01-02T00:00:00.000Z';
const NO_COUNTS = { started: 0, skipped: 0, missed: 0, failed: 0 };
const actorId = 'token:ops';

export function scheduleCases(name: string, open: () => TestStore): void {
  const inShared = contractCases(name, open);
  /** Reads of due schedules cover all tenants, so each case removes its own. */
  const check: typeof inShared = (title, run) =>
    inShared(title, async (t, database) => {
      await run(t, database);
      await removeDue(database.store);
    });

  check('the next due time is in milliseconds', async (t, { store }) => {
    const tenantId = makeTenantId();
    t.is(await store.schedules.nextDueInMs(), null);
    const now = Date.parse(await store.schedules.now());
    await create(store, tenantId, { nextFireAt: new Date(now + 60_000).toISOString() });
    const dueInMs = (await store.schedules.nextDueInMs()) ?? 0;
    t.true(dueInMs > 30_000 && dueInMs <= 60_000, `${dueInMs}`);
  });

  check('a schedule is found by id and by name, by its tenant alone', async (t, { store }) => {
    const tenantId = makeTenantId();
    const made = await create(store, tenantId, { nextFireAt: FUTURE, input: { n: [1.5, 'x'] } });
    t.like(made, {
      tenantId,
      workflowId: 'greet',
      workflowVersion: null,
      input: { n: [1.5, 'x'] },
      cronExpression: '0 9 * * *',
      every: null,
      timezone: 'Europe/Berlin',
      overlapPolicy: 'skip',
      catchupWindowSecs: 60,
      paused: false,
      revision: 1,
      turn: 0,
      dueAt: FUTURE,
      lastFireAt: null,
      lastExecutionId: null,
      lastError: null,
    });
    t.deepEqual(made.position, {
      nextFireAt: FUTURE,
      waitingFireAt: null,
      startingFireAt: null,
      lateFires: 0,
    });
    t.deepEqual(made.counts, NO_COUNTS);
    for (const schedule of [made.scheduleId, made.name]) {
      t.deepEqual(await store.schedules.find({ tenantId, schedule }), made);
      t.is(await store.schedules.find({ tenantId: makeTenantId(), schedule }), null);
    }
    t.is(await store.schedules.find({ tenantId, schedule: 'another' }), null);
  });

  check('schedules are listed newest first, in pages', async (t, { store }) => {
    const tenantId = makeTenantId();
    const made = [];
    for (const _ of [1, 2, 3]) made.unshift(await create(store, tenantId));
    await create(store, makeTenantId());
    const list = (limit: number, offset: number) =>
      store.schedules.list({ tenantId, limit, offset });
    t.deepEqual(await list(10, 0), made);
    t.deepEqual(await list(1, 1), made.slice(1, 2));
  });

  check(
    'a name is given once in a tenant, to one of many concurrent callers',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const given = await atOnce(10, () =>
        store.schedules.create({ ...make(tenantId), name: 'nightly' }),
      );
      t.is(given.filter((one) => one === 'taken').length, 9);
      t.is((await store.schedules.list({ tenantId, limit: 20, offset: 0 })).length, 1);
      await create(store, makeTenantId(), { name: 'nightly' });
    },
  );

  check('a tenant has no more schedules than it may', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId, { schedulesMax: 1 });
    t.is(await store.schedules.create({ ...make(tenantId), schedulesMax: 1 }), 'limited');
  });

  check('a change is written on the turn it was made from', async (t, { store }) => {
    const tenantId = makeTenantId();
    const made = await create(store, tenantId, { nextFireAt: FUTURE });
    const change = {
      tenantId,
      scheduleId: made.scheduleId,
      name: made.name,
      turn: 0,
      actorId,
      skipped: 2,
      spec: {
        workflowId: 'other',
        workflowVersion: '2',
        input: { a: 1 },
        cronExpression: null,
        every: '5m',
        timezone: 'UTC',
        overlapPolicy: 'queue',
        catchupWindowSecs: 0,
        paused: true,
      },
      position: {
        nextFireAt: null,
        waitingFireAt: PAST,
        startingFireAt: FUTURE,
        lateFires: 7,
      },
      dueAt: LATER,
    } satisfies UpdateSchedule;
    t.is(await store.schedules.update({ ...change, turn: 1 }), null);
    t.is(await store.schedules.update({ ...change, tenantId: makeTenantId() }), null);
    const changed = await store.schedules.update(change);
    t.like(changed, { ...change.spec, dueAt: LATER, revision: 2, turn: 1 });
    t.deepEqual(changed?.position, change.position);
    t.is(changed?.counts.skipped, 2);
    t.is(await store.schedules.update(change), null);
    t.deepEqual(await store.schedules.find({ tenantId, schedule: made.name }), changed);
  });

  check('a schedule is deleted, by its tenant, and audited', async (t, { store }) => {
    const tenantId = makeTenantId();
    const made = await create(store, tenantId);
    const { position, dueAt, scheduleId, name: schedule } = made;
    const change = { tenantId, scheduleId, name: schedule, turn: 0, spec: made, skipped: 0 };
    const changed = await store.schedules.update({ ...change, position, dueAt, actorId });
    const foreign = { tenantId: makeTenantId(), schedule };
    t.is(await store.schedules.remove({ ...foreign, actorId }), null);
    t.deepEqual(await store.schedules.remove({ tenantId, schedule, actorId }), changed);
    t.is(await store.schedules.remove({ tenantId, schedule, actorId }), null);
    const { items } = await store.audit.list({ ...ALL, tenantId });
    t.deepEqual(
      items.map((item) => [item.eventType, item.actorId]),
      ['deleted', 'updated', 'created'].map((verb) => [`schedule_${verb}`, actorId]),
    );
    for (const { payload } of items) t.like(payload, { schedule_id: scheduleId, name: schedule });
    t.like(items[1]?.payload, { overlap_policy: 'skip', cron_expression: '0 9 * * *' });
  });

  check('due are those whose time has come, longest due first', async (t, { store }) => {
    const tenantId = makeTenantId();
    const late = await create(store, tenantId, { nextFireAt: '2026-02-01T00:00:00.000Z' });
    const later = await create(store, tenantId, { nextFireAt: '2026-03-01T00:00:00.000Z' });
    await create(store, tenantId, { nextFireAt: FUTURE });
    await create(store, tenantId, { nextFireAt: null, paused: true });
    const due = await listDue(store, tenantId);
    t.deepEqual(
      due.map(({ schedule }) => schedule),
      [late, later],
    );
    t.true(due.every((one) => one.tenantStatus === 'active' && !one.lastIsLive));
    t.true(Math.abs(Date.parse(due[0]?.now ?? '') - Date.now()) < 60_000);
    t.is(await store.schedules.nextDueInMs(), 0);
  });

  check('due schedules show whether tenant and last execution are live', async (t, s) => {
    const { store } = s;
    const tenantId = makeTenantId();
    const made = await create(store, tenantId, { nextFireAt: PAST });
    const execution = await start(store, { tenantId });
    const { executionId } = execution;
    await turn(t, store, { scheduleId: made.scheduleId, turn: 0, starts: PAST, dueAt: PAST });
    const settle = { scheduleId: made.scheduleId, fireAt: PAST, outcome: { executionId } };
    t.true(await store.schedules.settleStart(settle));
    await turn(t, store, { scheduleId: made.scheduleId, turn: 2, dueAt: PAST });
    const told = async () => {
      const [due] = await listDue(store, tenantId);
      return [due?.tenantStatus, due?.lastIsLive];
    };
    t.deepEqual(await told(), ['active', true]);
    await store.tenants.create({ tenantId, name: 'x', actorId });
    const update = { name: null, policy: null, limits: null, actorId };
    await store.tenants.update(tenantId, { ...update, status: 'suspended' });
    t.deepEqual(await told(), ['suspended', true]);
    await store.tenants.update(tenantId, { ...update, status: 'active' });
    await commitOne(store, makePlan(execution, { status: 'failed', events: [makeEvent()] }));
    t.deepEqual(await told(), ['active', false]);
  });

  check('a schedule is taken on by one of those that want to', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { scheduleId } = await create(store, tenantId, { nextFireAt: PAST });
    const counts = { started: 0, skipped: 1, missed: 2, failed: 3 };
    const change: TurnSchedule = {
      scheduleId,
      turn: 0,
      counts,
      error: 'no such workflow',
      dueAt: FUTURE,
      position: { nextFireAt: LATER, waitingFireAt: PAST, startingFireAt: FUTURE, lateFires: 4 },
    };
    const taken = await atOnce(20, () => store.schedules.turn(change));
    t.is(taken.filter(Boolean).length, 1);
    const found = await store.schedules.find({ tenantId, schedule: scheduleId });
    t.like(found, { turn: 1, revision: 1, dueAt: FUTURE, lastError: 'no such workflow' });
    t.deepEqual(found?.position, change.position);
    t.deepEqual(found?.counts, counts);
    t.false(await store.schedules.turn({ ...change, scheduleId: makeUuid() }));
    t.true(await store.schedules.turn({ ...change, turn: 1, error: null }));
    const again = await store.schedules.find({ tenantId, schedule: scheduleId });
    t.is(again?.lastError, 'no such workflow');
  });

  check('the outcome of a start is written once', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { scheduleId } = await create(store, tenantId, { nextFireAt: PAST });
    const executionId = makeExecutionId();
    const settle = { scheduleId, fireAt: PAST, outcome: { executionId } };
    t.false(await store.schedules.settleStart(settle));
    await turn(t, store, { scheduleId, turn: 0, starts: PAST, dueAt: FUTURE, next: LATER });
    t.false(await store.schedules.settleStart({ ...settle, fireAt: LATER }));
    const settled = await atOnce(20, () => store.schedules.settleStart(settle));
    t.is(settled.filter(Boolean).length, 1);
    const found = await store.schedules.find({ tenantId, schedule: scheduleId });
    t.like(found, { lastFireAt: PAST, lastExecutionId: executionId, lastError: null });
    t.like(found, { dueAt: LATER, turn: 2, counts: { started: 1, failed: 0 } });
    t.is(found?.position.startingFireAt, null);
  });

  check('a start that failed or was skipped leaves what was started last', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { scheduleId } = await create(store, tenantId, { nextFireAt: PAST });
    const executionId = makeExecutionId();
    await turn(t, store, { scheduleId, turn: 0, starts: PAST, dueAt: FUTURE });
    await store.schedules.settleStart({ scheduleId, fireAt: PAST, outcome: { executionId } });
    await turn(t, store, { scheduleId, turn: 2, starts: FUTURE, dueAt: FUTURE, next: LATER });
    const outcome = { error: 'limit exceeded' };
    t.true(await store.schedules.settleStart({ scheduleId, fireAt: FUTURE, outcome }));
    t.like(await store.schedules.find({ tenantId, schedule: scheduleId }), {
      lastFireAt: PAST,
      lastExecutionId: executionId,
      lastError: 'limit exceeded',
      dueAt: LATER,
      counts: { started: 1, failed: 1 },
    });
    await turn(t, store, { scheduleId, turn: 4, starts: LATER, dueAt: LATER });
    const skipped = { skipped: 'places are taken' };
    t.true(await store.schedules.settleStart({ scheduleId, fireAt: LATER, outcome: skipped }));
    t.like(await store.schedules.find({ tenantId, schedule: scheduleId }), {
      lastFireAt: PAST,
      lastExecutionId: executionId,
      lastError: 'places are taken',
      counts: { started: 1, skipped: 1, failed: 1 },
    });
  });

  check('one whose fire waits is looked at early when asked for', async (t, { store }) => {
    const tenantId = makeTenantId();
    const one = await create(store, tenantId, { nextFireAt: FUTURE });
    const other = await create(store, tenantId, { nextFireAt: FUTURE });
    const early = [one.scheduleId, other.scheduleId];
    const listed = () => store.schedules.listDue({ limit: 500, early });
    t.is((await listed()).length, 0);
    const position = { ...one.position, waitingFireAt: PAST };
    const change = { turn: 0, position, dueAt: FUTURE, counts: NO_COUNTS, error: null };
    await store.schedules.turn({ ...change, scheduleId: one.scheduleId });
    t.deepEqual(
      (await listed()).map(({ schedule }) => schedule.scheduleId),
      [one.scheduleId],
    );
    t.is((await store.schedules.listDue({ limit: 500, early: [] })).length, 0);
  });
}

const ALL = { executionId: null, actorId: null, eventType: null, limit: 50, offset: 0 };

function make(tenantId: TenantId): NewSchedule {
  return {
    scheduleId: makeUuid(),
    tenantId,
    name: `schedule ${makeUuid()}.`,
    actorId,
    workflowId: 'greet',
    workflowVersion: null,
    input: {},
    cronExpression: '0 9 * * *',
    every: null,
    timezone: 'Europe/Berlin',
    overlapPolicy: 'skip',
    catchupWindowSecs: 60,
    paused: false,
    nextFireAt: FUTURE,
    schedulesMax: 100,
  };
}

async function create(
  store: Store,
  tenantId: TenantId,
  changes: Partial<NewSchedule> = {},
): Promise<Schedule> {
  const made = await store.schedules.create({ ...make(tenantId), ...changes });
  if (typeof made === 'string') throw new Error(`the schedule was not made: ${made}`);
  return made;
}

async function turn(
  t: ExecutionContext,
  store: Store,
  given: {
    readonly scheduleId: string;
    readonly turn: number;
    readonly starts?: string;
    readonly next?: string;
    readonly dueAt: string;
  },
): Promise<void> {
  const { scheduleId, dueAt, starts: startingFireAt = null, next: nextFireAt = null } = given;
  const position = { nextFireAt, startingFireAt, waitingFireAt: null, lateFires: 0 };
  const change = { scheduleId, turn: given.turn, position, dueAt, counts: NO_COUNTS, error: null };
  t.true(await store.schedules.turn(change));
}

async function listDue(store: Store, tenantId: TenantId) {
  const due = await store.schedules.listDue({ limit: 500, early: [] });
  return due.filter(({ schedule }) => schedule.tenantId === tenantId);
}

async function removeDue(store: Store): Promise<void> {
  for (const { schedule } of await store.schedules.listDue({ limit: 500, early: [] })) {
    const { tenantId, scheduleId } = schedule;
    await store.schedules.remove({ tenantId, schedule: scheduleId, actorId });
  }
}
