import test from 'ava';
import { enter, nodeProblems } from '../enter.ts';

const started = (...targets: string[]) => ({ do: 'complete', output: { targets }, targets });

test('every branch is started', (t) => {
  t.deepEqual(enter({ kind: 'parallel', branches: ['a', { target: 'b' }] }), started('a', 'b'));
});

test('other edges are taken too: those without a condition always, the rest when it holds', (t) => {
  const edges = [
    { from: 'n', to: 'a' },
    { from: 'n', to: 'c', condition: 'state.x' },
    { from: 'n', to: 'end' },
  ];
  const node = { kind: 'parallel', branches: ['b'] };
  t.deepEqual(enter(node, { edges, state: { x: 1 } }), started('a', 'c', 'b'));
  t.deepEqual(enter(node, { edges }), started('a', 'b'));
});

test('without branches its edges are its branches', (t) => {
  t.deepEqual(enter({ kind: 'parallel' }, { edges: [{ from: 'n', to: 'a' }] }), started('a'));
});

test('an edge condition that fails fails the node', (t) => {
  const edges = [{ from: 'n', to: 'a', condition: 'null > 1' }];
  t.like(enter({ kind: 'parallel' }, { edges }), { do: 'fail', errorClass: 'expression_error' });
});

test('branches that cannot be read are refused', (t) => {
  t.deepEqual(nodeProblems({ kind: 'parallel' }), [
    '/branches: missing branches: must be a list of node ids',
  ]);
  t.deepEqual(nodeProblems({ kind: 'parallel', branches: [1, 'no', 'other'] }), [
    '/branches/0: must be the id of a node',
    '/branches/1: there is no node "no"',
  ]);
});
