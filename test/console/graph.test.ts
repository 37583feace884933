import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';

import { compareGraphs } from '../../console/src/ui/workflow-graph/compare-graphs.ts';
import { readValues } from '../../console/src/ui/workflow-graph/decisions.ts';
import { stateOfEdge } from '../../console/src/ui/workflow-graph/edge-state.ts';
import type { NodeRun } from '../../console/src/ui/workflow-graph/node-run.ts';
import { END_ID, readGraph } from '../../console/src/ui/workflow-graph/read-graph.ts';
import { readWorkflow } from '../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url);

/** As `a → b` for each pair of nodes, in order. */
const pairs = (edges: readonly { readonly from: string; readonly to: string }[]) =>
  [...new Set(edges.map(({ from, to }) => `${from} → ${to}`))].toSorted();

test('the graph of every example has the nodes, the start and the edges of its plan', async (t) => {
  const names = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.json'));
  t.true(names.length > 20);
  for (const name of names) {
    const ir: unknown = JSON.parse(await readFile(new URL(name, EXAMPLES), 'utf8'));
    const read = readWorkflow({ ir, kinds: builtInKinds });
    if (!read.ok) throw new Error(`${name} is refused`);
    const graph = readGraph(read.ir);
    const nodes = graph.nodes.filter(({ id }) => id !== END_ID);
    t.deepEqual(nodes.map(({ id }) => id).toSorted(), [...read.plan.nodes.keys()].toSorted(), name);
    t.is(graph.nodes.find(({ isStart }) => isStart)?.id ?? null, read.plan.startNode, name);
    const planned = [...read.plan.nodes.values()].flatMap(({ id, edges }) =>
      edges.map(({ to }) => ({ from: id, to })),
    );
    const drawn = graph.edges.filter(({ kind }) => kind !== 'item' && kind !== 'undo');
    t.deepEqual(pairs(drawn), pairs(planned), name);
    const undos = [...read.plan.undos].map(([from, { nodeId: to }]) => ({ from, to }));
    t.deepEqual(pairs(graph.edges.filter(({ kind }) => kind === 'undo')), pairs(undos), name);
  }
});

test('a definition that is still written has the graph of what can be read', (t) => {
  const nodes = { a: { kind: 'pass' }, b: null, c: { kind: { type: 'map', node: 'a' } } };
  const edges = [{ source: 'a', target: 'b' }, { from: 'a', to: 'gone' }, { from: 'c' }, 7];
  const graph = readGraph({ nodes, edges });
  t.deepEqual(
    graph.nodes.map(({ id, kind }) => `${id} ${kind}`),
    ['a pass', 'b pass', 'c map'],
  );
  t.deepEqual(pairs(graph.edges), ['a → b', 'c → a']);
  for (const nothing of [null, 'text', [], { nodes: [] }]) {
    t.deepEqual(readGraph(nothing), { nodes: [], edges: [] });
  }
});

test('a comparison keeps what was removed and ignores the order of keys', (t) => {
  const before = readGraph({ nodes: { a: { x: 1, y: 2 }, b: {}, c: {} }, start_node: 'a' });
  const after = readGraph({ nodes: { a: { y: 2, x: 1 }, b: { x: 1 }, d: {} }, start_node: 'a' });
  t.deepEqual(Object.fromEntries(compareGraphs(before, after).changeOfNode), {
    a: 'same',
    b: 'changed',
    c: 'removed',
    d: 'added',
  });
});

test('an edge is taken, untaken or open as the nodes at its ends say', (t) => {
  const run = (status: string, from?: readonly string[]): NodeRun => ({
    status,
    attempts: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: ['completed', 'failed'].includes(status) ? '2026-01-01T00:00:01.000Z' : null,
    ...(from !== undefined && { from }),
  });
  const nodes = {
    choose: {
      kind: { type: 'condition', branches: [{ condition: 'x', target: 'yes' }, { target: 'no' }] },
    },
    yes: { fallback_node: 'rescue' },
    no: {},
    rescue: {},
  };
  const { edges } = readGraph({ nodes, start_node: 'choose' });
  const states = (runs: Readonly<Record<string, NodeRun>>) =>
    edges.map((edge) => `${edge.to}: ${stateOfEdge(edge, new Map(Object.entries(runs)))}`);
  t.deepEqual(states({}), ['yes: open', 'no: open', 'rescue: open']);
  t.deepEqual(states({ choose: run('completed'), yes: run('running', ['choose']) }), [
    'yes: taken',
    'no: untaken',
    'rescue: open',
  ]);
  const failed = { choose: run('completed'), yes: run('failed'), rescue: run('running', ['yes']) };
  t.deepEqual(states(failed), ['yes: taken', 'no: untaken', 'rescue: taken']);
  const passed = { choose: run('completed'), yes: run('completed') };
  t.deepEqual(states(passed), ['yes: taken', 'no: untaken', 'rescue: untaken']);
});

test('the values that conditions read come from the state', (t) => {
  const state = { total: 250, customer: { tier: 'gold' } };
  const conditions = [
    'state.total > 100 && state.customer.tier == "gold"',
    'state.gone > 1',
    '1 > 0',
  ];
  t.is(
    readValues(conditions, state),
    'state.total = 250, state.customer.tier = "gold", state.gone = null',
  );
  t.is(readValues(['input.total > 1'], state), null);
});
