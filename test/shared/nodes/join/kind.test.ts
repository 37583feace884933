import test from 'ava';
import { enter, nodeProblems, planOf } from '../enter.ts';

const ARRIVALS = [
  { nodeId: 'b', output: 2 },
  { nodeId: 'a', output: { x: 1 } },
];

test('collect, the default, gives the outputs by node', (t) => {
  t.deepEqual(enter({ kind: 'join' }, { arrivals: ARRIVALS }), {
    do: 'complete',
    output: { b: 2, a: { x: 1 } },
  });
});

test('first gives the output that arrived earliest', (t) => {
  const node = { kind: { type: 'join', merge_strategy: 'first' } };
  t.deepEqual(enter(node, { arrivals: ARRIVALS }), { do: 'complete', output: 2 });
  t.deepEqual(enter(node), { do: 'complete', output: null });
});

test('custom hands the outputs to a worker', (t) => {
  const merge = { custom: { function_ref: 'shop.orders:merge' } };
  t.deepEqual(enter({ kind: { type: 'join', merge_strategy: merge } }, { arrivals: ARRIVALS }), {
    do: 'work',
    queue: 'python_tool',
    input: { results: { b: 2, a: { x: 1 } } },
    payload: {
      workflow_id: 'w',
      workflow_version: '1.0.0',
      node_id: 'n',
      module: 'shop.orders',
      function: 'merge',
    },
  });
});

test('an edge is added from each node it waits for, unless there is one', (t) => {
  const plan = planOf({
    start_node: 's',
    nodes: {
      s: { kind: 'parallel', branches: ['a', 'b'] },
      a: {},
      b: {},
      j: { kind: 'join', wait_for: ['a', 'b', 'a'] },
    },
    edges: [{ from: 'a', to: 'j', condition: 'state.x' }],
  });
  const edgesOf = (id: string) =>
    plan.nodes.get(id)?.edges.map(({ to, condition }) => [to, condition?.source]);
  t.deepEqual(edgesOf('a'), [['j', 'state.x']]);
  t.deepEqual(edgesOf('b'), [['j', undefined]]);
  t.deepEqual(plan.nodes.get('j')?.waitFor, ['a', 'b']);
  t.deepEqual(plan.nodes.get('j')?.predecessors, ['a', 'b']);
});

test('an empty wait_for is none', (t) => {
  const plan = planOf({ nodes: { j: { kind: 'join', wait_for: [] } } });
  t.is(plan.nodes.get('j')?.waitFor, null);
});

test('a node that cannot be waited for is refused', (t) => {
  const waiting = (waitFor: unknown) =>
    nodeProblems({ kind: { type: 'join', wait_for: waitFor as never } });
  t.deepEqual(waiting('other'), ['/kind/wait_for: must be a list of node ids']);
  t.deepEqual(waiting([1]), ['/kind/wait_for/0: must be the id of a node']);
  t.deepEqual(waiting(['no', 'n', 'end']), [
    '/kind/wait_for/0: there is no node "no"',
    '/kind/wait_for/1: a node cannot wait for itself',
    '/kind/wait_for/2: there is no node "end"',
  ]);
});

test('strategies that cannot be read are refused', (t) => {
  const merging = (merge: unknown) =>
    nodeProblems({ kind: { type: 'join', merge_strategy: merge as never } });
  t.deepEqual(merging('last'), [
    '/kind/merge_strategy: must be collect, first, or {custom: {function_ref}}',
  ]);
  t.deepEqual(merging({ custom: { function_ref: 'merge' } }), [
    '/kind/merge_strategy/custom/function_ref: must be a function as "module:function"',
  ]);
});
