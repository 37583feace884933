import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { systemTimers } from '../../../../src/shared/engine/scheduling/timers.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { refusing } from '../../../support/refusing.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A paused workflow makes no progress: the pause holds its live executions, and new ones, too. */

const WORKER = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const ASK = { kind: { type: 'human_approval', description: 'Go on?' } };
const CHAIN = { nodes: { a: WORKER, b: WORKER }, edges: [{ from: 'a', to: 'b' }] };
const by = { tenantId: TENANT, actorId: 'token:ops' };
const COMPETITORS = 20;
/** From a pass that has left an execution to the next one. */
const REST_MS = 5_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (
    t: ExecutionContext,
    params: Partial<Parameters<typeof openTestEngine>[0]> = {},
  ) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    return sceneOf(openTestEngine({ store, ...params }), age);
  };

  test(`${dialect}: running executions are held, and given back when the workflow is resumed`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    await svc.register('other', CHAIN);
    const queued = await svc.begin('checkout');
    const other = await svc.begin('other');
    const paused = await svc.pause('checkout', 'the provider is down');
    t.like(paused, { progress: 'pausing', by: 'token:ops', reason: 'the provider is down' });
    await svc.settle();
    t.like(await svc.pauseOf('checkout'), { progress: 'paused', held: 1, isExact: true });
    t.is(await svc.pauseOf('other'), null);
    t.deepEqual(await svc.pausesOf(queued), [
      { scope: 'workflow', by: 'token:ops', reason: 'the provider is down' },
    ]);
    const claimed = await svc.claim('w', 10);
    t.deepEqual(
      claimed.map(({ record }) => record.executionId),
      [other],
    );

    t.like(await svc.resume('checkout'), { progress: 'resuming', held: 1 });
    await svc.settle();
    t.is(await svc.pauseOf('checkout'), null);
    t.deepEqual(await svc.story(queued), [
      'WorkflowStarted',
      'NodeScheduled a',
      'ExecutionPaused',
      'ExecutionResumed',
    ]);
    t.is((await svc.claim('w', 10)).length, 1);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: an execution started during the pause is accepted, and held before its first step`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', { ...CHAIN, timeouts: { workflow_timeout: 60 } });
    await svc.pause('checkout');
    const executionId = await svc.begin('checkout', { idempotencyKey: 'k' });
    t.is(await svc.begin('checkout', { idempotencyKey: 'k' }), executionId);
    t.is(await svc.statusOf(executionId), 'paused');
    // Its time limit counts from its start, because the client does not know of the pause.
    t.deepEqual(await svc.story(executionId), [
      'WorkflowStarted',
      'ExecutionPaused',
      'TimerStarted',
    ]);
    await svc.settle();
    t.deepEqual(await svc.claim(), []);
    t.is((await svc.story(executionId)).length, 3);
    await svc.resume('checkout');
    const atOnce = await svc.begin('checkout');
    t.deepEqual((await svc.story(atOnce)).slice(0, 3).includes('ExecutionPaused'), false);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeScheduled a');
    t.is((await svc.claim('w', 10)).length, 2);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: in-engine nodes of what is started while it stands do not run`, async (t) => {
    const ran: string[] = [];
    const svc = await open(t, {
      async run({ nodeId }) {
        ran.push(nodeId);
        return { ok: true, output: {}, statePatch: {} };
      },
    });
    await svc.takeStarts();
    await svc.register('checkout', { nodes: { c: { kind: 'call' } } });
    await svc.pause('checkout');
    const executionId = await svc.begin('checkout');
    await svc.settle();
    t.deepEqual(ran, []);
    await svc.resume('checkout');
    await svc.settle();
    t.deepEqual([ran, await svc.statusOf(executionId)], [['c'], 'completed']);
  });

  test(`${dialect}: all its versions are paused, for every caller`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', { ...CHAIN, version: '1' });
    const old = await svc.begin('checkout');
    await svc.register('checkout', { ...CHAIN, version: '2' });
    await svc.pause('checkout');
    await svc.register('checkout', { ...CHAIN, version: '3' });
    const latest = await svc.begin('checkout');
    await svc.settle();
    for (const id of [old, latest]) t.is(await svc.statusOf(id), 'paused');
    await t.throwsAsync(svc.pause('unknown'), { message: /workflow unknown/ });
    await t.throwsAsync(svc.resume('unknown'), { message: /workflow unknown/ });
  });

  test(`${dialect}: children, retries and runs that continue others are held before their first step`, async (t) => {
    const svc = await open(t);
    await svc.register('child', { ...CHAIN, timeouts: { workflow_timeout: 60 } });
    await svc.register('parent', {
      nodes: { sub: { kind: { type: 'subgraph', workflow_ref: 'child' } } },
    });
    const failed = await svc.begin('child');
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId: failed });
    await svc.pause('child');
    const parent = await svc.begin('parent');
    await svc.settle();
    const [child] = await svc.list('child', 'paused');
    t.is(child?.parentExecutionId, parent);
    t.deepEqual(await svc.story(child?.executionId ?? parent), [
      'WorkflowStarted',
      'ExecutionPaused',
      'TimerStarted',
    ]);
    const { executionId: retried } = await svc.engine.retryExecution({
      ...by,
      executionId: failed,
      statePatch: null,
      revision: 'same',
    });
    await svc.settle();
    t.is(await svc.statusOf(retried), 'paused');
    t.false((await svc.story(retried)).includes('NodeScheduled a'));
    t.deepEqual(await svc.claim(), []);
    await svc.resume('child');
    await svc.settle();
    t.is((await svc.claim('w', 10)).length, 2);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a run that continues another of a paused workflow is held`, async (t) => {
    const gate = Promise.withResolvers<void>();
    const svc = await open(t, {
      async run() {
        await gate.promise;
        return { ok: true, output: {}, statePatch: { go_on: true } };
      },
    });
    await svc.takeStarts();
    await svc.register('loop', {
      nodes: { c: { kind: 'call' }, w: WORKER },
      edges: [{ from: 'c', to: 'w' }],
      continue_as_new: { when: 'state.go_on' },
    });
    // The first run stays in memory and is not read again, so it continues until the next run
    // begins.
    const first = await svc.begin('loop');
    await svc.pause('loop');
    gate.resolve();
    while (svc.scheduling.underWay() > 0) await new Promise((resolve) => setImmediate(resolve));
    const next = (await svc.read(first)).state.continuedAs;
    if (next === null) return t.fail('it did not continue as another');
    await svc.settle();
    t.deepEqual(await svc.story(next), ['WorkflowStarted', 'ExecutionPaused']);
    await svc.resume('loop');
    await svc.settle();
    t.is((await svc.claim('w', 10)).length, 1);
  });

  test(`${dialect}: paused directly and by its workflow, it continues when both pauses are over`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    const [one, two] = [await svc.begin('checkout'), await svc.begin('checkout')];
    await svc.engine.pauseExecution({ ...by, executionId: one, reason: 'by itself' });
    await svc.pause('checkout');
    await svc.settle();
    await svc.engine.pauseExecution({ ...by, executionId: two, reason: 'by itself' });
    t.deepEqual(
      (await svc.pausesOf(one)).map(({ scope }) => scope),
      ['execution', 'workflow'],
    );
    await svc.engine.resumeExecution({ ...by, executionId: one });
    await svc.settle();
    t.deepEqual(await svc.claim('w', 10), []);
    await svc.resume('checkout');
    await svc.settle();
    const [first, ...others] = await svc.claim('w', 10);
    t.deepEqual([first?.record.executionId, others.length], [one, 0]);
    t.deepEqual(
      (await svc.pausesOf(two)).map(({ scope }) => scope),
      ['execution'],
    );
    await svc.engine.resumeExecution({ ...by, executionId: two });
    await svc.settle();
    t.is((await svc.claim('w', 10)).length, 1);
  });

  test(`${dialect}: work that is out is settled, approvals are taken, and nothing follows`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    await svc.register('asking', {
      nodes: { ask: ASK, w: WORKER },
      edges: [{ from: 'ask', to: 'w' }],
    });
    const executionId = await svc.begin('checkout');
    const asking = await svc.begin('asking');
    await svc.settle();
    const [item] = await svc.claim();
    for (const workflowId of ['checkout', 'asking']) await svc.pause(workflowId);
    await svc.settle();
    await svc.complete(item);
    const decision = { decision: 'approved', nodeId: null, userId: null, comment: null } as const;
    const approved = { ...by, executionId: asking, statePatch: null, ...decision };
    t.true((await svc.engine.decideApproval(approved)).accepted);
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'NodeCompleted a');
    t.is((await svc.story(asking)).at(-1), 'ApprovalReceived ask');
    t.deepEqual(await svc.claim('w', 10), []);
    for (const workflowId of ['checkout', 'asking']) await svc.resume(workflowId);
    await svc.settle();
    t.is((await svc.claim('w', 10)).length, 2);
  });

  test(`${dialect}: explain names the pause of the workflow: who, when and why`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    const executionId = await svc.begin('checkout');
    const explain = async () => {
      const told = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
      return told.blockers;
    };
    const paused = await svc.pause('checkout', 'the provider is down');
    const [first] = await explain();
    t.like(first, { code: 'workflow_paused', since: paused.pausedAt, nodeId: null });
    t.regex(
      first?.message ?? '',
      /token:ops paused workflow checkout: the provider is down; a scheduler is about to hold the execution/,
    );
    await svc.settle();
    const [held, item, ...others] = await explain();
    t.like(held, { code: 'workflow_paused', since: paused.pausedAt });
    t.regex(held?.message ?? '', /^token:ops paused workflow checkout: the provider/);
    t.regex(held?.unblockedBy ?? '', /svc workflow resume/);
    t.like(item, { code: 'workflow_paused', nodeId: 'a' });
    t.deepEqual(others, []);
    await svc.engine.pauseExecution({ ...by, executionId, reason: 'by itself' });
    t.deepEqual(
      (await explain()).map(({ code }) => code),
      ['workflow_paused', 'paused_by_operator', 'paused_by_operator'],
    );
    await svc.engine.resumeExecution({ ...by, executionId });
    await svc.resume('checkout');
    const [resumed] = await explain();
    t.is(resumed?.code, 'workflow_paused');
    t.regex(resumed?.unblockedBy ?? '', /^a scheduler/);
    await svc.settle();
    t.false((await explain()).some(({ code }) => code === 'workflow_paused'));
  });

  test(`${dialect}: a decision that comes before the sweep holds what it would have moved on`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    const executionId = await svc.begin('checkout');
    await svc.settle();
    const [item] = await svc.claim();
    await svc.pause('checkout');
    await svc.complete(item);
    // Runs only the loop of decisions.
    await svc.scheduling.advance(executionId);
    t.deepEqual((await svc.story(executionId)).slice(-2), ['NodeCompleted a', 'ExecutionPaused']);
    t.is(await svc.statusOf(executionId), 'paused');
  });

  test(`${dialect}: a cancel ends what its workflow holds, and its finalizers run`, async (t) => {
    const ran: string[] = [];
    const svc = await open(t, {
      async run({ nodeId }) {
        ran.push(nodeId);
        return { ok: true, output: {}, statePatch: {} };
      },
    });
    const finalizer = { f: { kind: { type: 'cleanup', run_on: 'always' } } };
    await svc.register('checkout', { nodes: { a: WORKER, ...finalizer } });
    const [one, two] = [await svc.begin('checkout'), await svc.begin('checkout')];
    await svc.engine.cancelExecution({ ...by, executionId: two });
    await svc.pause('checkout');
    await svc.settle();
    t.deepEqual([ran, await svc.statusOf(two)], [['f'], 'cancelled']);
    t.like(await svc.pauseOf('checkout'), { progress: 'paused', held: 1 });
    await svc.engine.cancelExecution({ ...by, executionId: one });
    await svc.settle();
    t.deepEqual([ran, await svc.statusOf(one)], [['f', 'f'], 'cancelled']);
    t.like(await svc.pauseOf('checkout'), { held: 0 });
    await svc.resume('checkout');
    await svc.settle();
    t.is(await svc.pauseOf('checkout'), null);
  });

  test(`${dialect}: nothing continues if the workflow is paused again while it is given back`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', CHAIN);
    const made = await Promise.all(
      Array.from({ length: COMPETITORS }, () => svc.begin('checkout')),
    );
    await svc.pause('checkout', 'first');
    await svc.settle();
    await svc.resume('checkout');
    await Promise.all([svc.sweep(), svc.pause('checkout', 'second'), svc.sweep()]);
    await svc.settle();
    for (const id of made) t.is(await svc.statusOf(id), 'paused');
    t.like(await svc.pauseOf('checkout'), {
      progress: 'paused',
      held: made.length,
      reason: 'second',
    });
    t.deepEqual(await svc.claim('w', 100), []);
    await svc.resume('checkout');
    await svc.settle();
    t.is((await svc.claim('w', 100)).length, made.length);
    t.is(await svc.pauseOf('checkout'), null);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a sweep that broke off is carried on by another process`, async (t) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    // 600 executions need more than two rounds.
    const [one, two] = [
      sceneOf(openTestEngine({ store }), age),
      sceneOf(openTestEngine({ store }), age),
    ];
    await one.register('checkout', { nodes: { a: WORKER } });
    for (let batch = 0; batch < 6; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, () => one.begin('checkout')));
    }
    await one.pause('checkout');
    t.like(await one.sweep(), { found: 256, more: true });
    await two.settle();
    t.like(await two.pauseOf('checkout'), { progress: 'paused', held: 600 });
    t.deepEqual(await two.claim('w', 100), []);
    await two.resume('checkout');
    t.like(await two.sweep(), { found: 256, more: true });
    t.like(await one.pauseOf('checkout'), { progress: 'resuming', held: 600 - 256 });
    await one.settle();
    t.is(await one.pauseOf('checkout'), null);
    let claimed = 0;
    for (let n = 0; n < 60; n += 1) claimed += (await one.claim('w', 10)).length;
    t.is(claimed, 600);
  });

  test(`${dialect}: an execution that moves too fast is left to the next pass, and the round continues`, async (t) => {
    let moving: ExecutionId | null = null;
    let aheadMs = 0;
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    const racing = refusing(store, ({ executionId }) => executionId === moving);
    const timers = { ...systemTimers, now: () => systemTimers.now() + aheadMs };
    const svc = sceneOf(openTestEngine({ store: racing, timers }), age);
    await svc.register('checkout', CHAIN);
    await svc.register('other', CHAIN);
    const fast = await svc.begin('checkout');
    const other = await svc.begin('other');
    await svc.pause('checkout');
    await svc.pause('other');
    moving = fast;
    await svc.settle();
    t.is(await svc.statusOf(other), 'paused');
    t.is(await svc.statusOf(fast), 'running');
    t.like(await svc.pauseOf('checkout'), { progress: 'pausing', held: 0 });
    t.like(await svc.pauseOf('other'), { progress: 'paused', held: 1 });
    moving = null;
    aheadMs = REST_MS;
    await svc.settle();
    t.like(await svc.pauseOf('checkout'), { progress: 'paused', held: 1 });
    t.is(svc.troubles.length, 1);
    t.regex(String(svc.troubles), /changes too fast/);
  });

  test(`${dialect}: two that sweep at the same time hold each execution once`, async (t) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    const svcs = Array.from({ length: 4 }, () => sceneOf(openTestEngine({ store }), age));
    const [svc] = svcs;
    if (svc === undefined) return t.fail('four engines');
    await svc.register('checkout', { nodes: { a: WORKER } });
    const made = await Promise.all(Array.from({ length: 50 }, () => svc.begin('checkout')));
    await svc.pause('checkout');
    await Promise.all(svcs.map((each) => each.sweep()));
    await Promise.all(svcs.map((each) => each.settle()));
    for (const id of made) {
      t.is((await svc.story(id)).filter((told) => told === 'ExecutionPaused').length, 1);
    }
    await svc.resume('checkout');
    await Promise.all(svcs.map((each) => each.sweep()));
    await svc.settle();
    for (const id of made) {
      t.is((await svc.story(id)).filter((told) => told === 'ExecutionResumed').length, 1);
    }
    t.deepEqual(
      svcs.flatMap(({ troubles }) => troubles),
      [],
    );
  });

  test(`${dialect}: starts, pauses, resumptions, settles and sweeps that meet lose nothing`, async (t) => {
    const svc = await open(t);
    await svc.register('checkout', { nodes: { a: WORKER } });
    const made: ExecutionId[] = [];
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        ...Array.from({ length: COMPETITORS }, async (_, n) => {
          made.push(await svc.begin('checkout'));
          if (n % 5 === 0) await (n % 2 === 0 ? svc.pause('checkout') : svc.resume('checkout'));
        }),
        svc.sweep(),
        svc.turn(),
        (async () => {
          for (const item of await svc.claim('w', 5)) await svc.complete(item);
        })(),
        svc.resume('checkout'),
        svc.pause('checkout'),
        svc.sweep(),
      ]);
    }
    await svc.pause('checkout');
    await svc.settle();
    const live = await svc.list('checkout', 'paused');
    t.deepEqual(await svc.list('checkout', 'running'), []);
    t.deepEqual(await svc.claim('w', 100), []);
    t.like(await svc.pauseOf('checkout'), { progress: 'paused', held: live.length });
    await svc.resume('checkout');
    await svc.settle();
    for (;;) {
      const items = await svc.claim('w', 100);
      if (items.length === 0) break;
      for (const item of items) await svc.complete(item);
    }
    await svc.settle();
    for (const id of made) t.is(await svc.statusOf(id), 'completed');
    t.deepEqual(svc.troubles, []);
  });
}

type Age = Awaited<ReturnType<typeof openTestStore>>['age'];

function sceneOf(svc: TestEngine, age: Age) {
  const { engine } = svc;
  const read = (executionId: ExecutionId) =>
    engine.readExecution({ tenantId: TENANT, executionId });
  return {
    ...svc,
    age,
    read,
    register: (workflowId: string, ir: JsonObject) =>
      engine.registerWorkflow({ ...by, ir: { workflow_id: workflowId, ...ir } }),
    async begin(
      workflowId: string,
      changes: { readonly idempotencyKey?: string; readonly input?: JsonObject } = {},
    ): Promise<ExecutionId> {
      const { executionId } = await engine.startExecution({
        ...by,
        workflowId,
        workflowVersion: null,
        input: {},
        priority: 5,
        idempotencyKey: null,
        ...changes,
      });
      return executionId;
    },
    pause: (workflowId: string, reason: string | null = null) =>
      engine.pauseWorkflow({ ...by, workflowId, reason }),
    resume: (workflowId: string) => engine.resumeWorkflow({ ...by, workflowId }),
    /**
     * From now on it runs what is started in it, like a process whose scheduler holds every shard.
     */
    async takeStarts() {
      svc.scheduling.takeStarts({ shards: [...Array(64).keys()], underWayMax: 100 });
      await svc.turn();
    },
    sweep: () => svc.scheduling.sweepWorkflowPauses({ signal: new AbortController().signal }),
    async pauseOf(workflowId: string) {
      const pauses = await engine.readWorkflowPauses({
        tenantId: TENANT,
        workflowIds: [workflowId],
      });
      return pauses.get(workflowId) ?? null;
    },
    statusOf: async (executionId: ExecutionId) => (await read(executionId)).row.status,
    pausesOf: async (executionId: ExecutionId) => (await read(executionId)).state.pauses,
    list: (workflowId: string, status: 'running' | 'paused') =>
      engine.listExecutions({
        tenantId: TENANT,
        workflowId,
        status,
        createdAfter: null,
        createdBefore: null,
        cursor: null,
        limit: 500,
        offset: 0,
      }),
  };
}
