import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ExecutionStore } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { KEPT_FOR_GOOD, openRetentionScene } from '../retention/retention-scene.ts';

/* Another execution continues a failed or cancelled one at the place where it stopped. */

const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: { max_attempts: 1 },
};
const by = { tenantId: TENANT, actorId: 'token:ops' };
const CHAIN = {
  nodes: { a: { ...WORKER, output_key: 'a' }, b: WORKER, c: WORKER },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};
const COUNTS_TO_A_THOUSAND = {
  nodes: {
    count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } },
    a: WORKER,
  },
  start_node: 'count',
  edges: [
    { from: 'count', to: 'count', condition: 'state.n < 1000' },
    { from: 'count', to: 'a' },
  ],
};
const COMPETITORS = 20;

interface Changes {
  readonly statePatch?: JsonObject;
  readonly revision?: 'same' | 'latest';
}

const retry = (svc: TestEngine, executionId: ExecutionId, changes: Changes = {}) =>
  svc.engine.retryExecution({
    ...by,
    executionId,
    statePatch: null,
    revision: 'same' as const,
    ...changes,
  });

const read = (svc: TestEngine, executionId: ExecutionId) =>
  svc.engine.readExecution({ tenantId: TENANT, executionId });

async function completeNext(svc: TestEngine, output: JsonObject = {}) {
  const [item] = await svc.claim();
  await svc.complete(item, { output });
  await svc.settle();
  return item;
}

async function failNext(svc: TestEngine) {
  const [item] = await svc.claim();
  await svc.fail(item);
  await svc.settle();
  return item;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return openTestEngine({ store });
  };

  test(`${dialect}: the failed node runs again, under its old key, and what was done does not`, async (t) => {
    const svc = await open(t);
    const first = await svc.start(CHAIN, { order: 7 });
    await completeNext(svc, { paid: true });
    const failed = await failNext(svc);
    t.is((await read(svc, first)).row.status, 'failed');
    const before = await svc.story(first);

    const { executionId, retriedFrom } = await retry(svc, first);
    t.is(retriedFrom, first);
    t.not(executionId, first);
    t.deepEqual(await svc.story(executionId), ['WorkflowStarted', 'NodeScheduled b']);
    const again = await completeNext(svc);
    t.is(again?.record.idempotencyKey, failed?.record.idempotencyKey);
    t.not(again?.record.workItemId, failed?.record.workItemId);
    await completeNext(svc);
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.deepEqual(state.data, { order: 7, a: { paid: true } });
    t.deepEqual(state.retriedFrom, { executionId: first, sequence: 6, nodeId: 'b' });
    t.deepEqual(await svc.story(first), before);
    t.is((await read(svc, first)).retriedAs, executionId);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a retry reads a long history once, and holds a part of it at a time`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const pages: { readonly after: number; readonly events: number }[] = [];
    const events: ExecutionStore['events'] = async (range) => {
      const page = await store.executions.events(range);
      pages.push({ after: range.after, events: page.length });
      return page;
    };
    const svc = openTestEngine({
      store: { ...store, executions: { ...store.executions, events } },
    });
    const first = await svc.start(COUNTS_TO_A_THOUSAND, { n: 0 });
    await svc.settle();
    await failNext(svc);
    const { row } = await read(svc, first);
    t.is(row.status, 'failed');
    pages.length = 0;
    let turns = 0;
    let turning = setImmediate(function turn() {
      turns += 1;
      turning = setImmediate(turn);
    });
    const { executionId } = await retry(svc, first);
    clearImmediate(turning);
    t.true(turns >= pages.length, `${turns} turns of others in ${pages.length} pages`);
    t.is(
      pages.reduce((sum, page) => sum + page.events, 0),
      row.lastSequence,
    );
    t.true(pages.every((page) => page.events <= 1_000));
    await completeNext(svc);
    const { row: again, state } = await read(svc, executionId);
    t.is(again.status, 'completed');
    t.deepEqual(state.data, { n: 1_000 });
  });

  test(`${dialect}: 404: retention removes the execution while its retry is worked out`, async (t) => {
    const { store, run, seal, age } = await openRetentionScene(t, dialect);
    const events: ExecutionStore['events'] = async (range) => {
      await run({ defaults: { ...KEPT_FOR_GOOD, failed: 1 } });
      return store.executions.events(range);
    };
    const svc = openTestEngine({
      store: { ...store, executions: { ...store.executions, events } },
    });
    const first = await svc.start(CHAIN);
    await failNext(svc);
    await seal();
    await age(2);
    await t.throwsAsync(retry(svc, first), { message: /no execution|not found/i });
  });

  test(`${dialect}: exactly one of twenty retries succeeds, and the others learn which it is`, async (t) => {
    const svc = await open(t);
    const first = await svc.start(CHAIN);
    await failNext(svc);
    const outcomes = await Promise.allSettled(
      Array.from({ length: COMPETITORS }, () => retry(svc, first)),
    );
    const [made, ...others] = outcomes.filter(({ status }) => status === 'fulfilled');
    t.is(others.length, 0);
    const { executionId } = (made as PromiseFulfilledResult<{ executionId: string }>).value;
    for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
      const { reason } = outcome as PromiseRejectedResult;
      t.is(reason.status, 409);
      t.is(reason.body.retried_as, executionId);
    }
    t.is((await svc.claim('w', 5)).length, 1);
  });

  test(`${dialect}: a retry that fails is retried in its turn, under the first key still`, async (t) => {
    const svc = await open(t);
    const first = await svc.start(CHAIN);
    const one = await failNext(svc);
    const second = await retry(svc, first);
    const two = await failNext(svc);
    const third = await retry(svc, second.executionId);
    const three = await completeNext(svc);
    t.is(new Set([one, two, three].map((item) => item?.record.idempotencyKey)).size, 1);
    t.is((await read(svc, third.executionId)).row.status, 'running');
    t.is((await read(svc, second.executionId)).retriedAs, third.executionId);
  });

  test(`${dialect}: branches that were cancelled with it run again, those that were done do not`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      nodes: {
        split: {
          kind: {
            type: 'parallel',
            branches: ['a', 'b', 'c'],
          },
        },
        a: WORKER,
        b: WORKER,
        c: WORKER,
        last: {},
      },
      edges: ['a', 'b', 'c'].map((from) => ({ from, to: 'last' })),
    });
    const items = await svc.claim('w', 3);
    const of = (node: string) => items.find(({ record }) => record.nodeId === node);
    await svc.complete(of('a'));
    await svc.fail(of('b'));
    await svc.settle();
    const { executionId } = await retry(svc, first);
    const again = await svc.claim('w', 5);
    t.deepEqual(again.map(({ record }) => record.nodeId).toSorted(), ['b', 'c']);
    for (const item of again) await svc.complete(item);
    await svc.settle();
    t.is((await read(svc, executionId)).row.status, 'completed');
    t.is((await svc.story(executionId)).filter((told) => told === 'NodeCompleted last').length, 1);
  });

  test(`${dialect}: an event that comes with the failure in one commit is not lost`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      nodes: {
        split: {
          kind: {
            type: 'parallel',
            branches: ['a', 'b'],
          },
        },
        a: WORKER,
        b: WORKER,
      },
    });
    const [one, other] = await svc.claim('w', 2);
    await svc.fail(one);
    await svc.complete(other);
    await svc.settle();
    await retry(svc, first);
    const again = await svc.claim('w', 5);
    t.deepEqual(
      again.map(({ record }) => record.nodeId),
      [one?.record.nodeId],
    );
  });

  test(`${dialect}: a cancelled or timed-out execution continues where it was`, async (t) => {
    const svc = await open(t);
    const cancelled = await svc.start(CHAIN);
    await completeNext(svc);
    await svc.engine.cancelExecution({ ...by, executionId: cancelled });
    const { executionId } = await retry(svc, cancelled);
    await completeNext(svc);
    await completeNext(svc);
    t.is((await read(svc, executionId)).row.status, 'completed');
    t.is((await read(svc, executionId)).state.retriedFrom?.nodeId, null);
  });

  test(`${dialect}: a patch of the state, and the definition registered last`, async (t) => {
    const svc = await open(t);
    const workflowId = `w-${svc.ids.uuid()}`;
    const register = (ir: JsonObject) =>
      svc.engine.registerWorkflow({ ...by, ir: { workflow_id: workflowId, ...ir } });
    await register(CHAIN);
    const { executionId: first } = await svc.engine.startExecution({
      ...by,
      workflowId,
      workflowVersion: null,
      input: {},
      priority: 5,
      idempotencyKey: null,
    });
    await completeNext(svc);
    await failNext(svc);
    await register({ start_node: 'a', nodes: { a: {} } });
    await t.throwsAsync(retry(svc, first, { revision: 'latest' }), {
      message: /has no node b, where it would continue/,
    });
    await register({
      edges: [{ from: 'a', to: 'b' }],
      nodes: { a: WORKER, b: { output_key: 'b', kind: { type: 'pass', output: 'state.n' } } },
    });
    const { executionId } = await retry(svc, first, { revision: 'latest', statePatch: { n: 3 } });
    await svc.settle();
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.deepEqual([state.data['n'], state.data['b']], [3, 3]);
  });

  test(`${dialect}: a node whose edges could not be judged is not run again, its edges are`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      nodes: { a: WORKER, b: WORKER },
      edges: [{ from: 'a', to: 'b', condition: 'state.n > 2' }],
    });
    await completeNext(svc, {});
    t.is((await read(svc, first)).row.status, 'failed');
    await t.throwsAsync(retry(svc, first), { message: /could not be judged/ });
    const { executionId } = await retry(svc, first, { statePatch: { n: 3 } });
    t.is((await svc.claim())[0]?.record.nodeId, 'b');
    t.deepEqual(await svc.story(executionId), ['WorkflowStarted', 'NodeScheduled b']);
  });

  test(`${dialect}: 400 for an execution that has not ended, or ended well, or of its own accord`, async (t) => {
    const svc = await open(t);
    const running = await svc.start(CHAIN);
    await t.throwsAsync(retry(svc, running), { message: /is running: cancel it first/ });
    const completed = await svc.start({ nodes: {} });
    await t.throwsAsync(retry(svc, completed), { message: /is completed.*fork it/ });
    const ended = await svc.start({ nodes: { a: { kind: 'limit_exceeded' } } });
    await svc.settle();
    await t.throwsAsync(retry(svc, ended), { message: /nothing was running/ });
    await t.throwsAsync(retry(svc, 'exec_00000000000070008000000000000000' as ExecutionId), {
      message: /not found/,
    });
  });

  test(`${dialect}: a join that was reached by some waits for the others, and a loop counts on`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      start_node: 'split',
      nodes: {
        split: {
          kind: {
            type: 'parallel',
            branches: ['a', 'b'],
          },
        },
        a: {
          ...WORKER,
          output_key: 'a',
        },
        b: {
          ...WORKER,
          output_key: 'b',
        },
        join: {
          kind: {
            type: 'join',
            wait_for: ['a', 'b'],
            merge_strategy: 'collect',
          },
          output_key: 'all',
        },
      },
      edges: [
        { from: 'a', to: 'join' },
        { from: 'b', to: 'join' },
      ],
    });
    const items = await svc.claim('w', 2);
    await svc.complete(
      items.find(({ record }) => record.nodeId === 'a'),
      { output: { n: 1 } },
    );
    await svc.settle();
    await svc.fail(items.find(({ record }) => record.nodeId === 'b'));
    await svc.settle();
    const { executionId } = await retry(svc, first);
    const [again] = await svc.claim('w', 5);
    t.is(again?.record.nodeId, 'b');
    await svc.complete(again, { output: { n: 2 } });
    await svc.settle();
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.truthy(state.data['all']);
  });

  test(`${dialect}: usage of models counts on, against the budget too`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({ ...CHAIN, token_budget: 100, on_budget_exceeded: 'fail' });
    const usage = { inputTokens: 90, outputTokens: 20, costUsd: null };
    const [item] = await svc.claim();
    await svc.complete(item, { usage });
    await svc.settle();
    t.is((await read(svc, first)).row.status, 'failed');
    const { executionId } = await retry(svc, first);
    await svc.settle();
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'failed');
    t.regex(row.error ?? '', /budget/);
    t.is(state.usage.inputTokens, 90);
    const [charged] = await svc.store.executions.usage(executionId);
    t.is(charged?.inputTokens, 90);
  });

  test(`${dialect}: usage of models by finalizers counts on`, async (t) => {
    const svc = await open(t);
    const first = await svc.start({
      tools: { clean: { kind: 'python', reference: 'm:clean' } },
      nodes: { work: WORKER, clean: { kind: { type: 'finalizer', tool_ref: 'clean' } } },
    });
    const [work] = await svc.claim();
    await svc.fail(work);
    await svc.settle();
    const [clean] = await svc.claim();
    await svc.complete(clean, { usage: { inputTokens: 30, outputTokens: 4, costUsd: 0.5 } });
    await svc.settle();
    t.is((await read(svc, first)).row.status, 'failed');
    const { executionId } = await retry(svc, first);
    const { state } = await read(svc, executionId);
    t.deepEqual(state.usage, { inputTokens: 30, outputTokens: 4, costUsd: 0.5 });
    const [charged] = await svc.store.executions.usage(executionId);
    t.is(charged?.costUsd, 0.5);
  });
}
