import test from 'ava';

import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { compilePlan } from '../../../../../src/shared/domain/workflow/plan/compile-plan.ts';
import { outputKeyOf } from '../../../../../src/shared/domain/workflow/plan/output-key.ts';
import { builtInKinds } from '../../../../../src/shared/nodes/index.ts';

const key = (nodes: JsonObject, more: JsonObject = {}) =>
  outputKeyOf(compilePlan({ workflow_id: 'w', version: '1', nodes, ...more }, builtInKinds));
const pass = (outputKey: string | null): JsonObject => ({ kind: 'pass', output_key: outputKey });

test('the output of a workflow is under the key of its last node', (t) => {
  t.is(key({ a: pass('x') }), 'x');
  t.is(key({ a: pass('x'), b: pass('y') }, { edges: [{ from: 'a', to: 'b' }] }), 'y');
});

test('without nodes, and without a key, the output is the whole state', (t) => {
  t.is(key({}), null);
  t.is(key({ a: pass(null) }), null);
});

test('nodes that may each be the last must agree on the key', (t) => {
  const start_node = 'a';
  const split = [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
  ];
  const ends = (b: string | null, c: string | null) =>
    key({ a: pass('x'), b: pass(b), c: pass(c) }, { start_node, edges: split });
  t.is(ends('y', 'y'), 'y');
  t.is(ends('y', 'z'), null);
  t.is(ends('y', null), null);
});

test('a node ends the workflow where its edges lead to the end, or may all be false', (t) => {
  const nodes = { a: pass('x'), b: pass('y') };
  t.is(key(nodes, { edges: [{ from: 'a', to: 'b', condition: 'state.more' }] }), null);
  const toEnd = [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'end' },
  ];
  t.is(key(nodes, { edges: toEnd }), null);
  const either = [
    { from: 'a', to: 'b', condition: 'state.more' },
    { from: 'a', to: 'b' },
  ];
  t.is(key(nodes, { edges: either }), 'y');
});

test('a fallback is an end beside the node that may fail', (t) => {
  const failure = { edges: [{ from: 'a', to: 'b', on: 'failure' }], start_node: 'a' };
  t.is(key({ a: pass('x'), b: pass('y') }, failure), null);
  t.is(key({ a: pass('x'), b: pass('x') }, failure), 'x');
});

test('bodies of maps, finalizers and nodes that nothing reaches say nothing', (t) => {
  const map = {
    kind: { type: 'map', items: '$.items', node: { id: 'body', ...pass('z') } },
    output_key: 'x',
  };
  const cleanup = { kind: { type: 'finalizer', tool_ref: 'free' }, output_key: 'done' };
  const tools = { free: { kind: 'python', reference: 'm:f' } };
  const nodes = { a: map, lost: pass('y'), cleanup };
  t.is(key(nodes, { start_node: 'a', tools }), 'x');
});
