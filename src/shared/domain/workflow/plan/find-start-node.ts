import type { JsonObject } from '../../json.ts';
import type { Links } from './link-edges.ts';
import type { Findings } from '../problem.ts';
import { quoteId } from '../quote-id.ts';

const CONVENTIONAL_START = 'start';
const NAMED_MAX = 10;

/**
 * The node an execution begins with: `start_node`, else the node named `start`, else the only node
 * that no other leads to. Null: there are no nodes, or the reason has been reported.
 */
export function findStartNode(params: {
  readonly ir: JsonObject;
  readonly nodeIds: ReadonlySet<string>;
  /** Nodes that run at the end, and so cannot be the start. */
  readonly finalizerIds: ReadonlySet<string>;
  readonly undoIds: ReadonlySet<string>;
  readonly links: Links;
  /** False: nodes or edges are missing because of problems, so nothing can be derived from them. */
  readonly isComplete: boolean;
  readonly findings: Findings;
}): string | null {
  const { ir, finalizerIds, undoIds, links, findings } = params;
  const nodeIds = new Set(
    [...params.nodeIds].filter((id) => !finalizerIds.has(id) && !undoIds.has(id)),
  );
  const named = ir['start_node'] ?? null;
  if (typeof named === 'string') return checkStart(named, params);
  if (nodeIds.has(CONVENTIONAL_START) && !links.bodyOf.has(CONVENTIONAL_START)) {
    return CONVENTIONAL_START;
  }
  if (!params.isComplete || nodeIds.size === 0) return null;
  const candidates = findEntries(nodeIds, links);
  if (candidates.length === 1) return candidates[0] ?? null;
  const shown = candidates.slice(0, NAMED_MAX).map(quoteId).join(', ');
  const found =
    candidates.length === 0
      ? 'every node has an edge leading to it'
      : `${candidates.length} nodes have no edge leading to them: ${shown}`;
  findings.problems.add('/start_node', `missing start_node, and ${found}`);
  return null;
}

function checkStart(
  named: string,
  { nodeIds, finalizerIds, undoIds, links, findings }: Parameters<typeof findStartNode>[0],
): string | null {
  const map = links.bodyOf.get(named);
  if (finalizerIds.has(named)) {
    findings.problems.add('/start_node', `${quoteId(named)} is a finalizer: it runs at the end`);
    return null;
  }
  if (undoIds.has(named)) {
    findings.problems.add('/start_node', `${quoteId(named)} is an undo: it runs at the end`);
    return null;
  }
  if (nodeIds.has(named) && map === undefined) return named;
  const shown = quoteId(named);
  findings.problems.add(
    '/start_node',
    map === undefined ? `there is no node ${shown}` : `${shown} is the body of a map`,
  );
  return null;
}

function findEntries(nodeIds: ReadonlySet<string>, links: Links): readonly string[] {
  const entered = new Set<string>(links.bodyOf.keys());
  for (const [from, edges] of links.edges) {
    for (const { to } of edges) if (to !== from) entered.add(to);
  }
  return [...nodeIds].filter((id) => !entered.has(id));
}
