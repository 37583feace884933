import { hasEnded, hasStarted, type NodeRun } from './node-run.ts';
import type { GraphEdge } from './read-graph.ts';
import { END_ID } from './read-graph.ts';

/** `open`: the node before it has not ended, or there is no execution. */
export type EdgeState = 'taken' | 'untaken' | 'open';

export function stateOfEdge(
  edge: GraphEdge,
  nodes: ReadonlyMap<string, NodeRun> | undefined,
): EdgeState {
  if (nodes === undefined) return 'open';
  const source = nodes.get(edge.from);
  const target = nodes.get(edge.to);
  if (!hasStarted(source)) return source?.status === 'skipped' ? 'untaken' : 'open';
  if (edge.kind === 'item' || edge.kind === 'undo') return hasStarted(target) ? 'taken' : 'open';
  if (target?.from !== undefined && hasStarted(target)) {
    if (target.from.includes(edge.from)) return isOutcomeOf(edge, source) ? 'taken' : 'untaken';
    return hasEnded(source) ? 'untaken' : 'open';
  }
  if (!hasEnded(source)) return 'open';
  if (!isOutcomeOf(edge, source)) return 'untaken';
  // Paths that end leave no trace in another node.
  if (edge.to === END_ID) return edge.condition === null ? 'taken' : 'open';
  return hasStarted(target) ? 'taken' : 'untaken';
}

/** An edge for failures follows no success, and the other way round. */
function isOutcomeOf(edge: GraphEdge, source: NodeRun | undefined): boolean {
  const failed = source?.status === 'failed';
  return edge.kind === 'failure' ? failed || edge.condition !== null : !failed;
}
