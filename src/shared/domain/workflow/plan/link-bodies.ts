import type { ParsedNode } from '../parse/parse-node.ts';
import { locate } from '../parse/parse-node.ts';
import type { Findings } from '../problem.ts';
import { quoteId, unknownNode } from '../quote-id.ts';

/** The bodies of `map` nodes, each with its map. */
export function linkBodies(params: {
  readonly nodeIds: ReadonlySet<string>;
  readonly nodes: readonly ParsedNode[];
  readonly undoIds: ReadonlySet<string>;
  readonly findings: Findings;
}): ReadonlyMap<string, string> {
  const kinds = new Map(params.nodes.map((node) => [node.id, node.kind]));
  const bodyOf = new Map<string, string>();
  for (const map of params.nodes) {
    const body = map.kind.body?.(map.spec);
    if (body === undefined) continue;
    const problem = findProblem(body.to);
    if (problem === null) bodyOf.set(body.to, map.id);
    else params.findings.problems.add(locate(map, body.pointer), problem);
  }
  return bodyOf;

  function findProblem(body: string): string | null {
    if (!params.nodeIds.has(body)) return unknownNode(body);
    const kind = kinds.get(body);
    if (kind?.leaf === false) return `a ${kind.type} node cannot run as the body of a map`;
    if (params.undoIds.has(body)) return `${quoteId(body)} undoes another node`;
    const other = bodyOf.get(body);
    if (other === undefined) return null;
    return `${quoteId(body)} is already the body of ${quoteId(other)}`;
  }
}
