import test from 'ava';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type { PlanNode } from '../../../../../src/shared/domain/workflow/plan/plan.ts';
import { accept, lines } from '../read.ts';

function nodeOf(ir: JsonObject, id = 'n'): PlanNode {
  const node = accept(ir).plan.nodes.get(id);
  if (node === undefined) throw new Error(`the plan has no node ${id}`);
  return node;
}

const startOf = (ir: JsonObject): string | null => accept(ir).plan.startNode;
const warningsOf = (ir: JsonObject): readonly string[] => lines(accept(ir).warnings);

test('a node that says nothing gets the defaults', (t) => {
  t.like(nodeOf({ nodes: { n: {} } }), {
    id: 'n',
    edges: [],
    predecessors: [],
    waitFor: null,
    reachable: true,
    bodyOf: null,
    outputKey: null,
    inputMapping: null,
    nodeTimeoutMs: 300_000,
    scheduleToStartMs: null,
    heartbeatIntervalMs: 10_000,
    approvalTimeoutMs: null,
    retryPolicy: {
      maxAttempts: 3,
      backoff: 'exponential',
      initialDelayMs: 1_000,
      maxDelayMs: 60_000,
      jitter: true,
      retryableOn: null,
      nonRetryableOn: [],
    },
  });
});

test('the workflow sets timeouts for all nodes, and a node its own', (t) => {
  const ir = {
    start_node: 'n',
    nodes: { n: { node_timeout_secs: '90s' }, m: {} },
    timeouts: {
      node_timeout: '10m',
      workflow_timeout_secs: 3600,
      heartbeat_interval: 5,
      approval_timeout: '7d',
      schedule_to_start: '1.5s',
    },
  };
  const shared = { heartbeatIntervalMs: 5_000, approvalTimeoutMs: 604_800_000 };
  t.like(nodeOf(ir), { nodeTimeoutMs: 90_000, scheduleToStartMs: 1_500, ...shared });
  t.like(nodeOf(ir, 'm'), { nodeTimeoutMs: 600_000, ...shared });
  t.is(accept(ir).plan.workflowTimeoutMs, 3_600_000);
});

test('a heartbeat interval near the lease is cut, and warned about', (t) => {
  const ir = { nodes: { n: {} }, timeouts: { heartbeat_interval: 30 } };
  t.is(nodeOf(ir).heartbeatIntervalMs, 10_000);
  t.regex(warningsOf(ir)[0] ?? '', /^\/timeouts\/heartbeat_interval: heartbeats are asked for/);
});

test('a retry policy is one by name, one of the workflow first, or written at the node', (t) => {
  const policies = {
    io_default: { max_attempts: 9 },
    mine: { backoff: 'linear', max_delay: '5m' },
  };
  const policyOf = (policy: JsonObject | string | null) =>
    nodeOf({ nodes: { n: { retry_policy: policy } }, retry_policies: policies }).retryPolicy;
  t.is(policyOf('no_retry').maxAttempts, 1);
  t.is(policyOf('llm_default').maxAttempts, 3);
  t.is(policyOf('io_default').maxAttempts, 9);
  t.like(policyOf('mine'), { maxAttempts: 3, backoff: 'linear', maxDelayMs: 300_000 });
  const inline = {
    max_attempts: 2,
    backoff: 'fixed',
    initial_delay: '500ms',
    max_delay_secs: 2,
    jitter: false,
    retryable_on: ['timeout'],
    non_retryable_on: ['auth'],
  };
  t.deepEqual(policyOf(inline), {
    maxAttempts: 2,
    backoff: 'fixed',
    initialDelayMs: 500,
    maxDelayMs: 2_000,
    jitter: false,
    retryableOn: ['timeout'],
    nonRetryableOn: ['auth'],
  });
});

test('the start is start_node, else the node start, else the only one nothing leads to', (t) => {
  const nodes = { a: {}, b: {}, start: {} };
  t.is(startOf({ nodes, start_node: 'b' }), 'b');
  t.is(startOf({ nodes }), 'start');
  t.is(startOf({ nodes: { a: {}, b: {} }, edges: [{ from: 'b', to: 'a' }] }), 'b');
  t.is(startOf({}), null);
});

test('the start is found in spite of branches, fallbacks, joins, bodies and loops', (t) => {
  const nodes = {
    other: {},
    body: {},
    go: { kind: 'condition', branches: [{ target: 'm' }], fallback_node: 'other' },
    m: { kind: 'map', items: [], node: 'body' },
    j: { kind: 'join', wait_for: ['m', 'other'] },
  };
  t.is(startOf({ nodes, edges: [{ from: 'go', to: 'go', on: 'failure' }] }), 'go');
});

test('predecessors are the distinct nodes with a control edge, and reaches follows all of them', (t) => {
  const { plan } = accept({
    start_node: 'a',
    nodes: { a: {}, b: { fallback_node: 'd' }, c: {}, d: {} },
    edges: [
      { from: 'a', to: 'b', condition: 'state.x' },
      { from: 'a', to: 'b', condition: 'state.y' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'd' },
      { from: 'c', to: 'a' },
      { from: 'd', to: 'end' },
    ],
  });
  t.is(plan.nodes.get('a')?.edges.length, 3);
  t.deepEqual(plan.nodes.get('b')?.predecessors, ['a']);
  t.deepEqual(plan.nodes.get('d')?.predecessors, ['b']);
  t.deepEqual(
    ['a', 'b', 'c', 'd', 'end', 'none'].map((to) => plan.reaches('a', to)),
    [true, true, true, true, false, false],
  );
  t.true(plan.reaches('c', 'c'));
  t.false(plan.reaches('b', 'b'));
  t.false(plan.reaches('none', 'a'));
});

test('the body of a map takes no part in routing', (t) => {
  const { plan, warnings } = accept({
    nodes: { m: { kind: 'map', items: [], node: 'b' }, b: { fallback_node: 'c' }, c: {} },
    edges: [
      { from: 'b', to: 'c' },
      { from: 'm', to: 'c' },
    ],
  });
  t.deepEqual(plan.nodes.get('b')?.edges, []);
  t.is(plan.nodes.get('b')?.bodyOf, 'm');
  t.false(plan.reaches('m', 'b'));
  t.false(plan.reaches('b', 'c'));
  t.deepEqual(lines(warnings), [
    '/edges/0: never taken: "b" is the body of "m", which continues instead',
    '/nodes/b/fallback_node: never taken: the node is the body of "m"',
  ]);
});

test('a member without its apparent effect gets a warning', (t) => {
  t.deepEqual(warningsOf({ nodes: {}, state_schema: 'schemas.Order' }), [
    '/state_schema: a reference is kept but not resolved: input is not validated',
  ]);
  const branches = [{ target: 'b' }, { condition: null, target: 'c' }];
  const nodes = { a: { kind: 'condition', branches }, b: {}, c: {}, d: {}, e: {} };
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'd' },
    { from: 'd', to: 'e' },
  ];
  t.deepEqual(warningsOf({ start_node: 'a', nodes, edges }), [
    '/nodes/a/branches/1/target: never taken: there is an earlier branch without condition',
    '/edges/1: never taken: the branches of "a" decide, and "d" is none of their targets',
    '/nodes/d: never runs: nothing leads here from the start node "a"',
    '/nodes/e: never runs: nothing leads here from the start node "a"',
  ]);
  const schema = { kind: { type: 'python_fn', module: 'm', function: 'f', output_schema: 'ref' } };
  t.deepEqual(warningsOf({ nodes: { a: schema } }), [
    '/nodes/a/kind/output_schema: is a reference, kept as it is: outputs are not checked against it',
  ]);
});

test('a state schema that is an object goes into the plan', (t) => {
  t.deepEqual(accept({ state_schema: { type: 'object' } }).plan.stateSchema, { type: 'object' });
  t.is(accept({ state_schema: 'ref' }).plan.stateSchema, null);
});
