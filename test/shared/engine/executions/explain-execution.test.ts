import test, { type ExecutionContext } from 'ava';

import type { BlockerCode } from '../../../../src/shared/domain/execution/explain/blocker.ts';
import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import type { ClaimFilter } from '../../../../src/shared/domain/work/claim-filter.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { TenantStatus } from '../../../../src/shared/domain/tenant.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { changeTable, openTestStore } from '../../../support/stores.ts';

/*
 * Every reason for which an execution waits: the tests cause it for real and request the
 * explanation.
 */

const tenantId = 'acme' as TenantId;
const work = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const event = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'paid' } };
const one = (node: JsonObject, more: JsonObject = {}): JsonObject => ({
  nodes: { a: node },
  edges: [],
  ...more,
});
/** Longer than a test takes on the busiest machine. */
const HOUR_MS = 3_600_000;

type TestScene = Awaited<ReturnType<typeof openScene>>;

async function claimFunction({ engine }: TestScene, buildId: string | null = null) {
  const [item] = await engine.claimWork({
    tenantId,
    workerId: `worker-${buildId ?? '1'}`,
    queues: ['function'],
    ...(buildId !== null && { filter: { buildId } }),
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'h',
    version: '1',
  });
  return item ?? null;
}

/** A worker claims the function, and its turn yields. */
async function endTurn(svc: TestScene, buildId: string | null = null): Promise<void> {
  const { record, leaseFence = 0 } = (await claimFunction(svc, buildId)) ?? {};
  const workItemId = record?.workItemId ?? '';
  const turn = { tenantId, workItemId, leaseFence, expectedLength: 0 };
  await svc.engine.suspendFunction({ ...turn, entries: [], waits: [] });
}

async function openScene(
  t: ExecutionContext,
  dialect: 'sqlite' | 'postgres',
  options: { readonly run?: NodeRunner['run']; readonly withoutScheduler?: true } = {},
) {
  const database = await openTestStore(dialect);
  t.teardown(database.close);
  const { store } = database;
  const svc = openTestEngine({ store, tenantId, ...options });
  await svc.engine.createTenant({ tenantId, name: 'Acme', actorId: 'token:test' });
  const scheduler = {
    workerId: 'process-1',
    tenantId: null,
    kind: 'runtime',
    role: 'scheduler',
    queueTypes: ['engine'],
    version: '1',
    host: 'h',
  } as const;
  const later = (table: string, column: string) =>
    database.age({ table, columns: [column], byMs: -HOUR_MS });
  if (options.withoutScheduler === undefined) {
    await store.workers.announce([scheduler]);
    // However long the test takes, it has been seen lately.
    await later('workers', 'last_heartbeat');
  }

  async function explain(executionId: ExecutionId) {
    const explained = await svc.engine.explainExecution({ tenantId, executionId });
    const codes = explained.blockers.map(({ code }) => code);
    return { ...explained, codes, first: explained.blockers[0] };
  }

  /** Starts it and runs it until it waits. */
  async function rest(ir: JsonObject, input: JsonObject = {}): Promise<ExecutionId> {
    const id = await svc.start(ir, input);
    await svc.settle();
    return id;
  }

  async function setTenant(status: TenantStatus): Promise<void> {
    const changes = { name: null, status, policy: null, limits: null };
    await svc.engine.updateTenant({ tenantId, actorId: 'token:test', changes });
  }

  const change = changeTable(database.url);
  return { ...svc, age: database.age, later, change, explain, rest, setTenant };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: no_worker_for_queue, then waiting_in_queue once a worker claims`, async (t) => {
    const svc = await openScene(t, dialect);
    const [before, id] = [await svc.rest(one(work)), await svc.rest(one(work))];
    const alone = await svc.explain(id);
    t.like(alone, { status: 'running', moving: false, nextWakeUp: null, ended: null });
    t.deepEqual(alone.codes, ['no_worker_for_queue']);
    t.like(alone.first, { nodeId: 'a', visit: 0, overdue: false, moving: false });
    t.is(alone.first?.unblockedBy, 'a worker that claims m.f from python_tool');
    const named = await svc.explain(await svc.rest(one({ kind: { ...work.kind, queue: 'gpu' } })));
    t.is(
      named.first?.unblockedBy,
      'a worker that claims m.f from python_tool with "queues": ["gpu"]',
    );
    await svc.claim();
    const waiting = await svc.explain(id);
    t.deepEqual(waiting.codes, ['waiting_in_queue']);
    t.like(waiting.first?.details, { position: 1, queue: 'python_tool', attempt: 0 });
    t.is((await svc.explain(before)).first?.code, 'lease_held_until');
  });

  test(`${dialect}: an item with a key of fairness waits for the turns of its key`, async (t) => {
    const svc = await openScene(t, dialect);
    const fair = one(work, { fairness: { key: 'input.customer', weight: '2.5' } });
    const id = await svc.rest(fair, { customer: 'acme/1' });
    const same = await svc.rest(fair, { customer: 'acme/1' });
    const hidden = await svc.rest(
      { ...fair, data_policy: { pii_fields: ['customer'] } },
      { customer: 'acme/1' },
    );
    t.is((await svc.explain(id)).first?.unblockedBy, 'a worker that claims m.f from python_tool');
    await svc.claim();
    await svc.age({ table: 'work_queue', columns: ['enqueued_at'], byMs: 11_000 });
    const { first, codes } = await svc.explain(same);
    t.deepEqual(codes, ['waiting_in_queue']);
    t.regex(
      first?.message ?? '',
      /as number 1 of the items with keys of fairness; 1 worker claims from it; keys take turns, and its own is "acme\/1" with weight 2.5$/,
    );
    t.regex(first?.unblockedBy ?? '', /lower priority numbers first, then the keys in turns$/);
    t.regex((await svc.explain(hidden)).first?.message ?? '', /; keys take turns$/);
  });

  test(`${dialect}: a function that has ended its turn waits in its queue`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one({ kind: 'function', name: 'f' }));
    await endTurn(svc);
    t.deepEqual((await svc.explain(id)).codes, ['waiting_in_queue']);
  });

  test(`${dialect}: a function among many waits for a scheduler`, async (t) => {
    const svc = await openScene(t, dialect);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const nodes = names.map((name) => [name, { kind: 'function', name: 'f' }]);
    const id = await svc.rest({
      nodes: { fan: { kind: { type: 'parallel', branches: names } }, ...Object.fromEntries(nodes) },
      edges: [],
    });
    await endTurn(svc);
    t.true((await svc.explain(id)).codes.includes('runnable_not_decided'));
  });

  test(`${dialect}: no_worker_for_build until a worker has the build of a function`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one({ kind: { type: 'function', name: 'fn', pinned: true } }));
    await endTurn(svc, 'b1');
    await svc.settle();
    await svc.age({ table: 'workers', columns: ['last_heartbeat'], byMs: 70_000 });
    await claimFunction(svc, 'b2');
    await svc.later('work_queue', 'enqueued_at');
    const early = await svc.explain(id);
    t.deepEqual(early.codes, ['waiting_in_queue'], 'it may be starting up');
    t.regex(early.first?.message ?? '', /; no worker of build b1, .* has claimed from it lately$/);
    t.like(early.first?.details, { buildId: 'b1' });
    t.regex(early.first?.unblockedBy ?? '', /"build_id": "b1".* svc execution move/);
    await svc.age({ table: 'work_queue', columns: ['enqueued_at'], byMs: HOUR_MS + 11_000 });
    const unserved = await svc.explain(id);
    t.deepEqual(unserved.codes, ['no_worker_for_build']);
    t.like(unserved.first?.details, { tool: 'fn', buildId: 'b1', queueName: 'default' });
    t.regex(unserved.first?.message ?? '', /for build b1, which the function is pinned to/);
    t.regex(unserved.first?.unblockedBy ?? '', /"build_id": "b1".* svc execution move/);
    t.not(await claimFunction(svc, 'b1'), null);
    t.deepEqual((await svc.explain(id)).codes, ['lease_held_until']);
  });

  test(`${dialect}: a pinned function counts the workers of its own build alone`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one({ kind: { type: 'function', name: 'fn', pinned: true } }));
    await endTurn(svc, 'b1');
    await svc.settle();
    for (const buildId of ['b2', 'b3']) await claimFunction(svc, buildId);
    const { codes, first } = await svc.explain(id);
    t.deepEqual(codes, ['waiting_in_queue']);
    t.regex(first?.message ?? '', /; 1 worker of build b1 claims from it$/);
    t.like(first?.details, { buildId: 'b1' });
  });

  test(`${dialect}: no_worker_for_tool once it has waited, until a worker claims the tool`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work));
    const claimFor = (filter: ClaimFilter) =>
      svc.engine.claimWork({
        tenantId,
        workerId: 'worker-1',
        queues: ['python_tool'],
        filter,
        maxItems: 1,
        waitMs: 0,
        signal: new AbortController().signal,
        host: 'h',
        version: '1',
      });
    const wait = () =>
      svc.age({ table: 'work_queue', columns: ['enqueued_at'], byMs: HOUR_MS + 11_000 });
    await claimFor({ tools: ['shipping.*'] });
    await svc.later('work_queue', 'enqueued_at');
    const early = await svc.explain(id);
    t.deepEqual(early.codes, ['waiting_in_queue'], 'it may be starting up');
    t.regex(early.first?.message ?? '', /; until now, the only worker does not claim tool m\.f$/);
    t.regex(early.first?.unblockedBy ?? '', /a worker that claims m\.f/);
    await wait();
    const unserved = await svc.explain(id);
    t.deepEqual(unserved.codes, ['no_worker_for_tool']);
    t.like(unserved.first?.details, { tool: 'm.f' });
    t.regex(unserved.first?.message ?? '', /the only worker does not claim tool m\.f/);
    t.regex(unserved.first?.unblockedBy ?? '', /a worker that claims m\.f/);
    const named = await svc.rest(one({ kind: { ...work.kind, queue: 'gpu' } }));
    await wait();
    const unnamed = await svc.explain(named);
    t.deepEqual(unnamed.codes, ['no_worker_for_queue']);
    t.like(unnamed.first?.details, { tool: 'm.f', queueName: 'gpu' });
    t.regex(unnamed.first?.unblockedBy ?? '', /"gpu"/);
    t.is((await claimFor({ tools: ['m.*'] })).length, 1);
    t.deepEqual((await svc.explain(id)).codes, ['lease_held_until']);
  });

  test(`${dialect}: waiting_in_queue is overdue when the queue's time is over`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work, { timeouts: { schedule_to_start: 60 } }));
    const soon = await svc.explain(id);
    t.is(soon.nextWakeUp, soon.first?.until ?? '');
    await svc.age({ table: 'work_queue', columns: ['start_before'], byMs: 61_000 });
    const late = await svc.explain(id);
    t.like(late.first, { code: 'waiting_in_queue', overdue: true, moving: true });
    await svc.age({ table: 'work_queue', columns: ['start_before'], byMs: HOUR_MS });
    t.like(await svc.explain(id), { moving: false, codes: ['waiting_in_queue'] });
  });

  test(`${dialect}: lease_held_until, overdue once it has lapsed`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work));
    const [item] = await svc.claim('worker-7');
    const held = await svc.explain(id);
    t.like(held, { moving: true, codes: ['lease_held_until'], nextWakeUp: item?.leaseExpiresAt });
    t.like(held.first, { until: item?.leaseExpiresAt, overdue: false });
    t.like(held.first?.details, { workerId: 'worker-7', leaseFence: item?.leaseFence, attempt: 0 });
    await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs: HOUR_MS });
    const lapsed = await svc.explain(id);
    t.like(lapsed, { moving: false, codes: ['lease_held_until'] });
    t.true(lapsed.first?.overdue);
    await svc.settle();
    t.deepEqual((await svc.explain(id)).codes, ['waiting_in_queue']);
  });

  test(`${dialect}: lease_held_until by the runtime, and by one that is gone`, async (t) => {
    const going = Promise.withResolvers<{ ok: true; output: {}; statePatch: {} }>();
    const svc = await openScene(t, dialect, { run: () => going.promise });
    const id = await svc.start(one({ kind: 'call' }));
    await svc.turn();
    const { first } = await svc.explain(id);
    t.like(first, { code: 'lease_held_until', moving: false });
    const workerId = first?.details.workerId ?? '';
    const seen = { workerId, tenantId: null, kind: 'runtime', role: 'all' } as const;
    await svc.store.workers.announce([{ ...seen, queueTypes: [], version: '1', host: 'h' }]);
    t.like((await svc.explain(id)).first, { code: 'lease_held_until', moving: true });
    going.resolve({ ok: true, output: {}, statePatch: {} });
    await svc.settle();
    t.like((await svc.explain(id)).ended, { error: null, continuedAs: null });
  });

  test(`${dialect}: retry_backoff_until tells the last error, and is overdue when due`, async (t) => {
    const svc = await openScene(t, dialect);
    const retry_policy = { max_attempts: 3, initial_delay: 600, jitter: false };
    const id = await svc.rest(one({ ...work, retry_policy }));
    const [item] = await svc.claim();
    await svc.fail(item, { error: 'no such bucket' });
    await svc.settle();
    const { first, nextWakeUp } = await svc.explain(id);
    t.like(first, { code: 'retry_backoff_until', overdue: false, moving: false });
    t.like(first?.details, { attempt: 1, error: 'no such bucket' });
    t.is(nextWakeUp, first?.until ?? '');
    await svc.age({ table: 'retry_timers', columns: ['due_at'], byMs: 1_201_000 });
    t.like((await svc.explain(id)).first, { code: 'retry_backoff_until', overdue: true });
  });

  test(`${dialect}: awaiting_approval and awaiting_event say what for and how long`, async (t) => {
    const svc = await openScene(t, dialect);
    const asking = { kind: { type: 'human_approval', description: 'ship it?' } };
    const approval = await svc.rest(one(asking, { timeouts: { approval_timeout: 3_600 } }));
    const asked = await svc.explain(approval);
    t.like(asked, { status: 'paused', moving: false, codes: ['awaiting_approval'] });
    t.regex(asked.first?.message ?? '', /ship it\?/);
    t.not(asked.first?.since, null);
    t.is(asked.nextWakeUp, asked.first?.until ?? '');

    const waiting = await svc.explain(await svc.rest(one(event)));
    t.like(waiting, { status: 'paused', codes: ['awaiting_event'], nextWakeUp: null });
    t.is(waiting.first?.details.correlationKey, 'paid');
  });

  test(`${dialect}: budget_used_up when a budget waits for a grant`, async (t) => {
    const usage = { inputTokens: 50, outputTokens: 0, costUsd: null };
    const svc = await openScene(t, dialect, {
      run: async () => ({ ok: true, output: {}, statePatch: {}, usage }),
    });
    const id = await svc.rest({
      nodes: { a: { kind: 'call' }, b: { kind: 'call' } },
      edges: [{ from: 'a', to: 'b' }],
      token_budget: 10,
      on_budget_exceeded: 'pause',
    });
    const { first, status } = await svc.explain(id);
    t.like(first, { code: 'budget_used_up', nodeId: 'b' });
    t.regex(first?.message ?? '', /50 of 10 tokens/);
    t.is(status, 'paused');
  });

  test(`${dialect}: timer_until, overdue when it should have fired`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(
      one({ kind: { type: 'wait', condition: 'timer', timeout_secs: 3_600 } }),
    );
    const { first, nextWakeUp } = await svc.explain(id);
    t.like(first, { code: 'timer_until', overdue: false, moving: false });
    t.is(nextWakeUp, first?.until ?? '');
    await svc.age({ table: 'timers', columns: ['due_at'], byMs: HOUR_MS + 1_000 });
    t.like((await svc.explain(id)).first, { code: 'timer_until', overdue: true, moving: true });
    await svc.change('delete from timers');
    t.is((await svc.explain(id)).first?.code, 'timer_missing');
  });

  test(`${dialect}: the execution's own time limit is a wake-up, and a blocker when it has passed`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(event, { timeouts: { workflow_timeout: 600 } }));
    const before = await svc.explain(id);
    t.deepEqual(before.codes, ['awaiting_event']);
    t.not(before.nextWakeUp, null);
    await svc.age({ table: 'timers', columns: ['due_at'], byMs: 601_000 });
    const { codes, moving } = await svc.explain(id);
    t.deepEqual(codes, ['awaiting_event', 'timer_until']);
    t.true(moving);
  });

  test(`${dialect}: child_running names the child and what holds it up`, async (t) => {
    const svc = await openScene(t, dialect);
    const actorId = 'token:test';
    const ir = { workflow_id: 'child', ...one(event) };
    await svc.engine.registerWorkflow({ tenantId, actorId, ir });
    const id = await svc.rest(one({ kind: { type: 'subgraph', workflow_ref: 'child' } }));
    const { first } = await svc.explain(id);
    t.like(first, { code: 'child_running', moving: false });
    const { childId, childCode } = first?.details ?? {};
    t.is(childCode, 'awaiting_event');
    if (childId === undefined) throw new Error('no child is named');
    t.deepEqual((await svc.explain(childId)).codes, ['awaiting_event']);
    await svc.engine.cancelExecution({ tenantId, actorId, executionId: childId });
    t.like((await svc.explain(id)).first, { code: 'child_end_not_told', moving: true });
    t.regex((await svc.explain(childId)).ended?.message ?? '', /cancelled/);
    t.is((await svc.explain(childId)).ended?.by, actorId);
  });

  test(`${dialect}: join_waiting_on names the nodes, and a map counts its items`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest({
      start_node: 's',
      nodes: { s: { kind: 'pass' }, a: { kind: 'pass' }, b: event, j: { kind: 'join' } },
      edges: [
        { from: 's', to: 'a' },
        { from: 's', to: 'b' },
        { from: 'a', to: 'j' },
        { from: 'b', to: 'j' },
      ],
    });
    const joined = await svc.explain(id);
    t.deepEqual(joined.codes, ['awaiting_event', 'join_waiting_on']);
    t.deepEqual(joined.blockers[1]?.details.waitsFor, ['b']);

    const items = { literal: [1, 2] };
    const mapped = await svc.rest({
      start_node: 'm',
      nodes: { m: { kind: { type: 'map', items, node: 'body' } }, body: work },
      edges: [],
    });
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    const { codes, blockers } = await svc.explain(mapped);
    t.deepEqual(codes, ['waiting_in_queue', 'map_items_under_way']);
    t.like(blockers[1]?.details, { done: 1, total: 2 });
  });

  test(`${dialect}: dead_lettered after a settlement without a fence, until it is requeued`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work));
    const [item] = await svc.claim();
    await svc.complete(item, { leaseFence: null });
    await svc.settle();
    const { first, moving } = await svc.explain(id);
    t.like(first, { code: 'dead_lettered', nodeId: 'a' });
    t.false(moving);
    const workItemId = item?.record.workItemId ?? '';
    await svc.engine.requeueWorkItem({ tenantId, actorId: 'token:test', workItemId });
    t.is((await svc.explain(id)).first?.code, 'waiting_in_queue');
  });

  test(`${dialect}: runnable_not_decided, moving only while it is fresh and a scheduler runs`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work));
    await svc.fail((await svc.claim())[0], { error: 'no' });
    await svc.later('executions', 'updated_at');
    const fresh = await svc.explain(id);
    t.like(fresh, { moving: true, codes: ['runnable_not_decided'] });
    await svc.age({ table: 'executions', columns: ['updated_at'], byMs: HOUR_MS + 120_000 });
    t.like(await svc.explain(id), { moving: false, codes: ['runnable_not_decided'] });
    await svc.change('delete from runnable');
    t.like(await svc.explain(id), { moving: false, codes: ['not_marked'] });
  });

  test(`${dialect}: no_scheduler wherever one is needed, and only there`, async (t) => {
    const svc = await openScene(t, dialect, { withoutScheduler: true });
    const id = await svc.rest(one(work));
    t.deepEqual((await svc.explain(id)).codes, ['no_worker_for_queue']);
    await svc.fail((await svc.claim())[0], { error: 'no' });
    const { codes, moving } = await svc.explain(id);
    t.deepEqual(codes, ['no_scheduler', 'runnable_not_decided']);
    t.false(moving);
  });

  test(`${dialect}: a wait for a place names who has it, the deadline, and a missing scheduler`, async (t) => {
    const svc = await openScene(t, dialect, { withoutScheduler: true });
    const ir = { workflow_id: 'limited', ...one(event, { concurrency: { limit: 1 } }) };
    await svc.engine.registerWorkflow({ tenantId, actorId: 'token:test', ir });
    const begin = async (startTimes: { readonly deadline?: string }) => {
      const { executionId } = await svc.engine.startExecution({
        tenantId,
        actorId: 'token:test',
        workflowId: 'limited',
        workflowVersion: null,
        input: {},
        priority: 5,
        idempotencyKey: null,
        startTimes,
      });
      await svc.settle();
      return executionId;
    };
    const holder = await begin({});
    const id = await begin({ deadline: '1h' });
    const { codes, blockers, nextWakeUp } = await svc.explain(id);
    t.deepEqual(codes, ['no_scheduler', 'waiting_for_place']);
    const [, wait] = blockers;
    t.not(nextWakeUp, null);
    t.like(wait, {
      message:
        'waits for a place, until its start deadline: number 1 in the queue of the workflow, concurrency limit 1 reached',
      unblockedBy: `the end of an execution that has a place of the workflow (${holder})`,
      until: nextWakeUp,
    });
  });

  test(`${dialect}: a start that waits for its tenant needs a scheduler too`, async (t) => {
    const svc = await openScene(t, dialect, { withoutScheduler: true });
    const limits = { max_concurrent_executions: 1, when_full: 'queue' } as const;
    const changes = { name: null, status: null, policy: null, limits };
    await svc.engine.updateTenant({ tenantId, actorId: 'token:test', changes });
    await svc.rest(one(event));
    const { codes } = await svc.explain(await svc.rest(one(event)));
    t.deepEqual(codes, ['no_scheduler', 'waiting_for_place']);
  });

  test(`${dialect}: tenant_suspended before all else, and nothing wakes it up`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(
      one({ kind: { type: 'wait', condition: 'timer', timeout_secs: 60 } }),
    );
    await svc.setTenant('suspended');
    const { codes, nextWakeUp, moving } = await svc.explain(id);
    t.deepEqual(codes, ['tenant_suspended', 'timer_until']);
    t.like({ nextWakeUp, moving }, { nextWakeUp: null, moving: false });
  });

  test(`${dialect}: work_missing when the item is nowhere`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one(work));
    await svc.change('delete from work_queue');
    t.deepEqual((await svc.explain(id)).codes, ['work_missing'] satisfies BlockerCode[]);
  });

  test(`${dialect}: an execution that failed says why, and where`, async (t) => {
    const svc = await openScene(t, dialect);
    const id = await svc.rest(one({ ...work, retry_policy: { max_attempts: 1 } }));
    await svc.fail((await svc.claim())[0], { error: 'no such bucket' });
    await svc.settle();
    const { status, ended, blockers, moving } = await svc.explain(id);
    t.like({ status, moving }, { status: 'failed', moving: false });
    t.deepEqual(blockers, []);
    t.like(ended, { nodeId: 'a', errorClass: 'error' });
    t.regex(ended?.message ?? '', /no such bucket/);
  });
}

test('history_unreadable when the definition is gone', async (t) => {
  const svc = await openScene(t, 'sqlite');
  const id = await svc.rest(one(event));
  const { store } = svc;
  const without = { ...store.definitions, find: async () => null };
  const other = openTestEngine({ store: { ...store, definitions: without }, tenantId });
  const { blockers } = await other.engine.explainExecution({ tenantId, executionId: id });
  t.like(blockers[0], { code: 'history_unreadable' });
  t.regex(blockers[0]?.message ?? '', /is not stored/);
});

test('advancing when it has moved at every look', async (t) => {
  const svc = await openScene(t, 'sqlite');
  const id = await svc.rest(one(event));
  const { store } = svc;
  let looks = 0;
  const diagnosis = {
    ...store.diagnosis,
    executionFacts: async (question: Parameters<typeof store.diagnosis.executionFacts>[0]) => {
      looks += 1;
      await svc.engine.deliverExternalEvent({
        tenantId,
        actorId: 'token:test',
        executionId: id,
        correlationKey: 'other',
        payload: looks,
      });
      return store.diagnosis.executionFacts(question);
    },
  };
  const other = openTestEngine({ store: { ...store, diagnosis }, tenantId });
  const explained = await other.engine.explainExecution({ tenantId, executionId: id });
  t.like(explained, { moving: true, blockersTotal: 1 });
  t.is(explained.blockers[0]?.code, 'advancing');
});

test('404: an unknown execution', async (t) => {
  const svc = await openScene(t, 'sqlite');
  for (const executionId of ['nonsense', `exec_${'0'.repeat(32)}`]) {
    await t.throwsAsync(svc.engine.explainExecution({ tenantId, executionId }), {
      message: /not found/,
    });
  }
});
