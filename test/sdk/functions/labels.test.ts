import test from 'ava';

import { createTestRuntime, replayHistory } from 'svc-sdk/testing';
import {
  defineFunction,
  type FunctionContext,
  type Labels,
  NonRetryableError,
} from 'svc-sdk/worker';

import { defineLabelledOrder } from '../../../examples/typescript/recipes/labelled-order.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';
import { MemoryRuntime } from './support/memory-runtime.ts';

/* Labels that functions set while they run. */

const check = onBothStores();

const many = (count: number): Labels =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));

check('a function is found by its labels while it waits', async (t, tenant, place) => {
  const order = defineLabelledOrder(async () => {});
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, { id: 'o-7' });
  await tenant.untilEvent(id, 'NodeSuspended');
  t.deepEqual((await tenant.read(id)).labels, { order: 'o-7', phase: 'waiting' });
  const q = encodeURIComponent('labels.phase = waiting and labels.order = o-7');
  const { body } = await tenant.get<{ readonly executions: readonly object[] }>(
    `/executions?q=${q}`,
  );
  t.like(body, { executions: [{ execution_id: id }] });
  await tenant.deliver(id, 'shipped');
  const { labels } = await tenant.until(id, 'completed');
  t.deepEqual(labels, { order: 'o-7', phase: 'shipped' });
});

check(
  'labels stay when the function fails, and when it continues as new',
  async (t, tenant, place) => {
    const loop = defineFunction('loop', (ctx, { round }: { readonly round: number }) => {
      ctx.setLabels({ [`round-${round}`]: 'begun' });
      if (round < 2) return ctx.continueAsNew({ round: round + 1 });
      throw new Error('enough');
    });
    startWorker(t, { tenant, place, options: { functions: [loop] } });
    const id = await startFunction(tenant, loop, { round: 0 });
    const { labels } = await tenant.until(id, 'failed');
    t.deepEqual(labels, { 'round-0': 'begun', 'round-1': 'begun', 'round-2': 'begun' });
  },
);

check(
  'labels without room fail the function permanently, and its worker serves the next',
  async (t, tenant, place) => {
    const overfull = defineFunction(
      'overfull',
      async (ctx, { at }: { readonly at: string }) => {
        const fill = (): void => {
          ctx.setLabels(many(16));
          ctx.setLabels({ more: 'v' });
        };
        if (at === 'step') {
          fill();
          await ctx.step('pay', () => null);
        }
        if (at === 'wait') {
          fill();
          await ctx.waitForEvent('never');
        }
        fill();
        if (at === 'failure') throw new NonRetryableError('failed');
        if (at === 'continuation') ctx.continueAsNew({ at });
        return {};
      },
      { retryPolicy: { max_attempts: 3, initial_delay_ms: 1 } },
    );
    startWorker(t, { tenant, place, options: { functions: [overfull], concurrency: 1 } });
    const messages: Record<string, unknown> = {};
    for (const at of ['step', 'wait', 'failure', 'continuation', 'end']) {
      const id = await startFunction(tenant, overfull, { at });
      const { error } = await tenant.until(id, 'failed');
      messages[at] = error;
      const failures = (await tenant.events(id)).filter(({ kind }) => kind === 'NodeFailed');
      t.is(failures.length, 1, at);
    }
    const full =
      'bad request: labels, with those that it has, are 17, and an execution has at most 16 labels: ' +
      'leave out 1, or replace some';
    const refused = `the journal does not take labels "set-labels#2": ${full}`;
    t.deepEqual(messages, {
      step: `node run failed: ${refused}`,
      wait: `node run failed: ${refused}`,
      failure: 'node run failed: failed',
      continuation: `node run failed: the function cannot continue as new: ${full}`,
      end: `node run failed: ${full}`,
    });
  },
);

test('setting labels adds no request, and later turns set them no more', async (t) => {
  const commits: string[] = [];
  const runtime = new MemoryRuntime({ meet: (point) => void commits.push(point) });
  const outcome = await runtime.runToEnd(async (ctx) => {
    ctx.setLabels({ phase: 'paying' });
    await ctx.step('pay', () => null);
    ctx.setLabels({ phase: 'waiting' });
    await ctx.sleep('1h');
    ctx.setLabels({ phase: 'done' });
  });
  t.is(outcome.kind, 'completed');
  t.deepEqual(
    runtime.entries.map(({ identity, kind, output }) => [kind, identity, output ?? null]),
    [
      ['labels', 'set-labels', { phase: 'paying' }],
      ['step', 'pay', null],
      ['labels', 'set-labels#2', { phase: 'waiting' }],
      ['timer', 'sleep', null],
      ['labels', 'set-labels#3', { phase: 'done' }],
    ],
  );
  t.is(commits.filter((point) => point === 'before a commit').length, 2);
});

test('labels may be added to the code of a running execution, changed and deleted', async (t) => {
  const labelled = (labels: Labels | null) => async (ctx: FunctionContext) => {
    await ctx.step('pay', () => null);
    if (labels !== null) ctx.setLabels(labels);
    await ctx.sleep('1h');
    return 'done';
  };
  const codes = [labelled({ a: '1' }), labelled({ b: '2' }), labelled(null)];
  for (const before of codes) {
    for (const after of codes) {
      const runtime = new MemoryRuntime();
      await runtime.runOne(before);
      runtime.satisfyOne();
      t.like(await runtime.runOne(after), { kind: 'completed', output: 'done' });
    }
  }
});

test('branches and replays have their own labels', async (t) => {
  const branches = defineFunction('branches', async (ctx) => {
    await ctx.map(['a', 'b'], async (name) => {
      ctx.setLabels({ [name]: 'begun' });
      await ctx.sleep('1h');
      ctx.setLabels({ [name]: 'done' });
    });
  });
  await using runtime = await createTestRuntime({ functions: [branches] });
  const execution = await runtime.start(branches, {});
  t.deepEqual(await execution.labels(), { a: 'begun', b: 'begun' });
  await runtime.advance('1h');
  await execution.result();
  t.deepEqual(await execution.labels(), { a: 'done', b: 'done' });
  await replayHistory(branches, await execution.events());
});

test('labels that no execution can have, and labels within a step, fail the function', async (t) => {
  const wrong: readonly (readonly [(ctx: FunctionContext) => unknown, RegExp])[] = [
    [(ctx) => ctx.setLabels({ 'the risk': 'high' }), /the name of a label .*the risk/],
    [(ctx) => ctx.setLabels(many(17)), /at most 16 labels: 17 are set/],
  ];
  for (const [run, message] of wrong) {
    const outcome = await new MemoryRuntime().runOne(async (ctx) => run(ctx));
    t.like(outcome, { kind: 'failed', errorClass: 'NonRetryableError', isFinal: true });
    t.regex((outcome as { readonly message: string }).message, message);
  }
  const inStep = await new MemoryRuntime().runOne((ctx) =>
    ctx.step('pay', () => ctx.setLabels({ a: '1' }), { retry: { maxAttempts: 1 } }),
  );
  t.like(inStep, { kind: 'failed', errorClass: 'Error' });
  t.regex((inStep as { readonly message: string }).message, /ctx is not for the code of a step/);
});
