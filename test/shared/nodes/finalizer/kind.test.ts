import test from 'ava';

import { History, planOf } from '../../../support/history.ts';
import { problemsOf } from '../enter.ts';

const TOOLS = {
  report: { kind: 'http', reference: 'https://hooks.example/ended', method: 'POST' },
  unlock: { kind: 'python', reference: 'locks:release' },
};
const ending = (fields: object, more: object = {}) => ({
  workflow_id: 'w',
  tools: TOOLS,
  nodes: { a: {}, f: { kind: { type: 'finalizer', ...fields }, ...more } },
});

test('its tool is called as a tool node calls it: by a worker, or inside the engine', (t) => {
  const input_mapping = {
    how: { expr: 'execution.outcome' },
    why: { expr: 'execution.error' },
    key: '$.key',
  };
  for (const [tool_ref, queue] of [
    ['unlock', 'python_tool'],
    ['report', 'engine'],
  ] as const) {
    const history = new History(planOf(ending({ tool_ref }, { input_mapping })), { key: 'k' });
    t.like(history.effects.at(-1), {
      do: 'create_work',
      nodeId: 'f',
      queue,
      input: { how: 'completed', why: null, key: 'k' },
    });
  }
});

test('it runs always unless it says when', (t) => {
  const runs = (fields: object) =>
    new History(planOf(ending({ tool_ref: 'unlock', ...fields }))).liveNodes();
  t.deepEqual(runs({}), ['f']);
  t.deepEqual(runs({ run_on: 'success' }), ['f']);
  t.deepEqual(runs({ run_on: 'failure' }), []);
});

test('policies hold for its tool: refused, it fails, and the execution does not hang', (t) => {
  const tool_ref = 'unlock';
  const blocked = { ...ending({ tool_ref }), policy: { blocked_tools: ['unlock'] } };
  const history = new History(planOf(blocked));
  t.deepEqual(history.story().slice(-4), [
    'NodeScheduled f',
    'PolicyViolation f',
    'NodeFailed f',
    'WorkflowFailed',
  ]);
  t.is(history.state.error, 'finalizer f failed: the policy blocks the tool unlock');
});

test('a finalizer that cannot run is refused', (t) => {
  t.deepEqual(problemsOf(ending({})), ['/nodes/f/kind/tool_ref: missing tool_ref']);
  t.is(problemsOf(ending({ tool_ref: 'none' })).length, 1);
  t.deepEqual(problemsOf(ending({ tool_ref: 'unlock', run_on: 'never' })), [
    '/nodes/f/kind/run_on: must be one of success, failure, always',
  ]);
});
