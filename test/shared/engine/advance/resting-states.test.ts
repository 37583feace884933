import test from 'ava';

import { History, planOf } from '../../../support/history.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Held } from '../../../../src/shared/engine/advance/held-execution.ts';
import { createWakeBus } from '../../../../src/shared/engine/wake/wake-bus.ts';
import { createRestingStates } from '../../../../src/shared/engine/advance/resting-states.ts';

const id = (name: string) => `exec_${name}` as ExecutionId;

function rested(chars: number, ended = false): Held {
  const history = new History(planOf({ nodes: { s: { kind: subgraph } } }));
  const started = { visit: 0, attempt: 0, work_item_id: 'w', child_execution_id: id('child') };
  history.record({
    kind: 'ChildWorkflowStarted',
    nodeId: 's',
    payload: { ...started, workflow_id: 'c', workflow_version: '1' },
  });
  const state = ended ? { ...history.state, status: 'failed' as const } : history.state;
  return { state, tail: { events: 1, chars, snapshotChars: 0 } } as Held;
}

const subgraph = { type: 'subgraph', workflow_ref: 'c' };

test('a parent that is long to read is kept until it is taken up again', (t) => {
  const states = createRestingStates(createWakeBus());
  const held = rested(100_000);
  states.keep(id('a'), held);
  t.is(states.take(id('a')), held);
  t.is(states.take(id('a')), null);
});

test('values that are short to read, over or uncertain are not kept', (t) => {
  const states = createRestingStates(createWakeBus());
  states.keep(id('short'), rested(100));
  states.keep(id('over'), rested(100_000, true));
  states.keep(id('unknown'), null);
  for (const name of ['short', 'over', 'unknown']) t.is(states.take(id(name)), null);
});

test('the last of many are kept', (t) => {
  const states = createRestingStates(createWakeBus());
  const held = rested(100_000);
  for (let at = 0; at < 40; at += 1) states.keep(id(String(at)), held);
  t.is(states.take(id('0')), null);
  t.is(states.take(id('39')), held);
});

test('a break of the connections forgets all: the database may be at an earlier moment', async (t) => {
  const wake = createWakeBus();
  const states = createRestingStates(wake);
  states.keep(id('a'), rested(100_000));
  wake.deliver(['*']);
  await Promise.resolve();
  t.is(states.take(id('a')), null);
});
