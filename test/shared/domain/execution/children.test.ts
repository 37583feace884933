import test from 'ava';

import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { History, planOf } from '../../../support/history.ts';

const SUB = { kind: { type: 'subgraph', workflow_ref: 'other' } };
const CALL = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const AT = { visit: 0, attempt: 0 };

function started(nodeId: string, visit = 0, child = 'exec_c'): ExecutionEvent {
  return {
    kind: 'ChildWorkflowStarted',
    nodeId,
    payload: {
      visit,
      attempt: 0,
      work_item_id: 'w',
      child_execution_id: child,
      workflow_id: 'other',
      workflow_version: '1',
    },
  };
}

function completed(nodeId: string, output: JsonObject, visit = 0): ExecutionEvent {
  const usage = { input_tokens: 5, output_tokens: 2, cost_usd: 0.5 };
  return {
    kind: 'ChildWorkflowCompleted',
    nodeId,
    payload: { visit, child_execution_id: 'exec_c', output, usage },
  };
}

function failed(nodeId: string, status: 'failed' | 'cancelled'): ExecutionEvent {
  return {
    kind: 'ChildWorkflowFailed',
    nodeId,
    payload: {
      visit: 0,
      child_execution_id: 'exec_c',
      status,
      error: 'it broke',
      error_class: `child_${status}`,
    },
  };
}

const endedChildren = (history: History) =>
  history.effects.flatMap((effect) => (effect.do === 'end_child' ? [effect.childId] : []));

test('a visit waits for its child, and counts what that used', (t) => {
  const history = new History(planOf({ nodes: { s: { ...SUB, output_key: 's' } } }));
  history.record(started('s'));
  t.like(history.live('s'), { phase: 'child', childId: 'exec_c', workItemId: null });
  t.is(history.state.status, 'running');
  history.record(completed('s', { a: 1 }));
  t.deepEqual(history.state.data, { s: { a: 1 } });
  t.deepEqual(history.state.usage, { inputTokens: 5, outputTokens: 2, costUsd: 0.5 });
  t.is(history.state.status, 'completed');
});

test('a failure beside the start of a child ends that child in the same decision', (t) => {
  const history = new History(
    planOf({
      start_node: 'both',
      nodes: { both: { kind: { type: 'parallel', branches: ['s', 'call'] } }, s: SUB, call: CALL },
    }),
  );
  const error = { error: 'no', error_class: 'x', retryable: false };
  history.record(started('s'), {
    kind: 'NodeFailed',
    nodeId: 'call',
    payload: { ...AT, ...error },
  });
  t.is(history.state.status, 'failed');
  t.deepEqual(endedChildren(history), ['exec_c']);
});

test('an item that fails ends the children of the others, whose ends then only count', (t) => {
  const map = { type: 'map', items: [1, 2, 3], workflow_ref: 'other' };
  const history = new History(
    planOf({
      start_node: 'm',
      nodes: { m: { kind: map, fallback_node: 'wait' }, wait: { kind: 'human_approval' } },
    }),
  );
  history.record(started('m.item', 0), started('m.item', 1, 'exec_d'));
  history.record(failed('m.item', 'failed'));
  t.deepEqual(endedChildren(history), ['exec_d']);
  t.deepEqual(history.liveNodes(), ['wait']);
  history.record(completed('m.item', {}, 1));
  t.is(history.state.usage.inputTokens, 5);
  t.deepEqual(history.liveNodes(), ['wait']);
});

test('a child is run again by a policy of its node, under an item of its own', (t) => {
  const retry_policy = { max_attempts: 2, initial_delay: 0 };
  const history = new History(planOf({ nodes: { s: { ...SUB, retry_policy } } }));
  const { workItemId: first } = history.live('s');
  history.record(started('s'));
  history.record(failed('s', 'failed'));
  const again = history.live('s');
  t.like(again, { phase: 'work', attempt: 1, signal: null });
  t.not(again.workItemId, first);
  const retry = history.effects.find((effect) => effect.do === 'retry_work');
  t.like(retry, { workItemId: again.workItemId, attempt: 1 });
  history.record(started('s', 0, 'exec_d'));
  history.record(failed('s', 'failed'));
  t.is(history.state.error, 'node s failed: it broke');
});

test('it is not by default, nor when somebody cancelled it', (t) => {
  const retry_policy = { max_attempts: 5 };
  for (const [node, status] of [
    [SUB, 'failed'],
    [{ ...SUB, retry_policy }, 'cancelled'],
  ] as const) {
    const history = new History(planOf({ nodes: { s: node } }));
    history.record(started('s'));
    history.record(failed('s', status));
    t.is(history.state.status, 'failed');
  }
  const named = new History(planOf({ nodes: { s: { ...SUB, retry_policy: 'llm_default' } } }));
  named.record(started('s'));
  named.record(failed('s', 'failed'));
  t.like(named.live('s'), { attempt: 1 });
});
