import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A paused execution records facts, and derives nothing from them. */

const WORKER = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const ASK = { kind: { type: 'human_approval', description: 'Go on?' } };
const by = { tenantId: TENANT, actorId: 'token:ops' };
const DONE: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const COMPETITORS = 20;

const pause = (svc: TestEngine, executionId: ExecutionId, reason: string | null = null) =>
  svc.engine.pauseExecution({ ...by, executionId, reason });
const resume = (svc: TestEngine, executionId: ExecutionId) =>
  svc.engine.resumeExecution({ ...by, executionId });

async function statusOf({ engine }: TestEngine, executionId: ExecutionId) {
  return (await engine.readExecution({ tenantId: TENANT, executionId })).row.status;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close, ...rest } = await openTestStore(dialect);
    t.teardown(close);
    return { store, ...rest };
  };

  test(`${dialect}: a queued item is not handed out until the execution is resumed`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({ nodes: { a: WORKER } });
    const paused = await pause(svc, executionId, 'looks wrong');
    t.deepEqual(paused, {
      executionId,
      status: 'paused',
      pauses: [{ scope: 'execution', by: 'token:ops', reason: 'looks wrong' }],
    });
    await svc.settle();
    t.deepEqual(await svc.claim(), []);
    t.is(await statusOf(svc, executionId), 'paused');

    const resumed = await resume(svc, executionId);
    t.deepEqual(resumed, { executionId, status: 'running', pauses: [] });
    await svc.settle();
    const [item] = await svc.claim();
    t.is(item?.attempt, 0);
    await svc.complete(item);
    await svc.settle();
    t.deepEqual(await svc.story(executionId), [
      'WorkflowStarted',
      'NodeScheduled a',
      'ExecutionPaused',
      'ExecutionResumed',
      'ToolCallCompleted a',
      'NodeCompleted a',
      'WorkflowCompleted',
    ]);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: pausing and resuming twice writes nothing the second time`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({ nodes: { a: WORKER } });
    t.deepEqual(await resume(svc, executionId), { executionId, status: 'running', pauses: [] });
    const answers = await Promise.all(
      Array.from({ length: COMPETITORS }, (_, n) => pause(svc, executionId, `reason ${n}`)),
    );
    t.is(new Set(answers.map(({ pauses }) => pauses[0]?.reason)).size, 1);
    await Promise.all(Array.from({ length: COMPETITORS }, () => resume(svc, executionId)));
    t.deepEqual((await svc.story(executionId)).slice(2), ['ExecutionPaused', 'ExecutionResumed']);
  });

  test(`${dialect}: work that is out may be settled, and what follows waits`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({
      nodes: { a: WORKER, b: WORKER },
      edges: [{ from: 'a', to: 'b' }],
    });
    const [item] = await svc.claim();
    await pause(svc, executionId);
    await svc.complete(item);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeCompleted a');
    t.is(await statusOf(svc, executionId), 'paused');
    await resume(svc, executionId);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeScheduled b');
    t.is((await svc.claim()).length, 1);
  });

  test(`${dialect}: a failed attempt, or a lease that lapses, is tried again once resumed`, async (t) => {
    const { store, age } = await open(t);
    const svc = openTestEngine({ store });
    const retried = { ...WORKER, retry_policy: { max_attempts: 9, initial_delay: 0 } };
    const executionId = await svc.start({ nodes: { a: retried } });
    const [first] = await svc.claim();
    await pause(svc, executionId);
    await svc.fail(first);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeFailed a');
    await resume(svc, executionId);
    await svc.settle();
    const [second] = await svc.claim();
    t.is(second?.attempt, 1);

    await pause(svc, executionId);
    await age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeFailed a');
    await t.throwsAsync(svc.complete(second));
    await resume(svc, executionId);
    await svc.settle();
    const [third] = await svc.claim();
    t.deepEqual([third?.attempt, third?.record.idempotencyKey], [2, first?.record.idempotencyKey]);
  });

  test(`${dialect}: a retry keeps the time it is due at, and is not due while held`, async (t) => {
    const { store, age } = await open(t);
    const svc = openTestEngine({ store });
    const slow = { ...WORKER, retry_policy: { initial_delay: 600, jitter: false, max_delay: 600 } };
    const executionId = await svc.start({ nodes: { a: slow } });
    await svc.fail((await svc.claim())[0]);
    await svc.settle();
    await pause(svc, executionId);
    await pause(svc, executionId);
    t.is(await store.timers.nextDueInMs(), null);
    await age({ table: 'retry_timers', columns: ['held_due_at'], byMs: 300_000 });
    await svc.settle();
    await resume(svc, executionId);
    const dueInMs = await store.timers.nextDueInMs();
    t.true(dueInMs !== null && dueInMs > 200_000 && dueInMs < 300_000, String(dueInMs));
    await svc.settle();
    t.deepEqual(await svc.claim(), []);
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: 300_000 });
    await svc.settle();
    t.is((await svc.claim())[0]?.attempt, 1);
  });

  test(`${dialect}: a run under way here ends, is recorded, and nothing follows`, async (t) => {
    const { store } = await open(t);
    const gate = Promise.withResolvers<void>();
    const began: string[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId }) {
        began.push(nodeId);
        await gate.promise;
        return DONE;
      },
    });
    const call = { kind: 'call' };
    const executionId = await svc.start({
      nodes: { a: call, b: call },
      edges: [{ from: 'a', to: 'b' }],
    });
    await svc.turn();
    await svc.turn();
    t.deepEqual(began, ['a']);
    await pause(svc, executionId);
    gate.resolve();
    await svc.settle();
    t.deepEqual(began, ['a']);
    t.is((await svc.story(executionId)).at(-1), 'NodeCompleted a');
    await resume(svc, executionId);
    await svc.settle();
    t.deepEqual(began, ['a', 'b']);
    t.is(await statusOf(svc, executionId), 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: people decide, events come in and timers fire; all take effect at the resumption`, async (t) => {
    const { store, age } = await open(t);
    const svc = openTestEngine({ store });
    const wait = { type: 'wait', condition: 'external_event', correlation_key: 'k' };
    const executionId = await svc.start({
      nodes: {
        split: { kind: { type: 'parallel', branches: ['ask', 'hold', 'sleep'] } },
        ask: ASK,
        hold: { kind: wait },
        sleep: { kind: { type: 'wait', condition: 'timer', timeout_secs: 60 } },
      },
    });
    await pause(svc, executionId);
    const approved = await svc.engine.decideApproval({
      ...by,
      executionId,
      decision: 'approved',
      nodeId: null,
      userId: 'ann',
      comment: null,
      statePatch: null,
    });
    t.true(approved.accepted);
    const sent = { ...by, executionId, correlationKey: 'k', payload: { n: 1 } };
    t.true((await svc.engine.deliverExternalEvent(sent)).accepted);
    await age({ table: 'timers', columns: ['due_at'], byMs: 61_000 });
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'paused');
    t.deepEqual((await svc.story(executionId)).slice(-4), [
      'ExecutionPaused',
      'ApprovalReceived ask',
      'ExternalEventReceived',
      'TimerFired sleep',
    ]);
    await resume(svc, executionId);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
  });

  test(`${dialect}: one that waits for a person stays paused when it is resumed`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({ nodes: { ask: ASK } });
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'paused');
    await pause(svc, executionId);
    t.deepEqual(await resume(svc, executionId), { executionId, status: 'paused', pauses: [] });
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'paused');
  });

  test(`${dialect}: a time limit runs on, and counts once the execution is resumed`, async (t) => {
    const { store, age } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({
      nodes: { a: WORKER },
      timeouts: { workflow_timeout: 60 },
    });
    await pause(svc, executionId);
    await age({ table: 'timers', columns: ['due_at'], byMs: 61_000 });
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'TimerFired');
    t.is(await statusOf(svc, executionId), 'paused');
    await resume(svc, executionId);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'failed');
  });

  test(`${dialect}: a cancel ends one that is paused, with its finalizers`, async (t) => {
    const { store } = await open(t);
    const ran: string[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId }) {
        ran.push(nodeId);
        return DONE;
      },
    });
    const always = { kind: { type: 'cleanup', run_on: 'always' } };
    const plain = await svc.start({ nodes: { a: WORKER } });
    const finalised = await svc.start({ nodes: { a: WORKER, f: always } });
    for (const executionId of [plain, finalised]) {
      await pause(svc, executionId);
      await svc.engine.cancelExecution({ ...by, executionId });
    }
    t.is(await statusOf(svc, plain), 'cancelled');
    await svc.settle();
    t.is(await statusOf(svc, finalised), 'cancelled');
    t.deepEqual(ran, ['f']);
    t.is(await store.timers.nextDueInMs(), null);
    for (const executionId of [plain, finalised]) {
      await t.throwsAsync(pause(svc, executionId), { message: /is cancelled$/ });
      await t.throwsAsync(resume(svc, executionId), { message: /is cancelled$/ });
    }
  });

  test(`${dialect}: finalizers are paused too, and a cancel lets them continue`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store, run: async () => DONE });
    const executionId = await svc.start({
      nodes: { a: WORKER, f: { kind: { type: 'cleanup', run_on: 'always' } } },
    });
    await svc.engine.cancelExecution({ ...by, executionId });
    await pause(svc, executionId);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'ExecutionPaused');
    t.is(await statusOf(svc, executionId), 'paused');
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'cancelled');
  });

  test(`${dialect}: a child continues while its parent is paused, and its end is reported afterwards`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const workflowId = `child-${svc.ids.uuid()}`;
    const ir = { workflow_id: workflowId, nodes: { w: WORKER } };
    await svc.engine.registerWorkflow({ ...by, ir });
    const executionId = await svc.start({
      nodes: { sub: { kind: { type: 'subgraph', workflow_ref: workflowId } }, after: {} },
      edges: [{ from: 'sub', to: 'after' }],
    });
    await svc.settle();
    await pause(svc, executionId);
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'ChildWorkflowCompleted sub');
    await resume(svc, executionId);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
  });

  test(`${dialect}: a child that is paused before its first decision has its time limit`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const workflowId = `child-${svc.ids.uuid()}`;
    const ir = {
      workflow_id: workflowId,
      nodes: { w: WORKER },
      timeouts: { workflow_timeout: 60 },
    };
    await svc.engine.registerWorkflow({ ...by, ir });
    const parent = await svc.start({
      nodes: { sub: { kind: { type: 'subgraph', workflow_ref: workflowId } } },
    });
    const childOf = async () => {
      const { waitingOn } = await svc.engine.readExecution({
        tenantId: TENANT,
        executionId: parent,
      });
      return waitingOn[0]?.childId ?? null;
    };
    let child = await childOf();
    for (let round = 0; child === null && round < 50; round += 1) {
      const of = { shards: [...Array(64).keys()], limit: 1 };
      await svc.scheduling.runQueuedNodes(of);
      await new Promise((resolve) => setImmediate(resolve));
      child = await childOf();
    }
    if (child === null) return t.fail('no child was started');
    await pause(svc, child);
    await svc.settle();
    await resume(svc, child);
    await svc.settle();
    t.is((await svc.story(child)).filter((told) => told === 'TimerStarted').length, 1);
  });

  test(`${dialect}: twenty pauses and resumptions racing with settles leave nothing behind`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const nodes = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`n${n}`, WORKER]));
    const executionId = await svc.start({
      nodes: { split: { kind: { type: 'parallel', branches: Object.keys(nodes) } }, ...nodes },
    });
    await Promise.all([
      ...Array.from({ length: COMPETITORS }, async (_, n) => {
        await (n % 2 === 0 ? pause(svc, executionId) : resume(svc, executionId));
      }),
      ...Array.from({ length: 3 }, async (_, n) => {
        for (const item of await svc.claim(`worker-${n}`, 1)) await svc.complete(item);
      }),
      svc.turn(),
      svc.turn(),
    ]);
    await resume(svc, executionId);
    await svc.settle();
    for (const item of await svc.claim('last', 10)) await svc.complete(item);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a resumption racing a cancel: it is cancelled, and nothing is left`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    for (let round = 0; round < 10; round += 1) {
      const executionId = await svc.start({ nodes: { a: WORKER } });
      await pause(svc, executionId);
      await Promise.all([
        resume(svc, executionId).catch(() => null),
        svc.engine.cancelExecution({ ...by, executionId }),
      ]);
      t.is(await statusOf(svc, executionId), 'cancelled');
    }
    await svc.settle();
    t.deepEqual(await svc.claim(), []);
    t.is(await store.timers.nextDueInMs(), null);
  });

  test(`${dialect}: it explains itself, and no dead letter goes back on a queue`, async (t) => {
    const { store } = await open(t);
    const svc = openTestEngine({ store });
    const executionId = await svc.start({
      nodes: { a: WORKER, b: WORKER, s: {} },
      start_node: 's',
      edges: [
        { from: 's', to: 'a' },
        { from: 's', to: 'b' },
      ],
    });
    await svc.settle();
    const [item] = await svc.claim();
    const { workItemId } = item?.record ?? {};
    await svc.fail(item, { leaseFence: null });
    await pause(svc, executionId, 'looks wrong');
    const told = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
    t.deepEqual(
      told.blockers.map(({ code, nodeId }) => [code, nodeId]),
      [
        ['paused_by_operator', null],
        ['paused_by_operator', item?.record.nodeId === 'a' ? 'b' : 'a'],
        ['dead_lettered', item?.record.nodeId],
      ].toSorted(
        (one, other) => Number(one[0] === 'dead_lettered') - Number(other[0] === 'dead_lettered'),
      ),
    );
    t.regex(told.blockers[0]?.message ?? '', /token:ops paused it: looks wrong/);
    t.not(told.blockers[0]?.since, null);
    await t.throwsAsync(svc.engine.requeueWorkItem({ ...by, workItemId: workItemId ?? '' }), {
      message: /is paused; resume it/,
    });
    await resume(svc, executionId);
    await svc.engine.requeueWorkItem({ ...by, workItemId: workItemId ?? '' });
    await svc.settle();
    t.is((await svc.claim('w', 5)).length, 2);
  });
}
