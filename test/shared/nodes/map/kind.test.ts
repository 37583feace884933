import test from 'ava';
import { enter, nodeProblems, planOf } from '../enter.ts';

const BODY = { kind: 'pass', output: 'input.item' };

test('one run of its node for each item', (t) => {
  const node = { kind: { type: 'map', items: 'state.rows', node: 'a' } };
  t.deepEqual(enter(node, { state: { rows: [1, 2] } }), {
    do: 'map',
    items: [1, 2],
    body: 'a',
    itemKey: 'item',
    maxConcurrency: 100,
    onItemFailure: 'fail',
  });
});

test('items may be an expression, a path, or a list', (t) => {
  const state = { rows: [1, 2, 3] };
  const itemsOf = (items: string | readonly (number | string)[]) =>
    enter({ kind: 'map', items, node: 'a' }, { state });
  t.like(itemsOf('state.rows.filter(r, r > 1)'), { items: [2, 3] });
  t.like(itemsOf('$.rows'), { items: [1, 2, 3] });
  t.like(itemsOf([5, '$.rows[0]']), { items: [5, 1] });
});

test('a node written inside becomes a node of its own', (t) => {
  const plan = planOf({ nodes: { m: { kind: { type: 'map', items: [], node: BODY } } } });
  t.is(plan.startNode, 'm');
  t.is(plan.nodes.get('m.item')?.bodyOf, 'm');
  t.true(plan.nodes.get('m.item')?.reachable);
});

test('items that are no list, or too many, fail the node', (t) => {
  const node = { kind: 'map', items: '$.rows', node: 'a' };
  t.like(enter(node), { do: 'fail', errorClass: 'invalid_value' });
  const rows = Array.from({ length: 10_001 }, () => 0);
  const entry = enter(node, { state: { rows } });
  t.like(entry, { do: 'fail', error: 'a map of 10001 items, and 10000 are the most' });
  t.like(enter({ ...node, items: '1 / 0' }), { do: 'fail', errorClass: 'expression_error' });
});

test('fields out of range are refused, each where it stands', (t) => {
  t.deepEqual(nodeProblems({ kind: 'map' }), ['/items: missing items', '/node: missing node']);
  const kind = {
    type: 'map',
    items: 'a +',
    node: 'no',
    item_key: 3,
    max_concurrency: 0,
    on_item_failure: 'skip',
  };
  const problems = nodeProblems({ kind });
  t.is(problems.length, 4);
  t.regex(problems[0] ?? '', /^\/kind\/items: .*syntax error/);
  t.deepEqual(problems.slice(1), [
    '/kind/item_key: must be a string',
    '/kind/on_item_failure: must be one of fail, collect',
    '/kind/max_concurrency: must be a whole number from 1 to 10000',
  ]);
  t.deepEqual(nodeProblems({ kind: 'map', items: [], node: 'no' }), [
    '/node: there is no node "no"',
  ]);
  t.deepEqual(nodeProblems({ kind: 'map', items: [], node: 'other', item_key: 'constructor' }), [
    '/item_key: the name constructor is not allowed',
  ]);
});

test('a workflow for each item is the body, and its parts stand where the author wrote them', (t) => {
  const nested = { type: 'map', items: [], workflow_ref: 'other', output_mapping: { expr: '1 +' } };
  t.deepEqual(nodeProblems({ kind: { type: 'map', items: [], workflow_ref: 'other' } }), []);
  t.regex(nodeProblems({ kind: nested })[0] ?? '', /^\/kind\/output_mapping\/expr: /);
  t.regex(nodeProblems({ ...nested, kind: 'map' })[0] ?? '', /^\/output_mapping\/expr: /);
  t.deepEqual(nodeProblems({ kind: { ...nested, workflow_ref: 1, output_mapping: null } }), [
    '/kind/workflow_ref: must be a string',
  ]);
  t.deepEqual(nodeProblems({ kind: { ...nested, node: 'other' } }), [
    '/kind/workflow_ref: node or workflow_ref, not both',
  ]);
});
