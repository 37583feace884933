import test from 'ava';

import { executionIdFromUuid, type ExecutionId } from '../../../../src/shared/domain/ids.ts';
import { previewRetention } from '../../../../src/shared/engine/retention/preview-retention.ts';
import type { ClaimedItem, Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { changeTable, tamperWith } from '../../../support/stores.ts';
import { atOnce, claimOne, commitOne, settleOf, start } from '../../store/contract/drive.ts';
import {
  makeCause,
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
} from '../../store/contract/make.ts';
import { end, KEPT_FOR_GOOD, openRetentionScene, present, startEnded } from './retention-scene.ts';

const THIRTY = { ...KEPT_FOR_GOOD, completed: 30, failed: 30, cancelled: 30 };
const actorId = 'token:ops';
const SCHEDULE = {
  name: 'daily',
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
  nextFireAt: '2999-01-01T00:00:00.000Z',
  schedulesMax: 100,
} as const;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  const rowId = (executionId: ExecutionId) =>
    dialect === 'sqlite' ? executionId : executionId.slice('exec_'.length);
  const uuidOf = (executionId: ExecutionId) =>
    executionId.slice('exec_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

  test(`${dialect}: nothing is removed unless a policy asks for it`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const execution = await startEnded(store);
    await seal();
    await age(10_000);
    t.like(await run(), { executions: 0, batches: 0 });
    t.deepEqual(await present(store, [execution]), [0]);
  });

  test(`${dialect}: a derived id stays taken after its execution was removed`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const execution = await startEnded(store);
    await seal();
    await age(31);
    t.is((await run({ defaults: THIRTY })).executions, 1);
    const again = makePlan(execution, {
      create: makeNewExecution({ isDerived: true }),
      events: [makeStarted()],
    });
    const [refused] = await store.executions.commit([again]);
    t.like(refused, { accepted: false, reason: 'exists' });
    t.deepEqual(await present(store, [execution]), []);
    const fresh = makePlan(
      { executionId: makeExecutionId(), tenantId: execution.tenantId },
      { create: makeNewExecution({ isDerived: true }), events: [makeStarted()] },
    );
    t.like((await store.executions.commit([fresh]))[0], { accepted: true });
  });

  test(`${dialect}: an execution that its archive misses stays`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const tenantId = makeTenantId();
    const [missed, archived] = [
      await startEnded(store, { tenantId }),
      await startEnded(store, { tenantId }),
    ];
    await seal();
    await age(31);
    const found = new Set([archived.executionId]);
    const archive = async () => ({ file: 'a', executionIds: found });
    t.like(await run({ defaults: THIRTY, archive }), { executions: 1, passedOver: 1 });
    t.deepEqual(await present(store, [missed, archived]), [0]);
    found.clear();
    t.like(await run({ defaults: THIRTY, archive }), { executions: 0, passedOver: 1 });
    found.add(missed.executionId);
    t.like(await run({ defaults: THIRTY, archive }), { executions: 1, passedOver: 0 });
  });

  test(`${dialect}: no table has anything but the proof of a removed execution`, async (t) => {
    const { store, database, run, seal, age } = await openRetentionScene(t, dialect);
    const execution = await start(store, { create: { labels: { a: '1', b: '2' } } });
    const tickets = [makeTicket(execution), makeTicket(execution), makeTicket(execution)];
    const kinds = ['NodeScheduled', 'NodeResumed', 'RetryScheduled'] as const;
    await commitOne(
      store,
      makePlan(execution, {
        newItems: tickets.map(makeItem),
        events: tickets.map(({ workItemId }, index) =>
          makeEvent({
            kind: kinds[index] ?? 'NodeScheduled',
            payload: JSON.stringify({ visit: index, work_item_id: workItemId }),
          }),
        ),
        charge: { inputTokens: 1, outputTokens: 1, costUsd: 1 },
        snapshot: '{"a":1}',
        runnable: 'mark',
      }),
    );
    for (const [kind, payload] of [
      ['ApprovalRequested', { description: 'Pay?', timeout_ms: null }],
      ['ApprovalReceived', { decision: 'approved', user_id: null, comment: null }],
    ] as const) {
      const event = makeEvent({ kind, payload: JSON.stringify({ visit: 0, ...payload }) });
      await commitOne(store, makePlan(execution, { events: [event] }));
    }
    const [done, ...rest] = await store.work.claim({
      tenantId: execution.tenantId,
      queues: ['python_tool'],
      workerId: 'w',
      leaseMs: 30_000,
      limit: 3,
      shards: null,
    });
    if (done === undefined || rest.length !== 2) throw new Error('three items were queued');
    const { workItemId } = done.ticket;
    await settleUnfenced(store, done);
    const letters = rest.map(({ ticket }) => ticket.workItemId);
    await commitOne(
      store,
      makePlan(execution, {
        settles: rest.map((item) => settleOf(item)),
        deadLetters: letters.map((id) => ({
          workItemId: id,
          attempt: 0,
          error: 'boom',
          ...makeCause(),
        })),
        events: [makeEvent()],
      }),
    );
    await end(store, execution, { status: 'failed' });
    const other = await startEnded(store);
    await seal();
    await age(31);
    await store.checkpoints.keep({ ...execution, sequence: 1, body: 'folded' });
    const ids = [execution.executionId, uuidOf(execution.executionId), workItemId, ...letters];
    const tablesWith = async () =>
      Object.entries(await database.contents())
        .filter(([, rows]) => rows.some((row) => ids.some((id) => row.includes(id))))
        .map(([table]) => table);
    t.deepEqual(await tablesWith(), [
      'approvals',
      'audit_log',
      'audit_seals',
      'checkpoints',
      'dead_letters',
      'events',
      'execution_labels',
      'execution_usage',
      'executions',
      'recorded_outputs',
      'snapshots',
      'work_items',
    ]);
    t.like(await run({ defaults: { ...KEPT_FOR_GOOD, failed: 30 } }), {
      executions: 1,
      events: 9,
    });
    t.deepEqual(await tablesWith(), ['audit_log', 'audit_seals', 'retired_executions']);
    t.deepEqual(await present(store, [execution, other]), [1]);
    t.is(await store.executions.load(execution.executionId, null), null);
    t.is(await store.work.find(workItemId, execution.tenantId), null);
  });

  test(`${dialect}: a removal leaves one entry that says what and who`, async (t) => {
    const { store, run, seal, age, tenantId } = await openRetentionScene(t, dialect);
    await startEnded(store, { tenantId });
    await startEnded(store, { tenantId });
    await seal();
    await age(31);
    await run({ defaults: THIRTY, actorId });
    const { items, total } = await store.audit.list({
      tenantId,
      executionId: null,
      actorId: null,
      eventType: null,
      limit: 10,
      offset: 0,
    });
    t.is(total, 1);
    t.like(items[0], {
      eventType: 'executions_retired',
      actorId,
      executionId: null,
      payload: { executions: 2, events: 6, older_than_days: null, archive: null },
    });
  });

  test(`${dialect}: the log is proved after a removal, also in halves`, async (t) => {
    const { store, run, seal, age, verify, tenantId } = await openRetentionScene(t, dialect);
    const first = await startEnded(store, { tenantId });
    const halves = await start(store, { tenantId });
    const second = await startEnded(store, { tenantId });
    await seal();
    await end(store, halves);
    const third = await startEnded(store, { tenantId, status: 'failed' });
    await seal();
    const before = await verify();
    t.like(before, { items: 12, retiredItems: 0, problems: [] });
    await age(31);
    await run({ defaults: { ...KEPT_FOR_GOOD, completed: 30 }, batchMax: 2 });
    t.deepEqual(await present(store, [first, halves, second, third]), [3]);
    t.like(await verify(), { items: 12, retiredItems: 9, retiredExecutions: 3, problems: [] });
    await seal();
    const after = await verify();
    t.like(after, { items: 14, retiredItems: 9, retiredExecutions: 3, problems: [] });
  });

  const tampering = [
    {
      title: 'an event that was changed beside a removed one',
      what: 'row_changed' as const,
      table: 'events',
      sql: (id: string) => `update events set actor_id = 'token:x' where execution_id = '${id}'`,
    },
    {
      title: 'an event that is missing and was not removed',
      what: 'row_removed' as const,
      table: 'events',
      sql: (id: string) => `delete from events where execution_id = '${id}' and sequence = 2`,
    },
    {
      title: 'an event that was added',
      what: 'row_added' as const,
      table: 'events',
      sql: (id: string) =>
        `insert into events select execution_id, 4, kind, node_id, payload, actor_id, created_at
         from events where execution_id = '${id}' and sequence = 3`,
    },
  ];
  for (const { title, what, table, sql } of tampering) {
    test(`${dialect}: ${title} is found`, async (t) => {
      const { store, database, run, seal, age, verify } = await openRetentionScene(t, dialect);
      const kept = await startEnded(store, { status: 'failed' });
      await startEnded(store, { tenantId: kept.tenantId });
      await seal();
      await age(31);
      t.like(await run({ defaults: { ...KEPT_FOR_GOOD, completed: 30 } }), { executions: 1 });
      await tamperWith(database.url, table, sql(rowId(kept.executionId)));
      t.is((await verify()).problems[0]?.what, what);
    });
  }

  test(`${dialect}: a hash that was changed after the removal is found`, async (t) => {
    const { store, database, run, seal, age, verify } = await openRetentionScene(t, dialect);
    await startEnded(store);
    await seal();
    await age(31);
    await run({ defaults: THIRTY });
    const zeros = dialect === 'sqlite' ? 'zeroblob(96)' : `decode(repeat('00', 96), 'hex')`;
    await tamperWith(
      database.url,
      'retired_executions',
      `update retired_executions set event_hashes = ${zeros}`,
    );
    t.is((await verify()).problems[0]?.what, 'row_changed');
  });

  test(`${dialect}: an execution that is only said to be removed is found`, async (t) => {
    const { store, database, run, seal, age, verify } = await openRetentionScene(t, dialect);
    const hidden = await startEnded(store, { status: 'failed' });
    await startEnded(store, { tenantId: hidden.tenantId });
    await seal();
    await age(31);
    await run({ defaults: { ...KEPT_FOR_GOOD, completed: 30 } });
    const id = rowId(hidden.executionId);
    const hashes = (await store.retention.histories([hidden.executionId])).length;
    t.is(hashes, 3);
    await tamperWith(
      database.url,
      'retired_executions',
      `insert into retired_executions
       select '${id}', tenant_id, retirement_id, event_hashes from retired_executions`,
    );
    const verdict = await verify();
    t.is(verdict.problems[0]?.what, 'retirement_unproved');
  });

  test(`${dialect}: an execution that is not removed cannot be deleted, nor the rest of it`, async (t) => {
    const { store, database, run, seal, age } = await openRetentionScene(t, dialect);
    const kept = await startEnded(store, { status: 'failed' });
    await startEnded(store);
    await seal();
    await age(31);
    await run({ defaults: { ...KEPT_FOR_GOOD, completed: 30 } });
    const change = changeTable(database.url);
    await t.throwsAsync(
      change(`delete from events where execution_id = '${rowId(kept.executionId)}'`),
      {
        message: /DELETE of events is refused/,
      },
    );
    await t.throwsAsync(change('delete from retired_executions'), { message: /is refused/ });
    await t.throwsAsync(change(`update retired_executions set tenant_id = 'x'`), {
      message: /is refused/,
    });
  });

  test(`${dialect}: workflow before tenant before default, for each status`, async (t) => {
    const { store, run, seal, age, tenantId } = await openRetentionScene(t, dialect);
    const { retention } = store;
    const of = (workflowId: string, status: 'completed' | 'failed') =>
      startEnded(store, {
        tenantId,
        status,
        create: { workflowId },
      });
    const executions = [
      await of('short', 'completed'),
      await of('short', 'failed'),
      await of('forever', 'completed'),
      await of('other', 'completed'),
      await of('other', 'failed'),
      await startEnded(store),
    ];
    await seal();
    const keep = (workflowId: string | null, completed: number | null, failed: number | null) =>
      retention.setPolicy({
        tenantId,
        workflowId,
        days: { completed, failed, cancelled: null },
        actorId,
      });
    await keep(null, 20, null);
    await keep('short', 10, 40);
    await keep('forever', 0, 0);
    await age(5);
    const defaults = { completed: 30, failed: 30, cancelled: 30 };
    const left = async () => {
      await run({ defaults });
      return present(store, executions);
    };
    t.deepEqual(await left(), [0, 1, 2, 3, 4, 5]);
    await age(6);
    t.deepEqual(await left(), [1, 2, 3, 4, 5]);
    await age(10);
    t.deepEqual(await left(), [1, 2, 4, 5]);
    await age(10);
    t.deepEqual(await left(), [1, 2]);
    await age(10);
    t.deepEqual(await left(), [2]);
    t.true(await retention.removePolicy({ tenantId, workflowId: 'forever', actorId }));
    t.false(await retention.removePolicy({ tenantId, workflowId: 'forever', actorId }));
    t.deepEqual(await left(), []);
  });

  test(`${dialect}: live executions, and those that are not sealed, stay`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const live = await start(store);
    const ended = await startEnded(store);
    await age(31);
    t.like(await run({ defaults: THIRTY }), { executions: 0 });
    await seal();
    t.like(await run({ defaults: THIRTY }), { executions: 1 });
    t.deepEqual(await present(store, [live, ended]), [0]);
  });

  test(`${dialect}: an execution that ended less than a day ago stays, for every caller`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    await startEnded(store);
    await seal();
    await age(0.9);
    t.like(await run({ olderThanMs: 1 }), { executions: 0 });
    await age(0.2);
    t.like(await run({ olderThanMs: 1 }), { executions: 1 });
  });

  test(`${dialect}: a family goes from the top, and waits for its last live member`, async (t) => {
    const { store, run, seal, age, tenantId } = await openRetentionScene(t, dialect);
    const top = await startEnded(store, { tenantId });
    const childOf = (parent: typeof top) => ({
      tenantId,
      create: { parentExecutionId: parent.executionId, workflowId: 'child' },
    });
    const child = await startEnded(store, childOf(top));
    const grandchild = await startEnded(store, childOf(child));
    const parent = await start(store, { tenantId });
    const finished = await startEnded(store, childOf(parent));
    const elder = await startEnded(store, { tenantId });
    const alive = await start(store, childOf(elder));
    await seal();
    await age(31);
    const all = [top, child, grandchild, parent, finished, elder, alive];
    const request = {
      tenantId,
      workflowId: null,
      status: null,
      olderThanMs: null,
      defaults: THIRTY,
    };
    const { groups } = await previewRetention(store, request);
    t.deepEqual(
      groups.map(({ workflowId, executions }) => [workflowId, executions]),
      [
        ['child', 2],
        ['greet', 1],
      ],
    );
    t.like(await run({ defaults: THIRTY, batchMax: 2 }), { executions: 3, passedOver: 0 });
    t.deepEqual(await present(store, all), [3, 4, 5, 6]);
  });

  test(`${dialect}: an execution with a timer to tell stays`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const told = await startEnded(store);
    await commitOne(
      store,
      makePlan(await start(store), {
        startsTimers: [
          makeTimer({
            executionId: told.executionId,
            name: 'parent_ended',
            purpose: 'parent_ended',
            nodeId: null,
            visit: null,
          }),
        ],
        events: [makeEvent()],
      }),
    );
    await seal();
    await age(31);
    t.like(await run({ defaults: THIRTY }), { executions: 0 });
  });

  test(`${dialect}: runs follow their order, and a schedule continues from the next`, async (t) => {
    const { store, database, run, seal, age, tenantId } = await openRetentionScene(t, dialect);
    const [second, third] = [makeExecutionId(), makeExecutionId()];
    const startedFrom = (from: ExecutionId) => ({
      events: [{ ...makeStarted(), payload: JSON.stringify({ input: {}, continued_from: from }) }],
    });
    const runs = [await startEnded(store, { tenantId, continuedAs: second })];
    // Runs that end within one millisecond go in the order of their ids, which says nothing here.
    await age(1);
    const next = async (executionId: ExecutionId, from: ExecutionId, to: ExecutionId | null) => {
      const execution = { executionId, tenantId };
      await commitOne(
        store,
        makePlan(execution, { create: makeNewExecution(), ...startedFrom(from) }),
      );
      if (to !== null) await end(store, execution, { continuedAs: to });
      runs.push(execution);
    };
    await next(second, runs[0]?.executionId ?? second, third);
    await next(third, second, null);
    const made = await store.schedules.create({ ...SCHEDULE, scheduleId: makeUuid(), tenantId });
    if (typeof made === 'string') throw new Error(made);
    await changeTable(database.url)(
      `update schedules set last_execution_id = '${rowId(runs[0]?.executionId ?? second)}'`,
    );
    await seal();
    await age(31);
    t.like(await run({ defaults: THIRTY, batchMax: 1 }), { executions: 2, passedOver: 0 });
    t.deepEqual(await present(store, runs), [2]);
    const schedule = await store.schedules.find({ tenantId, schedule: made.scheduleId });
    t.like(schedule, { lastExecutionId: third });
    t.true((schedule?.turn ?? 0) > made.turn);
  });

  test(`${dialect}: a retry stays as long as what it tries again, and goes with it`, async (t) => {
    const { store, run, seal, age, tenantId } = await openRetentionScene(t, dialect);
    const origin = await startEnded(store, { tenantId, status: 'failed' });
    const retry = { executionId: makeExecutionId(), tenantId };
    const from = { execution_id: origin.executionId };
    const started = {
      ...makeStarted(),
      payload: JSON.stringify({ input: {}, retried_from: from }),
    };
    await commitOne(store, makePlan(retry, { create: makeNewExecution(), events: [started] }));
    await end(store, retry, {});
    await seal();
    await age(31);
    const soon = { ...KEPT_FOR_GOOD, completed: 30 };
    t.like(await run({ defaults: soon }), { executions: 0, passedOver: 0 });
    t.deepEqual(await present(store, [origin, retry]), [0, 1]);
    t.like(await run({ defaults: THIRTY }), { executions: 2, passedOver: 0 });
    t.deepEqual(await present(store, [origin, retry]), []);
  });

  test(`${dialect}: twenty runs at once remove everything once`, async (t) => {
    const { store, run, seal, age, verify } = await openRetentionScene(t, dialect);
    const tenantId = (await startEnded(store)).tenantId;
    for (let index = 1; index < 30; index += 1) await startEnded(store, { tenantId });
    await seal();
    await age(31);
    const results = await atOnce(20, () => run({ defaults: THIRTY, batchMax: 3 }));
    t.is(
      results.reduce((sum, { executions }) => sum + executions, 0),
      30,
    );
    t.like(await verify(), { retiredItems: 90, retiredExecutions: 30, problems: [] });
  });

  test(`${dialect}: a history that lost an event stays, and its neighbours go`, async (t) => {
    const { store, database, run, seal, age } = await openRetentionScene(t, dialect);
    const tenantId = (await startEnded(store)).tenantId;
    const broken = await startEnded(store, { tenantId });
    await seal();
    await age(31);
    const where = `execution_id = '${rowId(broken.executionId)}' and sequence = 2`;
    await tamperWith(database.url, 'events', `delete from events where ${where}`);
    t.like(await run({ defaults: THIRTY }), { executions: 1, passedOver: 1 });
    t.deepEqual(await present(store, [broken]), [0]);
  });

  test(`${dialect}: replay records of ended executions go earlier, of live ones never`, async (t) => {
    const { store, run, age } = await openRetentionScene(t, dialect);
    const complete = async () => {
      const executionId = madeBefore(10);
      const ticket = makeTicket({ executionId, tenantId: makeTenantId() });
      await commitOne(
        store,
        makePlan(ticket, {
          create: makeNewExecution(),
          events: [makeStarted()],
          newItems: [makeItem(ticket)],
        }),
      );
      const item = await claimOne(store, ticket.tenantId);
      await settleUnfenced(store, item);
      return item.ticket;
    };
    const live = await complete();
    const ended = await complete();
    await end(store, ended);
    await age(2);
    t.like(await run({ replayMs: 3 * 86_400_000 }), { replayRecords: 0 });
    await age(2);
    t.like(await run({ replayMs: 3 * 86_400_000 }), { replayRecords: 1, executions: 0 });
    t.is(await store.work.recordedOutput(ended), null);
    t.not(await store.work.recordedOutput(live), null);
  });
}

/** Leaves the result in `recorded_outputs`. */
async function settleUnfenced(store: Store, { ticket }: ClaimedItem): Promise<void> {
  const { workItemId, tenantId } = ticket;
  const record = { output: { n: 1 }, statePatch: {} };
  await store.work.settleUnfenced({ workItemId, tenantId, record, deadLetter: null });
}

/** An id from this many days ago. */
function madeBefore(days: number): ExecutionId {
  const time = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0');
  return executionIdFromUuid(`${time}${makeUuid().replaceAll('-', '').slice(12)}`);
}
