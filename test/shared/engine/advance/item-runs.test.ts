import test from 'ava';

import { ItemRuns } from '../../../../src/shared/engine/advance/item-runs.ts';
import {
  createRunnerMailbox,
  type RunnerMailbox,
} from '../../../../src/shared/engine/advance/runner-mailbox.ts';
import {
  LeaseLostError,
  type NodeCall,
  type NodeOutcome,
} from '../../../../src/shared/nodes/run.ts';
import type { ArtifactStore } from '../../../../src/shared/store/artifacts.ts';
import { createVirtualTimers } from '../../../scheduler/virtual-timers.ts';
import { startedExecution } from './started-execution.ts';

const ONE = { nodes: { a: { kind: 'call' } }, edges: [] };
const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };

/** Runs whose nodes wait until the test supplies their outcomes. */
function openRuns() {
  const calls: { readonly call: NodeCall; readonly end: (outcome: NodeOutcome) => void }[] = [];
  const run = (call: NodeCall) =>
    new Promise<NodeOutcome>((end) => {
      calls.push({ call, end });
    });
  let forgotten = 0;
  const mailbox: RunnerMailbox = createRunnerMailbox(() => undefined);
  const runs = new ItemRuns(
    {
      // No value of these nodes is large, so no artifact is read.
      store: { artifacts: {} as ArtifactStore },
      timers: createVirtualTimers(),
      report: { count: () => undefined, observe: () => undefined, trouble: () => undefined },
    },
    {
      runners: new Map([['call', { run }]]),
      mailbox,
      onForgotten: () => {
        forgotten += 1;
      },
    },
  );
  return { runs, mailbox, calls, forgotten: () => forgotten };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the outcome of a run goes to the mailbox, and the item counts until it is forgotten', async (t) => {
  const { held, items } = startedExecution(ONE);
  const { runs, mailbox, calls, forgotten } = openRuns();
  for (const item of items) runs.start(held, item);
  await turn();
  t.is(calls.length, 1);
  calls[0]?.end(done);
  await turn();
  t.is(mailbox.finished(), 1);
  t.is(runs.size, 1);
  for (const item of items) t.true(runs.isCurrent(held.state, item));
  for (const item of items) runs.forget(item);
  t.is(runs.size, 0);
  t.is(forgotten(), 1);
});

test('an item starts once under one lease; a newer lease replaces its run', async (t) => {
  const { held, items } = startedExecution(ONE);
  const [item] = items;
  if (item === undefined) return t.fail('no item was leased');
  const { runs, mailbox, calls } = openRuns();
  runs.start(held, item);
  runs.start(held, { ...item, abort: new AbortController() });
  await turn();
  t.is(calls.length, 1);
  const next = { ...item, leaseFence: item.leaseFence + 1, abort: new AbortController() };
  runs.start(held, next);
  await turn();
  t.true(calls[0]?.call.signal.aborted);
  t.deepEqual([...runs.items()], [next]);
  calls[0]?.end(done);
  await turn();
  t.is(mailbox.finished(), 0, 'the outcome of the earlier run no longer counts');
});

test('an aborted run is forgotten at once, and what it records is refused', async (t) => {
  const { held, items } = startedExecution(ONE);
  const { runs, mailbox, calls } = openRuns();
  for (const item of items) runs.start(held, item);
  await turn();
  runs.abortAll();
  t.is(runs.size, 0);
  const progress = { name: 'step', data: {}, kept: true };
  await t.throwsAsync(async () => calls[0]?.call.record(progress), { instanceOf: LeaseLostError });
  t.true(mailbox.isEmpty());
});

test('a run is aborted once its visit is cancelled, and not before', async (t) => {
  const { held, items } = startedExecution(ONE);
  const { runs } = openRuns();
  for (const item of items) runs.start(held, item);
  runs.abortCancelled(held.state);
  t.is(runs.size, 1);
  runs.abortCancelled({ ...held.state, live: new Map() });
  t.is(runs.size, 0);
});

test('an item is no longer current once its visit is at another attempt', (t) => {
  const { held, items } = startedExecution(ONE);
  const { runs } = openRuns();
  for (const item of items) runs.start(held, item);
  const [item] = items;
  if (item === undefined) return t.fail('no item was leased');
  t.true(runs.isCurrent(held.state, item));
  const live = new Map(
    [...held.state.live].map(([key, visit]) => [key, { ...visit, attempt: visit.attempt + 1 }]),
  );
  t.false(runs.isCurrent({ ...held.state, live }, item));
});
