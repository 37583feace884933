import { formatDuration } from '../data/format-time.ts';
import type { Change } from './compare-graphs.ts';
import { stateOfEdge } from './edge-state.ts';
import type { NodeRun } from './node-run.ts';
import { END_ID, type Graph, type GraphEdge, type GraphNode } from './read-graph.ts';

/** A node in words: its kind, how it went and where it leads. */
export function describeNode(
  node: GraphNode,
  facts: {
    readonly graph: Graph;
    readonly nodes: ReadonlyMap<string, NodeRun> | undefined;
    readonly change: Change | undefined;
  },
): string {
  if (node.id === END_ID) return 'End of a path';
  const { graph, nodes, change } = facts;
  const out = graph.edges.filter(({ from }) => from === node.id);
  const parts = [
    `${node.id}, ${node.kind}`,
    node.isStart ? 'start' : null,
    change === undefined || change === 'same' ? null : change,
    ...describeRun(nodes?.get(node.id)),
    out.length === 0 ? null : `leads to ${out.map((edge) => describeEdge(edge, nodes)).join('; ')}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** An edge in words, from the node before it. */
export function describeEdge(
  edge: GraphEdge,
  nodes: ReadonlyMap<string, NodeRun> | undefined,
): string {
  const when =
    edge.kind === 'item'
      ? ' for each item'
      : edge.kind === 'undo'
        ? ' to undo it'
        : edge.kind === 'failure'
          ? ` on failure${edge.condition === null ? '' : ` (${edge.condition})`}`
          : edge.condition === null
            ? ''
            : ` if ${edge.condition}`;
  const state = stateOfEdge(edge, nodes);
  const decidedBy = nodes?.get(edge.from)?.decidedBy;
  const because = decidedBy === undefined ? '' : `, as ${decidedBy}`;
  const told =
    state === 'open' ? '' : state === 'taken' ? ` (taken${because})` : ` (not taken${because})`;
  return `${edge.to}${when}${told}`;
}

function describeRun(run: NodeRun | undefined): readonly (string | null)[] {
  if (run === undefined) return [];
  const { status, attempts, startedAt, endedAt, progress } = run;
  return [
    status.replaceAll('_', ' '),
    attempts > 1 ? `${attempts} attempts` : null,
    startedAt === null || endedAt === null
      ? null
      : formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt))),
    progress === undefined
      ? null
      : `${progress.done} of ${progress.total} items done, ${progress.failed} failed`,
  ];
}
