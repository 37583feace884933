import test from 'ava';
import { enter, nodeProblems, planOf } from '../enter.ts';

const BRANCHES = [
  { target: 'c' },
  { condition: 'state.x > 2', target: 'a' },
  { condition: 'state.x > 1', target: 'b' },
];
const chosen = (target: string | null) => ({
  do: 'complete',
  output: { target },
  targets: target === null ? [] : [target],
});

test('the first branch that is true is chosen, wherever the default stands', (t) => {
  const node = { kind: { type: 'condition', branches: BRANCHES } };
  t.deepEqual(enter(node, { state: { x: 3 } }), chosen('a'));
  t.deepEqual(enter(node, { state: { x: 2 } }), chosen('b'));
  t.deepEqual(enter(node, { state: { x: 0 } }), chosen('c'));
});

test('with no branch true and no default it completes without a successor', (t) => {
  const node = { kind: 'branch', branches: [{ condition: 'state.x', target: 'a' }] };
  t.deepEqual(enter(node), chosen(null));
});

test('a branch to the end chooses no node', (t) => {
  const node = { kind: 'condition', branches: [{ condition: null, target: 'end' }] };
  t.deepEqual(enter(node), { do: 'complete', output: { target: 'end' }, targets: [] });
});

test('without branches its edges are its branches', (t) => {
  const edges = [
    { from: 'n', to: 'a', condition: 'state.x' },
    { from: 'n', to: 'b' },
  ];
  t.deepEqual(enter({ kind: 'condition' }, { edges, state: { x: true } }), chosen('a'));
  t.deepEqual(enter({ kind: 'condition' }, { edges }), chosen('b'));
});

test('an expression that fails fails the node and is quoted', (t) => {
  const node = { kind: 'condition', branches: [{ condition: 'state.x > 2', target: 'a' }] };
  const entry = enter(node);
  t.like(entry, { do: 'fail', errorClass: 'expression_error' });
  t.true(entry.do === 'fail' && entry.error.includes('state.x > 2'));
});

test('branches that cannot be read are refused, each where it stands', (t) => {
  t.deepEqual(nodeProblems({ kind: 'condition' }), [
    '/branches: missing branches: must be a list of branches {condition, target}',
  ]);
  const branches = [5, { condition: 7, target: 'other' }, { condition: 'true' }, { target: 'no' }];
  t.deepEqual(nodeProblems({ kind: { type: 'condition', branches } }), [
    '/kind/branches/0: a branch must be an object {condition, target}',
    '/kind/branches/1/condition: must be an expression',
    '/kind/branches/2/target: missing target',
    '/kind/branches/3/target: there is no node "no"',
  ]);
});

test('its branches are control edges, and its other edges are none', (t) => {
  const plan = planOf({
    start_node: 'n',
    nodes: { n: { kind: 'condition', branches: [{ target: 'a' }] }, a: {}, b: {}, c: {} },
    edges: [
      { from: 'n', to: 'b' },
      { from: 'n', to: 'c', on: 'failure' },
    ],
  });
  t.deepEqual(plan.nodes.get('n')?.edges, [
    { to: 'c', on: 'failure', condition: null },
    { to: 'a', on: 'success', condition: null },
  ]);
  t.false(plan.reaches('n', 'b'));
});
