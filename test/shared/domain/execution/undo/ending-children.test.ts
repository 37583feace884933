import test from 'ava';

import type { ExecutionEvent } from '../../../../../src/shared/domain/execution/event.ts';
import type { WaitPayload } from '../../../../../src/shared/domain/execution/function-events.ts';
import { cancellationEvents } from '../../../../../src/shared/domain/execution/finalizers.ts';
import {
  decodeState,
  encodeState,
} from '../../../../../src/shared/domain/execution/state-codec.ts';
import { endingChildrenOf } from '../../../../../src/shared/domain/execution/undo/ending-children.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type { Plan } from '../../../../../src/shared/domain/workflow/plan/plan.ts';
import { History, planOf } from '../../../../support/history.ts';

/* Undos wait for the ends of children that run when their parent ends. */

const CALL = { kind: { type: 'python_fn', module: 'm', function: 'f' }, retry_policy: 'no_retry' };
const UNDOABLE = { ...CALL, undo: CALL };
const SUB = { kind: { type: 'subgraph', workflow_ref: 'other' } };
const TOOLS = { clean: { kind: 'python', reference: 'm:clean' } };
const TIDY = { kind: { type: 'finalizer', tool_ref: 'clean', run_on: 'always' } };

function historyOf(ir: JsonObject): History {
  return new History(planOf(ir), {}, (state) => decodeState(encodeState(state)));
}

/** A step is done, and then branches run. */
function begun(branches: JsonObject, more: JsonObject = {}, tools: JsonObject = {}): History {
  const ids = Object.keys(branches);
  const history = historyOf({
    tools,
    start_node: 'a',
    nodes: {
      a: UNDOABLE,
      both: { kind: { type: 'parallel', branches: ids } },
      ...branches,
      ...more,
    },
    edges: [{ from: 'a', to: 'both' }],
  });
  history.complete('a');
  return history;
}

function started(nodeId: string, visit = 0): ExecutionEvent {
  return {
    kind: 'ChildWorkflowStarted',
    nodeId,
    payload: {
      visit,
      attempt: 0,
      work_item_id: 'w',
      child_execution_id: `exec_${nodeId}${visit}`,
      workflow_id: 'other',
      workflow_version: '1',
    },
  };
}

/** The child has continued as another run: its id is another one. */
function ended(nodeId: string, of: { visit?: number; step?: string } = {}): ExecutionEvent {
  const { visit = 0, step } = of;
  return {
    kind: 'ChildWorkflowFailed',
    nodeId,
    payload: {
      visit,
      child_execution_id: 'exec_later',
      ...(step !== undefined && { step }),
      status: 'cancelled',
      error: 'it was cancelled',
      error_class: 'child_cancelled',
    },
  };
}

function cancel(history: History): void {
  history.record(...cancellationEvents(history.plan, history.state));
}

const endedChildren = (history: History) =>
  history.effects.flatMap((effect) =>
    effect.do === 'end_child' ? [[effect.childId, effect.awaitedBy ?? null]] : [],
  );

test('a cancel: every child ends before the first undo begins, and finalizers come last', (t) => {
  const history = begun({ s: SUB, u: SUB }, { tidy: TIDY }, TOOLS);
  history.record(started('s'), started('u'));
  cancel(history);
  t.deepEqual(history.liveNodes(), []);
  t.is(history.state.status, 'running');
  history.record(ended('u'));
  t.deepEqual(history.liveNodes(), []);
  history.record(ended('s'));
  t.deepEqual(history.liveNodes(), ['a.undo']);
  history.complete('a.undo');
  t.deepEqual(history.liveNodes(), ['tidy']);
  t.deepEqual(history.refold(), history.state);
});

test('a failure of another branch and a time limit wait for the children too', (t) => {
  const failing = begun({ s: SUB, call: CALL });
  failing.record(started('s'));
  failing.fail('call');
  const late = begun({ s: SUB });
  late.record(started('s'));
  late.record({
    kind: 'TimerFired',
    nodeId: null,
    payload: { purpose: 'workflow_timeout', visit: null },
  });
  for (const history of [failing, late]) {
    t.deepEqual(history.liveNodes(), []);
    t.deepEqual(endedChildren(history), [['exec_s0', { nodeId: 's', visit: 0 }]]);
    history.record(ended('s'));
    history.complete('a.undo');
    t.is(history.state.status, 'failed');
    t.is(history.state.undo.endingChildren, undefined);
    t.deepEqual(history.refold(), history.state);
  }
});

test('the items of a map that are children all end first', (t) => {
  const map = { kind: { type: 'map', items: [1, 2], workflow_ref: 'other' } };
  const history = begun({ m: map });
  history.record(started('m.item', 0), started('m.item', 1));
  cancel(history);
  history.record(ended('m.item', { visit: 1 }));
  t.deepEqual(history.liveNodes(), []);
  history.record(ended('m.item', { visit: 0 }));
  t.deepEqual(history.liveNodes(), ['a.undo']);
});

test('children of a map that failed before are waited for by the undos of a later failure', (t) => {
  const map = { type: 'map', items: [1, 2], workflow_ref: 'other' };
  const history = begun({ m: { kind: map, fallback_node: 'next' } }, { next: CALL });
  history.record(started('m.item', 0), started('m.item', 1));
  history.record(ended('m.item', { visit: 0 }));
  t.deepEqual(endedChildren(history), [['exec_m.item1', { nodeId: 'm.item', visit: 1 }]]);
  history.fail('next');
  t.deepEqual(history.liveNodes(), []);
  history.record(ended('m.item', { visit: 1 }));
  t.deepEqual(history.liveNodes(), ['a.undo']);
});

test('nothing to undo, so nothing waits and no child reports its end', (t) => {
  for (const undo_on of [undefined, ['failed']]) {
    const a = undo_on === undefined ? CALL : { ...UNDOABLE, undo_on };
    const history = historyOf({
      start_node: 'a',
      nodes: { a, s: SUB },
      edges: [{ from: 'a', to: 's' }],
    });
    history.complete('a');
    history.record(started('s'));
    cancel(history);
    t.is(history.state.status, 'cancelled');
    t.like(
      history.events.find(({ kind }) => kind === 'NodeCancelled'),
      {
        payload: { visit: 0, reason: 'the execution was cancelled' },
      },
    );
    t.false(JSON.stringify(history.events).includes('awaits_children'));
  }
  const failing = historyOf({
    start_node: 'both',
    nodes: { both: { kind: { type: 'parallel', branches: ['s', 'call'] } }, s: SUB, call: CALL },
  });
  failing.record(started('s'));
  failing.fail('call');
  t.is(failing.state.status, 'failed');
  t.deepEqual(endedChildren(failing), [['exec_s0', null]]);
});

test('a history of an older release waits for no child', (t) => {
  const history = begun({ s: SUB });
  history.record(started('s'));
  history.record(
    {
      kind: 'NodeCancelled',
      nodeId: 's',
      payload: { visit: 0, reason: 'the execution was cancelled' },
    },
    { kind: 'WorkflowEnding', nodeId: null, payload: { outcome: 'cancelled' } },
  );
  t.deepEqual(history.liveNodes(), ['a.undo']);
});

const FUNCTION = { kind: 'function', name: 'shop.order', retry_policy: 'no_retry' };
const wait = (identity: string): WaitPayload => ({
  identity,
  kind: 'child',
  child_execution_id: `exec_${identity}`,
});

/** A function waits for two children. */
function suspended(history: History, isCompensated: boolean): History {
  if (isCompensated) {
    const entries = [{ identity: 'refund', kind: 'on_rollback' }] as const;
    const payload = { visit: 0, turn: 0, position: 0, entries };
    history.record({ kind: 'StepRecorded', nodeId: 'f', payload });
  }
  history.record({
    kind: 'NodeSuspended',
    nodeId: 'f',
    payload: {
      visit: 0,
      attempt: 0,
      turn: 0,
      work_item_id: history.live('f').workItemId ?? '',
      lease_fence: 1,
      request_hash: 'hash',
      waits: [wait('one'), wait('two')],
    },
  });
  return history;
}

test('a durable function: undos wait for each child that it waited for', (t) => {
  const history = suspended(begun({ f: FUNCTION }), false);
  cancel(history);
  t.deepEqual(history.liveNodes(), []);
  history.record(ended('f', { step: 'two' }));
  t.deepEqual(history.liveNodes(), []);
  history.record(ended('f', { step: 'one' }));
  t.deepEqual(history.liveNodes(), ['a.undo']);
});

test('a durable function: its compensations wait for its children, and undos for those', (t) => {
  const cancelled = suspended(begun({ f: FUNCTION }), true);
  cancel(cancelled);
  const failed = suspended(begun({ f: FUNCTION, call: CALL }), true);
  failed.fail('call');
  t.deepEqual(
    endedChildren(failed).map(([id]) => id),
    ['exec_one', 'exec_two'],
  );
  for (const history of [cancelled, failed]) {
    const kinds = () => history.events.map(({ kind }) => kind);
    history.record(ended('f', { step: 'one' }));
    t.false(kinds().includes('RollbackScheduled'));
    history.record(ended('f', { step: 'two' }));
    t.is(kinds().at(-1), 'RollbackScheduled');
    t.deepEqual(history.liveNodes(), ['f']);
    t.deepEqual(history.refold(), history.state);
  }
});

test('a durable function that has failed and is then cancelled has each child once', (t) => {
  const history = suspended(begun({ f: FUNCTION }), true);
  const failed = { visit: 0, attempt: 0, error: 'it took too long', error_class: 'timeout' };
  history.record({
    kind: 'NodeFailed',
    nodeId: 'f',
    payload: { ...failed, retryable: false, awaits_children: true },
  });
  cancel(history);
  t.deepEqual(
    endingChildrenOf(history.state).map(({ step }) => step),
    ['one', 'two'],
  );
  history.record(ended('f', { step: 'one' }));
  t.false(history.events.some(({ kind }) => kind === 'RollbackScheduled'));
  history.record(ended('f', { step: 'two' }));
  t.is(history.events.at(-1)?.kind, 'RollbackScheduled');
});

/** The function has got the end of its first child, and leaves the second one. */
function leftAlone(history: History, how: 'completes' | 'continues'): History {
  history.record(ended('f', { step: 'one' }));
  const { workItemId } = history.live('f');
  const awaits_children = true;
  history.record(
    how === 'completes'
      ? { kind: 'NodeCompleted', nodeId: 'f', payload: { visit: 0, output: {}, awaits_children } }
      : {
          kind: 'NodeContinuedAsNew',
          nodeId: 'f',
          payload: {
            visit: 0,
            attempt: 0,
            turn: 1,
            work_item_id: workItemId ?? '',
            lease_fence: 2,
            request_hash: 'hash',
            input: { next: true },
            awaits_children,
          },
        },
  );
  return history;
}

test('a durable function that completes or continues: undos wait for the child that it left', (t) => {
  for (const how of ['completes', 'continues'] as const) {
    const history = leftAlone(suspended(begun({ f: FUNCTION, call: CALL }), false), how);
    history.fail('call');
    t.deepEqual(history.liveNodes(), []);
    t.is(history.state.status, 'running');
    history.record(ended('f', { step: 'two' }));
    t.deepEqual(history.liveNodes(), ['a.undo']);
    t.deepEqual(history.refold(), history.state);
  }
});

test('the own undo of a function waits for the children that the function left', (t) => {
  const undoable = { ...FUNCTION, undo: CALL };
  const history = leftAlone(suspended(begun({ f: undoable, call: CALL }), false), 'completes');
  history.fail('call');
  history.record(ended('f', { step: 'two' }));
  t.deepEqual(history.liveNodes(), ['f.undo']);
});

test('an execution that completes waits for no child', (t) => {
  const history = leftAlone(suspended(begun({ f: FUNCTION }), false), 'completes');
  t.is(history.state.status, 'completed');
  t.is(history.state.undo.endingChildren, undefined);
});

/** The run that continues the given one. */
function nextRun(history: History, plan: Plan): History {
  const effect = history.effects.findLast((one) => one.do === 'start_successor');
  if (effect === undefined) throw new Error('the run has not continued');
  return new History(plan, {}, (state) => decodeState(encodeState(state)), effect.started);
}

test('a run that continues as new hands over the children for whose ends its undos wait', (t) => {
  const plan = planOf({
    start_node: 'a',
    nodes: {
      a: UNDOABLE,
      m: { kind: { type: 'map', items: [1, 2], workflow_ref: 'other' }, fallback_node: 'next' },
      next: CALL,
    },
    edges: [
      { from: 'a', to: 'm' },
      { from: 'next', to: 'm' },
    ],
    continue_as_new: { when: 'has(state.go)' },
  });
  const first = new History(plan);
  first.complete('a');
  first.record(started('m.item', 0), started('m.item', 1));
  first.record(ended('m.item', { visit: 0 }));
  first.complete('next', {}, { go: true });
  t.is(first.state.status, 'completed');

  const next = nextRun(first, plan);
  t.like(endingChildrenOf(next.state), [
    { nodeId: 'm.item', visit: 1, childId: 'exec_m.item1', startedBy: first.state.executionId },
  ]);
  // Its own children have other visits, so an end says which child it is.
  t.deepEqual(
    next.state.live
      .values()
      .toArray()
      .flatMap(({ nodeId, visit }) => (nodeId === 'm.item' ? visit : [])),
    [2, 3],
  );
  next.record(started('m.item', 2), started('m.item', 3));
  next.record(ended('m.item', { visit: 2 }));
  next.fail('next');
  next.record(ended('m.item', { visit: 3 }));
  t.deepEqual(next.liveNodes(), []);
  next.record(ended('m.item', { visit: 1 }));
  t.deepEqual(next.liveNodes(), ['a.undo']);
  t.deepEqual(next.refold(), next.state);
});

test('a function that continues in the next run has a visit and an input of its own there', (t) => {
  const plan = planOf({
    start_node: 'a',
    nodes: { a: UNDOABLE, f: FUNCTION },
    edges: [{ from: 'a', to: 'f' }],
    continue_as_new: { when: 'has(state.go)' },
  });
  const first = new History(plan);
  first.complete('a', {}, { go: true });
  const second = leftAlone(suspended(nextRun(first, plan), false), 'continues');
  t.is(second.state.status, 'completed');

  const third = nextRun(second, plan);
  t.like(third.live('f'), { visit: 1, scope: { input: { next: true } } });
  cancel(third);
  t.deepEqual(third.liveNodes(), []);
  third.record(ended('f', { step: 'two' }));
  t.deepEqual(third.liveNodes(), ['a.undo']);
});
