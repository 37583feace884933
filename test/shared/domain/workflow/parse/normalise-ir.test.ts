import test from 'ava';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { accept } from '../read.ts';

const PYTHON = { type: 'python_fn', module: 'm', function: 'f' };
const nodeOf = (node: JsonObject): unknown => accept({ nodes: { n: node } }).ir.nodes['n'];

const WAYS_TO_WRITE_A_NODE: readonly JsonObject[] = [
  { kind: PYTHON, retry_policy: 'no_retry', output_key: 'k' },
  { id: 'n', kind: { ...PYTHON, type: 'python_tool' }, retry_policy: 'no_retry', output_key: 'k' },
  { kind: 'python_fn', module: 'm', function: 'f', retry_policy: 'no_retry', output_key: 'k' },
  { type: 'python_fn', module: 'm', function: 'f', retry_policy: 'no_retry', output_key: 'k' },
  { type: PYTHON, retry_policy: 'no_retry', output_key: 'k' },
  {
    kind: null,
    type: 'python_tool',
    module: 'm',
    function: 'f',
    retry_policy: 'no_retry',
    output_key: 'k',
  },
  { kind: { ...PYTHON, retry_policy: 'no_retry', output_key: 'k' } },
  {
    kind: { type: 'python_fn', module: 'm', output_schema: null },
    function: 'f',
    retry_policy: 'no_retry',
    output_key: 'k',
    node_timeout_secs: null,
  },
];

for (const node of WAYS_TO_WRITE_A_NODE) {
  test(`one form is stored for ${JSON.stringify(node)}`, (t) => {
    t.deepEqual(nodeOf(node), { id: 'n', kind: PYTHON, retry_policy: 'no_retry', output_key: 'k' });
  });
}

test('a node without a kind is a pass', (t) => {
  t.deepEqual(nodeOf({}), { id: 'n', kind: { type: 'pass' } });
});

test('timeout_secs is the timeout of a node, except where a kind has it for itself', (t) => {
  const normal = { id: 'n', kind: PYTHON, node_timeout_secs: '5m' };
  t.deepEqual(nodeOf({ kind: PYTHON, timeout_secs: '5m' }), normal);
  t.deepEqual(nodeOf({ kind: { ...PYTHON, timeout_secs: '5m' } }), normal);
  t.deepEqual(nodeOf({ kind: 'wait', timeout_secs: 5 }), {
    id: 'n',
    kind: { type: 'wait', timeout_secs: 5 },
  });
});

test('a description stays with the node, and belongs to an approval', (t) => {
  t.deepEqual(nodeOf({ kind: 'pass', description: 'd' }), {
    id: 'n',
    kind: { type: 'pass' },
    description: 'd',
  });
  t.deepEqual(nodeOf({ kind: 'human_approval', description: 'd' }), {
    id: 'n',
    kind: { type: 'human_approval', description: 'd' },
  });
});

test('edges are stored one way', (t) => {
  const { edges } = accept({
    start_node: 'a',
    nodes: { a: {}, b: {} },
    edges: [
      { source: 'a', target: 'b', condition: null, on: 'success', label: 'x' },
      { from: 'a', to: 'b', condition: ' true ' },
      { from: 'a', to: 'end', condition: true, on: null },
      { from: 'a', to: 'b', condition: 'state.x', on: 'failure' },
      { from: 'a', to: 'b', condition: false },
    ],
  }).ir;
  t.deepEqual(edges, [
    { label: 'x', from: 'a', to: 'b' },
    { from: 'a', to: 'b' },
    { from: 'a', to: 'end' },
    { from: 'a', to: 'b', on: 'failure', condition: 'state.x' },
    { from: 'a', to: 'b', condition: 'false' },
  ]);
});

test('missing members are filled in, null says the same, unknown keys stay', (t) => {
  const nulls = { start_node: null, timeouts: null, models: null, policy: null, labels: null };
  t.deepEqual(accept({ version: null, nodes: null, edges: null, ...nulls, extra: null }).ir, {
    workflow_id: 'w',
    version: '1.0.0',
    nodes: {},
    edges: [],
    extra: null,
  });
  const kept = {
    models: { a: { provider: 'p', model: 'm' } },
    labels: { team: 'x' },
    extra: [{ b: null }],
  };
  t.like(accept(kept).ir, kept);
  t.like(nodeOf({ labels: { a: 'b' }, kind: { type: 'pass', note: 1 } }), {
    labels: { a: 'b' },
    kind: { type: 'pass', note: 1 },
  });
});

test('a node written inside a map is taken out, under its own id if it has one', (t) => {
  const mapOf = (node: JsonObject) =>
    accept({ nodes: { m: { kind: { type: 'map', items: [], node } } } }).ir.nodes;
  t.deepEqual(mapOf({ kind: PYTHON }), {
    m: { id: 'm', kind: { type: 'map', items: [], node: 'm.item' } },
    'm.item': { id: 'm.item', kind: PYTHON },
  });
  t.deepEqual(Object.keys(mapOf({ id: 'each' })), ['m', 'each']);
});

test('definitions that say the same have the same hash, others have not', (t) => {
  const hashOf = (ir: JsonObject) => accept(ir).irHash;
  const hash = hashOf({ nodes: { a: { kind: PYTHON }, b: {} }, edges: [{ from: 'a', to: 'b' }] });
  t.regex(hash, /^[0-9a-f]{64}$/);
  const same = { edges: [{ target: 'b', source: 'a' }], version: '1.0.0', name: null };
  t.is(hashOf({ ...same, nodes: { b: { kind: 'pass' }, a: { ...PYTHON } } }), hash);
  t.not(hashOf({ nodes: { a: { kind: PYTHON }, b: {} }, edges: [{ from: 'b', to: 'a' }] }), hash);
});
