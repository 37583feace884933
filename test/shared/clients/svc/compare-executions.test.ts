import test from 'ava';

import {
  compareExecutions,
  type ComparedExecution,
} from '../../../../src/shared/clients/svc/compare-executions.ts';
import type { WireEvent } from '../../../../src/shared/clients/svc/wire.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';

type Told = readonly [kind: string, nodeId: string | null, payload: JsonObject];

function make(id: string, told: readonly Told[], more: object = {}): ComparedExecution {
  const events = told.map(([kind, node_id, payload], index): WireEvent => ({
    sequence: index + 1,
    kind,
    node_id,
    payload,
    created_at: new Date(index * 1_000).toISOString(),
  }));
  return { execution: { execution_id: id, status: 'completed', state: {}, ...more }, events };
}

const began = (node: string): Told => ['NodeScheduled', node, { visit: 0 }];
const ended = (node: string, output?: JsonObject): Told => [
  'NodeCompleted',
  node,
  output === undefined ? { visit: 0 } : { visit: 0, output },
];
const started = (input: JsonObject): Told => ['WorkflowStarted', null, { input }];

const differences = (one: ComparedExecution, other: ComparedExecution) =>
  compareExecutions(one, other).visits.map(({ node_id, differs }) => [node_id, differs]);

test('the order of members makes no difference, and the first visit that differs is named', (t) => {
  const one = make('one', [
    started({ a: 1 }),
    began('x'),
    ended('x', { a: 1, b: [{ c: 2 }] }),
    began('y'),
    ended('y', { n: [1, 2] }),
    began('z'),
  ]);
  const other = make('other', [
    started({ a: 2 }),
    began('x'),
    ended('x', { b: [{ c: 2 }], a: 1 }),
    began('y'),
    ended('y', { n: [2, 1] }),
  ]);
  t.deepEqual(differences(one, other), [
    ['x', null],
    ['y', 'output'],
    ['z', 'only_one'],
  ]);
  const comparison = compareExecutions(one, other);
  t.deepEqual(comparison.parts_at, { node_id: 'y', visit: 0 });
  t.deepEqual(comparison.input, { differs: true, one: { a: 1 }, other: { a: 2 } });
  t.is(comparison.visits[1]?.one?.sequence, 5);
  t.is(compareExecutions(one, one).parts_at, null);
});

test('errors that both events leave out are unknown; one left out is another outcome', (t) => {
  const failed = (more: JsonObject): Told => ['NodeFailed', 'x', { visit: 0, ...more }];
  const large = make('one', [began('x'), failed({})]);
  t.deepEqual(differences(large, make('other', [began('x'), failed({})])), [['x', 'unknown']]);
  const short = make('other', [began('x'), failed({ error: 'closed' })]);
  t.deepEqual(differences(large, short), [['x', 'outcome']]);
});

test('a node whose id has blanks keeps its name and visit', (t) => {
  const one = make('one', [began('ask a person'), ended('ask a person', { a: 1 })]);
  const other = make('other', [began('ask a person'), ended('ask a person', { a: 2 })]);
  t.deepEqual(compareExecutions(one, other).parts_at, { node_id: 'ask a person', visit: 0 });
});

test('outputs that both events leave out are unknown; one left out is another output', (t) => {
  const large = make('one', [began('x'), ended('x'), began('y'), ended('y')]);
  const other = make('other', [began('x'), ended('x'), began('y'), ended('y', { a: 1 })]);
  t.deepEqual(differences(large, other), [
    ['x', 'unknown'],
    ['y', 'output'],
  ]);
  t.deepEqual(compareExecutions(large, other).parts_at, { node_id: 'y', visit: 0 });
  t.is(compareExecutions(large, other).input.differs, null);
});

test('a retry keeps what its original completed, and runs again what failed', (t) => {
  const original = make('one', [
    began('x'),
    ended('x', { a: 1 }),
    began('y'),
    ['NodeFailed', 'y', { visit: 0, error: 'closed', retryable: false }],
  ]);
  const retriedFrom = { retried_from: { execution_id: 'one', sequence: 4 } };
  const retry = make('two', [began('y'), ended('y', { b: 1 })], retriedFrom);
  t.deepEqual(differences(original, retry), [
    ['x', null],
    ['y', 'outcome'],
  ]);
  t.is(compareExecutions(original, retry).visits[0]?.other?.outcome, 'kept');
  const begun = make('three', [], retriedFrom);
  t.deepEqual(differences(original, begun), [
    ['x', null],
    ['y', 'only_one'],
  ]);
});

test('a key that one state lacks differs from a null', (t) => {
  const one = make('one', [], { state: { same: null, gone: null, set: null } });
  const other = make('other', [], { state: { same: null, new: null, set: 1 } });
  t.deepEqual(compareExecutions(one, other).state, [
    { key: 'gone', one: null, other: null, absent_in: 'other' },
    { key: 'set', one: null, other: 1, absent_in: null },
    { key: 'new', one: null, other: null, absent_in: 'one' },
  ]);
});
