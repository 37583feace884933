import test from 'ava';

import { cancellationEvents } from '../../../../src/shared/domain/execution/finalizers.ts';
import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { readWorkflow } from '../../../../src/shared/domain/workflow/ir.ts';
import { createKindRegistry, NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import { cleanupKind } from '../../../support/cleanup-kind.ts';
import { History } from '../../../support/history.ts';

const kinds = createKindRegistry([...NODE_KINDS, cleanupKind]);
const WORK = { type: 'python_fn', module: 'm', function: 'f' };
const FAIL_ONCE = { kind: WORK, retry_policy: 'no_retry' };

function historyOf(ir: JsonObject): History {
  const read = readWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return new History(read.plan, {}, (state) => decodeState(encodeState(state)));
}

function problemsOf(ir: JsonObject): readonly string[] {
  const read = readWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds });
  return read.ok ? [] : read.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

const cleanup = (run_on: string) => ({ kind: { type: 'cleanup', run_on } });

test('an execution that completes runs its finalizers first, all at once', (t) => {
  const history = historyOf({
    nodes: {
      a: { kind: WORK },
      ok: cleanup('success'),
      no: cleanup('failure'),
      any: cleanup('always'),
    },
  });
  history.complete('a');
  t.deepEqual(history.story().slice(-3), [
    'WorkflowEnding',
    'NodeScheduled ok',
    'NodeScheduled any',
  ]);
  t.is(history.state.status, 'running');
  history.complete('any');
  t.false(history.ended());
  history.complete('ok', {}, { closed: true });
  t.deepEqual([history.state.status, history.state.data], ['completed', { closed: true }]);
  t.is(history.story().at(-1), 'WorkflowCompleted');
  t.deepEqual(history.refold(), history.state);
});

test('a finalizer sees how the execution ends', (t) => {
  const history = historyOf({ nodes: { a: FAIL_ONCE, f: cleanup('failure') } });
  history.fail('a');
  const work = history.effects.findLast((effect) => effect.do === 'create_work');
  t.like(work, {
    nodeId: 'f',
    visit: 0,
    input: { execution: { outcome: 'failed', error: 'node a failed: broke' } },
  });
});

test('a failure cancels what is live, then runs finalizers, and keeps its reason', (t) => {
  const history = historyOf({
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['a', 'b'] } },
      a: FAIL_ONCE,
      b: { kind: WORK },
      f: cleanup('always'),
    },
  });
  history.fail('a');
  t.deepEqual(history.story().slice(-4), [
    'NodeFailed a',
    'NodeCancelled b',
    'WorkflowEnding',
    'NodeScheduled f',
  ]);
  t.true(history.effects.some((effect) => effect.do === 'revoke_work'));
  history.fail('f');
  t.deepEqual([history.state.status, history.state.error], ['failed', 'node a failed: broke']);
});

test('a finalizer that fails makes an execution fail that would have completed', (t) => {
  const history = historyOf({ nodes: { a: {}, f: cleanup('always'), g: cleanup('always') } });
  history.fail('f', true);
  history.fail('f');
  t.false(history.ended());
  history.complete('g');
  t.deepEqual([history.state.status, history.state.error], ['failed', 'finalizer f failed: broke']);
});

test('without a finalizer for its outcome an execution ends as ever', (t) => {
  const history = historyOf({ nodes: { a: {}, f: cleanup('failure') } });
  t.is(history.state.status, 'completed');
  t.false(history.story().includes('WorkflowEnding'));
  t.false(history.story().includes('NodeSkipped f'));
});

test('a budget that is used up holds no finalizer up', (t) => {
  const history = historyOf({ nodes: { a: FAIL_ONCE, f: cleanup('always') } });
  history.budgets = [
    {
      account: history.state.executionId,
      budget: {
        tokens: { input: null, output: null, total: 1 },
        costUsd: null,
        onExceeded: 'fail',
      },
      spent: { inputTokens: 1, outputTokens: 1, costUsd: 0 },
    },
  ];
  history.fail('a');
  t.deepEqual(history.liveNodes(), ['f']);
});

test('limit_exceeded runs finalizers too', (t) => {
  const history = historyOf({
    start_node: 'stop',
    nodes: { stop: { kind: 'limit_exceeded' }, f: cleanup('always') },
  });
  history.complete('f');
  t.deepEqual([history.state.status, history.state.error], ['failed', 'limit exceeded']);
});

test('while it ends, the time limit and external events change nothing', (t) => {
  const history = historyOf({
    nodes: { a: {}, f: cleanup('always') },
    timeouts: { workflow_timeout: 60 },
  });
  t.true(
    history.effects.some(
      (effect) => effect.do === 'cancel_timer' && effect.name === 'workflow_timeout',
    ),
  );
  const payload = { purpose: 'workflow_timeout', visit: null } as const;
  history.record({ kind: 'TimerFired', nodeId: null, payload });
  history.deliver('late', 1);
  t.deepEqual([history.liveNodes(), history.state.mailbox.length], [['f'], 1]);
  history.complete('f');
  t.is(history.state.status, 'completed');
});

test('a cancel runs finalizers; a second one changes nothing', (t) => {
  const history = historyOf({ nodes: { a: { kind: WORK }, f: cleanup('failure') } });
  history.record(...cancellationEvents(history.plan, history.state));
  t.deepEqual(history.story().slice(-3), ['NodeCancelled a', 'WorkflowEnding', 'NodeScheduled f']);
  t.deepEqual(cancellationEvents(history.plan, history.state), []);
  history.fail('f');
  t.is(history.state.status, 'cancelled');
  t.is(history.story().at(-1), 'WorkflowCancelled');
});

test('a workflow of finalizers alone runs them', (t) => {
  const history = historyOf({ nodes: { f: cleanup('always') } });
  history.complete('f');
  t.deepEqual(history.story(), [
    'WorkflowStarted',
    'WorkflowEnding',
    'NodeScheduled f',
    'NodeCompleted f',
    'WorkflowCompleted',
  ]);
});

test('a finalizer is no step: nothing leads to it, and nothing follows it', (t) => {
  const f = cleanup('always');
  t.deepEqual(problemsOf({ nodes: { a: {}, f }, edges: [{ from: 'a', to: 'f' }] }), [
    '/edges/0/to: "f" is a finalizer: it runs when the execution ends, and nothing may lead to it',
  ]);
  t.deepEqual(problemsOf({ nodes: { a: {}, f }, edges: [{ from: 'f', to: 'a' }] }), [
    '/edges/0/from: "f" is a finalizer: nothing follows it',
  ]);
  t.deepEqual(problemsOf({ nodes: { a: {}, f: { ...f, fallback_node: 'a' } } }), [
    '/nodes/f/fallback_node: "f" is a finalizer: nothing follows it',
  ]);
  t.deepEqual(problemsOf({ nodes: { a: {}, f }, start_node: 'f' }), [
    '/start_node: "f" is a finalizer: it runs at the end',
  ]);
  const join = { kind: { type: 'join', wait_for: ['f'] } };
  t.deepEqual(problemsOf({ nodes: { a: {}, join, f }, edges: [{ from: 'a', to: 'join' }] }), [
    '/nodes/join/kind/wait_for/0: "f" is a finalizer: nothing follows it',
  ]);
  const map = { kind: { type: 'map', items: '$.x', node: 'f' } };
  t.is(problemsOf({ nodes: { map, f } }).length, 1);
});
