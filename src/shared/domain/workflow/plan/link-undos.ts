import type { NodeUndo, ParsedNode } from '../parse/parse-node.ts';
import { locate } from '../parse/parse-node.ts';
import type { Findings } from '../problem.ts';
import { quoteId, unknownNode } from '../quote-id.ts';
import type { PlannedUndo } from './plan.ts';

/** The nodes that are undone, each with the node that undoes it; one node may undo several. */
export function linkUndos(params: {
  readonly nodeIds: ReadonlySet<string>;
  readonly nodes: readonly ParsedNode[];
  readonly findings: Findings;
}): ReadonlyMap<string, PlannedUndo> {
  const byId = new Map(params.nodes.map((node) => [node.id, node]));
  const undos = new Map<string, PlannedUndo>();
  for (const node of params.nodes) {
    const { undo } = node;
    if (undo === null) continue;
    const problem = findProblem(node, undo);
    if (problem === null) undos.set(node.id, { nodeId: undo.to, on: undo.on });
    else params.findings.problems.add(locate(node, undo.pointer), problem);
  }
  return undos;

  function findProblem({ id, kind }: ParsedNode, { to }: NodeUndo): string | null {
    if (kind.runOn !== undefined) return 'a finalizer runs after all undos, so none can undo it';
    if (to === id) return 'a node cannot undo itself';
    if (!params.nodeIds.has(to)) return unknownNode(to);
    const by = byId.get(to);
    if (by === undefined) return null;
    if (!by.kind.leaf) return `a ${by.kind.type} node cannot undo another`;
    if (by.undo !== null) return `${quoteId(to)} undoes ${quoteId(id)}, so it cannot have an undo`;
    return null;
  }
}
