import test from 'ava';

import { cancellationEvents } from '../../../../../src/shared/domain/execution/finalizers.ts';
import {
  decodeState,
  encodeState,
} from '../../../../../src/shared/domain/execution/state-codec.ts';
import { onlyDeadUndos } from '../../../../../src/shared/domain/execution/undo/due-undo.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { History, planOf } from '../../../../support/history.ts';
import { problemsOf } from '../../../nodes/enter.ts';

/* An execution that fails or is cancelled undoes its completed visits before it ends. */

const work = (name: string) => ({ type: 'python_fn', module: 'm', function: name });
const once = 'no_retry';
const booking = (name: string, more: JsonObject = {}) => ({
  kind: work(`book_${name}`),
  output_key: name,
  retry_policy: once,
  undo: { kind: work(`cancel_${name}`), retry_policy: once },
  ...more,
});
const TRIP = {
  start_node: 'flight',
  nodes: { flight: booking('flight'), hotel: booking('hotel'), car: booking('car') },
  edges: [
    { from: 'flight', to: 'hotel' },
    { from: 'hotel', to: 'car' },
  ],
};

function historyOf(ir: JsonObject, input: JsonObject = {}): History {
  return new History(planOf(ir), input, (state) => decodeState(encodeState(state)));
}

function booked(ir: JsonObject = TRIP): History {
  const history = historyOf(ir);
  history.complete('flight', { id: 'f1' });
  history.complete('hotel', { id: 'h1' });
  return history;
}

function inputsOf(history: History): readonly unknown[] {
  return history.effects.flatMap((effect) =>
    effect.do === 'create_work' && effect.nodeId.endsWith('.undo')
      ? [[effect.nodeId, effect.input]]
      : [],
  );
}

function cancel(history: History): void {
  history.record(...cancellationEvents(history.plan, history.state));
}

test('a failure undoes what completed, in reverse order, one at a time, each with its output', (t) => {
  const history = booked();
  history.fail('car');
  t.deepEqual(history.story().slice(-2), ['WorkflowEnding', 'NodeScheduled hotel.undo']);
  history.complete('hotel.undo');
  t.deepEqual(history.liveNodes(), ['flight.undo']);
  t.is(history.state.status, 'running');
  history.complete('flight.undo');
  t.deepEqual(inputsOf(history), [
    ['hotel.undo', { id: 'h1' }],
    ['flight.undo', { id: 'f1' }],
  ]);
  t.like(history.events.at(-1), {
    kind: 'WorkflowFailed',
    payload: {
      error: 'node car failed: broke',
      node_id: 'car',
      undo: { undone: 2, not_undone: [] },
    },
  });
  t.deepEqual(history.refold(), history.state);
});

test('a cancel undoes what completed, and a second cancel changes nothing', (t) => {
  const history = booked();
  cancel(history);
  t.deepEqual(history.story().slice(-3), [
    'NodeCancelled car',
    'WorkflowEnding',
    'NodeScheduled hotel.undo',
  ]);
  t.deepEqual(cancellationEvents(history.plan, history.state), []);
  history.complete('hotel.undo');
  history.complete('flight.undo');
  t.like(history.events.at(-1), { kind: 'WorkflowCancelled', payload: { undo: { undone: 2 } } });
});

test('an execution that completes undoes nothing, even if a finalizer fails', (t) => {
  const tools = { clean: { kind: 'python', reference: 'm:clean' } };
  const last = { kind: { type: 'finalizer', tool_ref: 'clean' }, retry_policy: once };
  const history = booked({ ...TRIP, tools, nodes: { ...TRIP.nodes, last } });
  history.complete('car', { id: 'c1' });
  history.fail('last');
  t.like(history.state, { status: 'failed', error: 'finalizer last failed: broke' });
  t.deepEqual(inputsOf(history), []);
});

test('finalizers run after the undos', (t) => {
  const tools = { clean: { kind: 'python', reference: 'm:clean' } };
  const last = { kind: { type: 'finalizer', tool_ref: 'clean' } };
  const history = booked({ ...TRIP, tools, nodes: { ...TRIP.nodes, last } });
  history.fail('car');
  history.complete('hotel.undo');
  t.deepEqual(history.liveNodes(), ['flight.undo']);
  history.complete('flight.undo');
  t.deepEqual(history.liveNodes(), ['last']);
  history.complete('last');
  t.is(history.story().at(-1), 'WorkflowFailed');
});

test('undo_on names the ends', (t) => {
  const nodes = {
    ...TRIP.nodes,
    flight: booking('flight', { undo_on: ['cancelled'] }),
    hotel: booking('hotel', { undo_on: ['failed'] }),
  };
  const failed = booked({ ...TRIP, nodes });
  failed.fail('car');
  t.deepEqual(failed.liveNodes(), ['hotel.undo']);
  const cancelled = booked({ ...TRIP, nodes });
  cancel(cancelled);
  t.deepEqual(cancelled.liveNodes(), ['flight.undo']);
});

test('each item of a map that completed is undone, in reverse order, and sees its item', (t) => {
  const body = {
    kind: work('reserve'),
    retry_policy: once,
    undo: {
      kind: work('free'),
      input_mapping: { seat: '$output.seat', of: { expr: 'input.item' } },
    },
  };
  const history = historyOf(
    { nodes: { all: { kind: { type: 'map', items: 'input.names', node: body } } } },
    { names: ['a', 'b', 'c'] },
  );
  history.complete('all.item', { seat: 1 });
  history.complete('all.item', { seat: 2 });
  history.fail('all.item');
  history.complete('all.item.undo');
  history.complete('all.item.undo');
  t.deepEqual(inputsOf(history), [
    ['all.item.undo', { seat: 2, of: 'b' }],
    ['all.item.undo', { seat: 1, of: 'a' }],
  ]);
  t.is(history.state.status, 'failed');
});

test('each visit of a loop is undone', (t) => {
  const history = historyOf({
    start_node: 'a',
    nodes: { a: booking('a') },
    edges: [{ from: 'a', to: 'a' }],
  });
  history.complete('a', { n: 1 });
  history.complete('a', { n: 2 });
  history.fail('a');
  history.complete('a.undo');
  history.complete('a.undo');
  t.deepEqual(inputsOf(history), [
    ['a.undo', { n: 2 }],
    ['a.undo', { n: 1 }],
  ]);
});

test('an undo without attempts left waits for a person, the others run, and the end reports it', (t) => {
  const history = booked();
  history.fail('car');
  history.fail('hotel.undo');
  t.deepEqual(history.liveNodes(), ['hotel.undo', 'flight.undo']);
  history.complete('flight.undo');
  t.is(history.state.status, 'running');
  // The item was put back on its queue, and its next attempt succeeds.
  history.complete('hotel.undo');
  t.like(history.events.at(-1), {
    kind: 'WorkflowFailed',
    payload: { error: 'node car failed: broke', undo: { undone: 2, not_undone: [] } },
  });
});

test('an undo that cannot begin does not keep the others from running, and the end reports it', (t) => {
  const undo = { kind: work('cancel_hotel'), input_mapping: { expr: 'output.id + 1' } };
  const history = booked({
    ...TRIP,
    nodes: { ...TRIP.nodes, hotel: booking('hotel', { undo }) },
  });
  history.fail('car');
  history.complete('flight.undo');
  const last = history.events.at(-1);
  t.like(last, {
    kind: 'WorkflowFailed',
    payload: { error: 'node car failed: broke', undo: { undone: 1 } },
  });
  t.like(history.state.undo.failed, { 0: { nodeId: 'hotel', visit: 0 }, length: 1 });
});

test('work of the engine that cannot undo asks a person: approved, it is tried again', (t) => {
  const http = { url: 'https://example.test/cancel' };
  const nodes = {
    ...TRIP.nodes,
    hotel: booking('hotel', { undo: { kind: { type: 'tool', tool_ref: 'cancel' } } }),
  };
  const tools = { cancel: { kind: 'http', ...http } };
  for (const decision of ['approved', 'rejected'] as const) {
    const history = booked({ ...TRIP, tools, nodes });
    history.fail('car');
    history.fail('hotel.undo');
    t.true(history.story().includes('ApprovalRequested hotel.undo'));
    t.like(history.live('hotel.undo').memory?.asked?.['undo'], {
      node_id: 'hotel',
      output: { id: 'h1' },
      error: 'broke',
    });
    t.deepEqual(history.liveNodes().toSorted(), ['flight.undo', 'hotel.undo']);
    history.complete('flight.undo');
    history.approve('hotel.undo', decision);
    if (decision === 'approved') history.complete('hotel.undo');
    t.like(history.events.at(-1), {
      kind: 'WorkflowFailed',
      payload: { undo: { undone: decision === 'approved' ? 2 : 1 } },
    });
    t.is(history.state.undo.failed.length, decision === 'approved' ? 0 : 1);
    t.deepEqual(history.refold(), history.state);
  }
});

test('dead letters are given up only when no other undo can run', (t) => {
  const history = booked();
  history.fail('car');
  history.fail('hotel.undo');
  t.is(onlyDeadUndos(history.plan, history.state), null);
  const { visit } = history.live('flight.undo');
  const payload = { visit, output: {} };
  const { state } = history;
  const before = {
    ...state,
    live: new Map([...state.live].filter(([id]) => id !== 'flight.undo#0')),
  };
  const pending = [{ nodeId: 'flight', visit: 0, output: {}, item: null, sequence: 3 }];
  t.is(onlyDeadUndos(history.plan, { ...before, undo: { ...state.undo, pending } }), null);
  history.record({ kind: 'NodeCompleted', nodeId: 'flight.undo', payload });
  t.is(onlyDeadUndos(history.plan, history.state)?.length, 1);
});

test('a pause holds the undos, and they continue after it', (t) => {
  const history = booked();
  history.fail('car');
  const by = 'token:t';
  history.record({
    kind: 'ExecutionPaused',
    nodeId: null,
    payload: { scope: 'execution', by },
  });
  history.complete('hotel.undo');
  t.deepEqual(history.liveNodes(), []);
  history.record({
    kind: 'ExecutionResumed',
    nodeId: null,
    payload: { scope: 'execution', by },
  });
  t.deepEqual(history.liveNodes(), ['flight.undo']);
});

test('a definition with an undo that cannot run is refused', (t) => {
  const a = { kind: work('a') };
  const refused = (nodes: JsonObject, edges: JsonObject[] = []) =>
    problemsOf({ workflow_id: 'w', start_node: 'a', nodes: { a, ...nodes }, edges });
  t.deepEqual(refused({ a: { ...a, undo: 'b' } }), ['/nodes/a/undo: there is no node "b"']);
  t.deepEqual(refused({ a: { ...a, undo: 'a' } }), ['/nodes/a/undo: a node cannot undo itself']);
  t.deepEqual(refused({ a: { ...a, undo: { kind: 'join' } } }), [
    '/nodes/a/undo: a join node cannot undo another',
  ]);
  t.deepEqual(refused({ a: { ...a, undo: 'b' }, b: a }, [{ from: 'a', to: 'b' }]), [
    '/edges/0/to: "b" is an undo: it runs when the execution ends, and nothing may lead to it',
  ]);
  t.deepEqual(refused({ a: { ...a, undo: 'b' }, b: a, c: a }, [{ from: 'b', to: 'c' }]), [
    '/edges/0/from: "b" is an undo: nothing follows it',
  ]);
  t.deepEqual(refused({ a: { ...a, undo: 'b', undo_on: ['completed'] }, b: a }), [
    '/nodes/a/undo_on: must be a list of failed, cancelled, each once',
  ]);
  t.deepEqual(refused({ c: { ...a, undo: 'a' } }), [
    '/start_node: "a" is an undo: it runs at the end',
  ]);
});
