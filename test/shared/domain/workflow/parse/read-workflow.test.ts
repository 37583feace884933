import test from 'ava';
import { accept, problemsOf, read } from '../read.ts';

const node = (fields: object) => ({ workflow_id: 'w', start_node: 'n', nodes: { n: fields } });
const edge = (fields: unknown) => ({
  workflow_id: 'w',
  start_node: 'n',
  nodes: { n: {}, o: {} },
  edges: [fields],
});
const deep = JSON.parse(`${'['.repeat(80)}1${']'.repeat(80)}`) as unknown;

const REFUSED: readonly (readonly [string, unknown, ...string[]])[] = [
  ['nothing', undefined, ': missing ir.workflow_id'],
  ['null', null, ': missing ir.workflow_id'],
  ['a list', [], ': ir must be an object'],
  ['text', 'w', ': ir must be an object'],
  ['no workflow_id', {}, '/workflow_id: missing ir.workflow_id'],
  ['an empty workflow_id', { workflow_id: '' }, '/workflow_id: missing ir.workflow_id'],
  ['a workflow_id of another type', { workflow_id: 7 }, '/workflow_id: must be a string'],
  [
    'a workflow_id that is too long',
    { workflow_id: 'é'.repeat(257) },
    '/workflow_id: must not be longer than 512 bytes',
  ],
  ['an empty version', { workflow_id: 'w', version: '' }, '/version: must not be empty'],
  ['a version of another type', { workflow_id: 'w', version: 1 }, '/version: must be a string'],
  [
    'a list of nodes',
    { workflow_id: 'w', nodes: [] },
    '/nodes: must be an object of nodes by their ids',
  ],
  ['an object of edges', { workflow_id: 'w', edges: {} }, '/edges: must be a list of edges'],
  [
    'keys of the wrong type',
    { workflow_id: 'w', name: 1, models: [], timeouts: 5, retry_policies: '', state_schema: 3 },
    '/retry_policies: must be an object',
    '/timeouts: must be an object',
    '/models: must be an object',
    '/name: must be a string',
    '/state_schema: must be a JSON Schema object, or a string that refers to one',
  ],
  [
    'an output key that reaches a prototype',
    node({ output_key: '__proto__' }),
    '/nodes/n/output_key: the key __proto__ is not allowed',
  ],
  [
    'an output key that is too long',
    node({ output_key: 'k'.repeat(513) }),
    '/nodes/n/output_key: a key longer than 512 bytes is not allowed',
  ],
  ['a node that is no object', node([]), '/nodes/n: a node must be an object'],
  [
    'another id than the key',
    node({ id: 'm' }),
    '/nodes/n/id: must equal the key of the node, "n"',
  ],
  ['an unknown kind', node({ kind: 'x' }), '/nodes/n/kind: unknown kind "x"'],
  [
    'an unknown kind in an object',
    node({ kind: { type: 'x' } }),
    '/nodes/n/kind/type: unknown kind "x"',
  ],
  ['a kind without a type', node({ kind: {} }), '/nodes/n/kind/type: missing the type of the node'],
  ['a type that is no text', node({ kind: { type: 1 } }), '/nodes/n/kind/type: must be a string'],
  [
    'a kind of another type',
    node({ type: 4 }),
    '/nodes/n/type: must be the type of the node, or an object with its type',
  ],
  [
    'fields of the wrong type',
    node({ output_key: '', node_timeout_secs: 0, fallback_node: 1, retry_policy: 5 }),
    '/nodes/n/output_key: must be a string that is not empty',
    '/nodes/n/retry_policy: must be the name of a retry policy, or one as an object',
    '/nodes/n/node_timeout_secs: must be more than 0 and at most 10 years: seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
    '/nodes/n/fallback_node: must be a string that is not empty',
  ],
  [
    'a timeout under its other name',
    node({ timeout_secs: 'soon' }),
    '/nodes/n/timeout_secs: must be more than 0 and at most 10 years: seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
  ],
  [
    'an unknown retry policy',
    node({ retry_policy: 'often' }),
    '/nodes/n/retry_policy: unknown retry policy: known are no_retry, io_default, llm_default',
  ],
  [
    'a retry policy out of range',
    node({
      retry_policy: {
        max_attempts: 0,
        backoff: 'none',
        initial_delay: -1,
        max_delay: 'long',
        jitter: 1,
        retryable_on: 'timeout',
        non_retryable_on: [1],
      },
    }),
    '/nodes/n/retry_policy/max_attempts: must be a whole number from 1 to 1000',
    '/nodes/n/retry_policy/backoff: must be one of fixed, linear, exponential',
    '/nodes/n/retry_policy/initial_delay: must be seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
    '/nodes/n/retry_policy/max_delay: must be seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
    '/nodes/n/retry_policy/jitter: must be true or false',
    '/nodes/n/retry_policy/retryable_on: must be a list of error classes',
    '/nodes/n/retry_policy/non_retryable_on: must be a list of error classes',
  ],
  [
    'a named retry policy that is wrong, used or not',
    { workflow_id: 'w', retry_policies: { 'a/b': { max_attempts: 1001 }, c: 5 } },
    '/retry_policies/a~1b/max_attempts: must be a whole number from 1 to 1000',
    '/retry_policies/c: a retry policy must be an object',
  ],
  [
    'timeouts out of range',
    { workflow_id: 'w', timeouts: { node_timeout: 0, workflow_timeout_secs: '1y' } },
    '/timeouts/node_timeout: must be more than 0 and at most 10 years: seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
    '/timeouts/workflow_timeout_secs: must be more than 0 and at most 10 years: seconds as a number, or text like "500ms", "2s", "5m", "1h", "7d"',
  ],
  ['an edge that is no object', edge('n'), '/edges/0: an edge must be an object'],
  [
    'an edge without ends',
    edge({}),
    '/edges/0/from: missing from: the id of a node',
    '/edges/0/to: missing to: the id of a node',
  ],
  [
    'an edge from a number',
    edge({ source: 1, to: 'o' }),
    '/edges/0/source: must be the id of a node',
  ],
  ['an edge from nowhere', edge({ source: 'x', to: 'o' }), '/edges/0/source: there is no node "x"'],
  ['an edge to nowhere', edge({ from: 'n', target: 'x' }), '/edges/0/target: there is no node "x"'],
  ['an edge from the end', edge({ from: 'end', to: 'n' }), '/edges/0/from: nothing follows "end"'],
  [
    'an edge on something',
    edge({ from: 'n', to: 'o', on: 'x' }),
    '/edges/0/on: must be success or failure',
  ],
  [
    'a condition that is no text',
    edge({ from: 'n', to: 'o', condition: 1 }),
    '/edges/0/condition: must be an expression',
  ],
  ['an unknown start_node', { ...node({}), start_node: 'x' }, '/start_node: there is no node "x"'],
  [
    'a start_node that is the end',
    { ...node({}), start_node: 'end' },
    '/start_node: there is no node "end"',
  ],
  [
    'several possible starts',
    { workflow_id: 'w', nodes: { a: {}, b: {} } },
    '/start_node: missing start_node, and 2 nodes have no edge leading to them: "a", "b"',
  ],
  [
    'no possible start',
    {
      workflow_id: 'w',
      nodes: { a: {}, b: {} },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    },
    '/start_node: missing start_node, and every node has an edge leading to it',
  ],
  [
    'a node named end',
    { workflow_id: 'w', nodes: { end: {} } },
    '/nodes/end: "end" ends a path and cannot be a node; name it otherwise',
  ],
  ['a node without a name', { workflow_id: 'w', nodes: { '': {} } }, '/nodes/: must not be empty'],
  [
    'names that reach a prototype',
    node({ labels: { constructor: 1 } }),
    '/nodes/n/labels/constructor: the name constructor is not allowed',
  ],
  ['U+0000', node({ description: 'a\0b' }), '/nodes/n/description: holds the character U+0000'],
  ['a lone surrogate', { workflow_id: 'w', name: 'a\ud800' }, '/name: holds a lone surrogate'],
  [
    'a name with U+0000',
    node({ labels: { '\0': 1 } }),
    '/nodes/n/labels/\0: holds the character U+0000',
  ],
  [
    'numbers that would be rounded',
    node({ output: 2 ** 60 }),
    '/nodes/n/output: a number outside ±(2^53 − 1)',
  ],
  ['what is no JSON', { workflow_id: 'w', x: [1n] }, '/x/0: bigint is not JSON'],
  ['a number that is no JSON', { workflow_id: 'w', x: Number.NaN }, '/x: NaN is not JSON'],
  [
    'too deep a nesting',
    { workflow_id: 'w', x: deep },
    `/x${'/0'.repeat(63)}: nested deeper than 64`,
  ],
  [
    'a body that is no node, or cannot be one',
    {
      workflow_id: 'w',
      start_node: 'm',
      nodes: {
        m: { kind: 'map', items: [], node: 'x' },
        m2: { kind: 'map', items: [], node: 'm' },
        m3: { kind: 'map', items: [], node: { kind: 'wait', timeout_secs: 1 } },
        'm4.item': {},
        m4: { kind: 'map', items: [], node: {} },
        m5: { kind: 'map', items: [], node: 'b' },
        m6: { kind: 'map', items: [], node: 'b' },
        b: {},
      },
    },
    '/nodes/m4/node: there is already a node "m4.item"',
    '/nodes/m/node: there is no node "x"',
    '/nodes/m2/node: a map node cannot run as the body of a map',
    '/nodes/m3/node: a wait node cannot run as the body of a map',
    '/nodes/m6/node: "b" is already the body of "m5"',
  ],
  [
    'ways into the body of a map',
    {
      workflow_id: 'w',
      start_node: 'b',
      nodes: {
        m: { kind: 'map', items: [], node: 'b' },
        b: {},
        c: { kind: 'condition', branches: [{ target: 'b' }] },
        j: { kind: 'join', wait_for: ['b'] },
      },
      edges: [{ from: 'm', to: 'b' }],
    },
    '/edges/0/to: "b" is the body of "m": lead to the map instead',
    '/nodes/c/branches/0/target: "b" is the body of "m": lead to the map instead',
    '/nodes/j/wait_for/0: "b" is the body of a map: wait for the map instead',
    '/start_node: "b" is the body of a map',
  ],
  [
    'a join that waits for a condition that never leads to it',
    {
      workflow_id: 'w',
      start_node: 'c',
      nodes: {
        c: { kind: 'condition', branches: [{ target: 'a' }] },
        a: {},
        j: { kind: 'join', wait_for: ['a', 'c'] },
      },
    },
    '/nodes/j/wait_for/1: no branch of "c" leads here, so it would never arrive',
  ],
];

for (const [title, ir, ...expected] of REFUSED) {
  test(`refused, with place and reason: ${title}`, (t) => {
    t.deepEqual(problemsOf(ir), expected);
  });
}

test('a syntax error is refused with the expression and the position', (t) => {
  t.regex(
    problemsOf(edge({ from: 'n', to: 'o', condition: 'state. >' }))[0] ?? '',
    /^\/edges\/0\/condition: .*state\. >.*column 8/,
  );
  const branches = [{ condition: '1 +', target: 'n' }];
  t.regex(
    problemsOf(node({ kind: { type: 'condition', branches } }))[0] ?? '',
    /^\/nodes\/n\/kind\/branches\/0\/condition: .*1 \+.*column/,
  );
  t.regex(
    problemsOf(node({ input_mapping: { 'a/b': { expr: '(' } } }))[0] ?? '',
    /^\/nodes\/n\/input_mapping\/a~1b\/expr: /,
  );
});

test('keys that reach a prototype are refused as they come out of a JSON parser', (t) => {
  const ir = JSON.parse('{"workflow_id":"w","nodes":{"__proto__":{},"prototype":{"__proto__":1}}}');
  t.deepEqual(problemsOf(ir), [
    '/nodes/__proto__: the name __proto__ is not allowed',
    '/nodes/prototype: the name prototype is not allowed',
    '/nodes/prototype/__proto__: the name __proto__ is not allowed',
    '/start_node: missing start_node, and 2 nodes have no edge leading to them: "__proto__", "prototype"',
  ]);
});

test('ids longer than 512 bytes are refused, of 512 bytes accepted', (t) => {
  const long = 'x'.repeat(513);
  t.true(problemsOf({ workflow_id: 'w', nodes: { [long]: {} } }).length > 0);
  t.true(read({ workflow_id: 'w', nodes: { ['x'.repeat(512)]: {} } }).ok);
});

test('more than 10 000 nodes or 50 000 edges are refused', (t) => {
  const nodes = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`n${n}`, {}]));
  t.deepEqual(problemsOf({ workflow_id: 'w', nodes }), [
    '/nodes: 10001 nodes, and 10000 are the most',
  ]);
  const edges = Array.from({ length: 50_001 }, () => ({ from: 'n', to: 'n' }));
  t.deepEqual(problemsOf({ ...node({}), edges }), ['/edges: 50001 edges, and 50000 are the most']);
});

test('edges that branches imply count too', (t) => {
  const targets = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`t${n}`, {}]));
  const branches = Object.keys(targets);
  const splits = Array.from({ length: 167 }, (_, n) => [`s${n}`, { kind: 'parallel', branches }]);
  const ir = {
    workflow_id: 'w',
    start_node: 's0',
    nodes: { ...targets, ...Object.fromEntries(splits) },
  };
  t.deepEqual(problemsOf(ir), [
    '/edges: 50100 edges with those that branches imply, and 50000 are the most',
  ]);
});

test('all problems are reported together, and at most a hundred in full', (t) => {
  const edges = Array.from({ length: 150 }, () => ({ from: 'n', to: 'x' }));
  const problems = problemsOf({ nodes: { n: { kind: 'someday' } }, edges });
  t.is(problems.length, 101);
  t.is(problems[0], '/workflow_id: missing ir.workflow_id');
  t.is(problems[1], '/nodes/n/kind: unknown kind "someday"');
  t.is(problems[100], ': 52 more of the like');
});

test('an empty definition is accepted and has nothing to do', (t) => {
  const { plan, warnings } = accept({});
  t.is(plan.workflowId, 'w');
  t.is(plan.version, '1.0.0');
  t.is(plan.startNode, null);
  t.is(plan.nodes.size, 0);
  t.deepEqual(warnings, []);
});
