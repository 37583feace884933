import test from 'ava';

import { createTestRuntime, replayHistory } from 'svc-sdk/testing';
import { defineFunction, NonDeterminismError } from 'svc-sdk/worker';

import { definePoller } from '../../../examples/typescript/recipes/poller.ts';

const START = new Date('2026-01-01T00:00:00Z');

test('the poller of the guide runs for a year, in visits of 30 days', async (t) => {
  const stored: string[] = [];
  const poller = definePoller({
    read: async (cursor) => {
      const page = Number(cursor ?? 0) + 1;
      return { entries: [`entry ${page}`], cursor: String(page) };
    },
    store: async (entry) => void stored.push(entry),
  });
  await using runtime = await createTestRuntime({ functions: [poller], startAt: START });
  const until = '2027-01-01T00:00:00Z';
  const execution = await runtime.start(poller, { cursor: null, until });
  await runtime.advance('366d');
  t.deepEqual(await execution.result(), { cursor: '365' });
  t.is(new Set(stored).size, 365);
  t.is(stored.length, 365);
  const steps = await execution.steps();
  t.is(steps.at(-1)?.visit, 12);
  t.is(steps.filter(({ visit, kind }) => visit === 0 && kind === 'timer').length, 30);
});

const counter = defineFunction<{ count: number }, { count: number }>(
  'counter',
  async (ctx, { count }) => {
    await ctx.step(`add to ${count}`, () => null);
    await ctx.sleep('1d');
    return count < 2 ? ctx.continueAsNew({ count: count + 1 }) : { count };
  },
);

test('a replay takes the input that the visit before continued with', async (t) => {
  await using runtime = await createTestRuntime({ functions: [counter] });
  const execution = await runtime.start(counter, { count: 0 });
  await runtime.advance('36h');
  const underWay = await execution.events();
  await runtime.advance('3d');
  t.deepEqual(await execution.result(), { count: 2 });
  t.deepEqual(
    (await execution.steps()).map(({ name, visit }) => `${visit} ${name}`),
    ['0 add to 0', '0 sleep', '1 add to 1', '1 sleep', '2 add to 2', '2 sleep'],
  );
  await t.notThrowsAsync(replayHistory(counter, underWay));
  await t.notThrowsAsync(replayHistory(counter, await execution.events()));
  const error = await t.throwsAsync(replayHistory(counter, underWay, { input: { count: 0 } }), {
    instanceOf: NonDeterminismError,
  });
  t.regex(error.message, /add to 1.*add to 0/);
});

test('a replay tells code that continues before a recorded step', async (t) => {
  await using runtime = await createTestRuntime({ functions: [counter] });
  const execution = await runtime.start(counter, { count: 0 });
  const events = await execution.events();
  const changed = defineFunction<{ count: number }>('counter', async (ctx, input) =>
    ctx.continueAsNew(input),
  );
  const error = await t.throwsAsync(replayHistory(changed, events), {
    instanceOf: NonDeterminismError,
  });
  t.regex(error.message, /add to 0.*nothing more/);
});

test('a replay of a new run takes the input that the run carries', async (t) => {
  const inputs = [{ node_id: 'run', visit: 7, input: { count: 7 } }];
  const entries = [{ identity: 'add to 7', kind: 'step', output: null }];
  const events = [
    { kind: 'WorkflowStarted', payload: { input: { count: 0 }, carried: { inputs } } },
    { kind: 'NodeScheduled', node_id: 'run', payload: { visit: 7 } },
    { kind: 'StepRecorded', node_id: 'run', payload: { visit: 7, entries } },
  ];
  await t.notThrowsAsync(replayHistory(counter, events));
});

test('a replay of a retry takes the steps that the retry takes over', async (t) => {
  const entries = [{ identity: 'add to 7', kind: 'step', output: null }];
  const at = { node_id: 'run', visit: 7 };
  const journals = [{ ...at, entries }];
  const carried = { inputs: [{ ...at, input: { count: 7 } }], journals };
  const paused = [{ kind: 'WorkflowStarted', payload: { input: { count: 0 }, carried } }];
  const told = { kind: 'StepRecorded', node_id: 'run', payload: { visit: 7, entries } };
  const events = [...paused, { ...told, payload: { ...told.payload, carried: true } }];
  const changed = defineFunction('counter', async (ctx) => ctx.step('other', () => null));
  for (const history of [paused, events]) {
    await t.notThrowsAsync(replayHistory(counter, history));
    const replayed = replayHistory(changed, history);
    const error = await t.throwsAsync(replayed, { instanceOf: NonDeterminismError });
    t.regex(error.message, /add to 7.*other/);
  }
});
