import { parseExpression } from '../../expression/parse-expression.ts';
import { ControlEdges } from './control-edges.ts';
import { linkBodies } from './link-bodies.ts';
import { quoteId, unknownNode } from '../quote-id.ts';
import type { NormalisedEdge } from '../parse/normalise-edge.ts';
import { EDGES_MAX } from '../parse/normalise-ir.ts';
import type { ParsedNode } from '../parse/parse-node.ts';
import { locate } from '../parse/parse-node.ts';
import type { NodeReference, PlanEdge } from './plan.ts';
import { END_TARGET } from './plan.ts';
import type { Findings } from '../problem.ts';

/** The control edges of a workflow, those its kinds imply included. */
export interface Links {
  readonly edges: ReadonlyMap<string, readonly PlanEdge[]>;
  /** Maps the body of a `map` to that map. */
  readonly bodyOf: ReadonlyMap<string, string>;
  readonly waitFor: ReadonlyMap<string, readonly string[]>;
}

/**
 * Puts together what may follow each node: the edges of the definition, those that branches and
 * fallbacks imply, and one from each node that a barrier waits for and that has none to it yet.
 * The body of a `map` takes no part: it has no edges, and none may lead to it.
 */
export function linkEdges(params: {
  readonly nodeIds: ReadonlySet<string>;
  /** Nodes that undo others. */
  readonly undoIds: ReadonlySet<string>;
  readonly nodes: readonly ParsedNode[];
  readonly edges: readonly NormalisedEdge[];
  readonly findings: Findings;
}): Links {
  const linker = new Linker(params);
  linker.linkListed(params.edges);
  linker.linkImplied();
  linker.linkBarriers();
  return linker.links();
}

class Linker {
  readonly #nodeIds: ReadonlySet<string>;
  readonly #undoIds: ReadonlySet<string>;
  readonly #nodes: ReadonlyMap<string, ParsedNode>;
  readonly #findings: Findings;
  readonly #edges = new ControlEdges();
  readonly #bodyOf: ReadonlyMap<string, string>;
  readonly #waitFor = new Map<string, readonly string[]>();
  readonly #branchTargets = new Map<string, ReadonlySet<string>>();

  constructor(params: {
    readonly nodeIds: ReadonlySet<string>;
    readonly undoIds: ReadonlySet<string>;
    readonly nodes: readonly ParsedNode[];
    readonly findings: Findings;
  }) {
    this.#nodeIds = params.nodeIds;
    this.#undoIds = params.undoIds;
    this.#nodes = new Map(params.nodes.map((node) => [node.id, node]));
    this.#findings = params.findings;
    this.#bodyOf = linkBodies(params);
  }

  linkListed(edges: readonly NormalisedEdge[]): void {
    for (const edge of edges) {
      const condition = this.#readCondition(edge);
      const isFromKnown = this.#checkFrom(edge);
      const isToKnown = this.#checkTarget(edge.to, edge.pointerOfTo);
      if (condition === undefined || !isFromKnown || !isToKnown) continue;
      const node = this.#nodes.get(edge.from);
      if (edge.on === 'success' && node?.kind.branchesOnly === true) {
        this.#checkListedBranch(node, edge);
      } else if (this.#bodyOf.has(edge.from)) {
        const map = this.#bodyOf.get(edge.from) ?? '';
        this.#warn(
          edge.pointer,
          `never taken: ${quoteId(edge.from)} is the body of ${quoteId(map)}, which continues instead`,
        );
      } else {
        this.#edges.add(edge.from, { to: edge.to, on: edge.on, condition });
      }
    }
  }

  linkImplied(): void {
    for (const node of this.#nodes.values()) {
      const implied = node.kind.edges?.(node.spec) ?? [];
      const fallback = node.fallback === null ? [] : [{ ...node.fallback, on: 'failure' as const }];
      for (const { to, pointer, on } of [...implied, ...fallback]) {
        if (!this.#checkTarget(to, locate(node, pointer))) continue;
        const role = this.#roleAtEnd(node.id);
        if (role !== null) {
          this.#problem(locate(node, pointer), followsNothing(node.id, role));
        } else if (this.#bodyOf.has(node.id)) {
          const map = this.#bodyOf.get(node.id) ?? '';
          this.#warn(locate(node, pointer), `never taken: the node is the body of ${quoteId(map)}`);
        } else {
          this.#edges.add(node.id, { to, on, condition: null });
        }
      }
    }
  }

  linkBarriers(): void {
    for (const join of this.#nodes.values()) {
      const waitFor = join.kind.waitFor?.(join.spec) ?? null;
      if (waitFor === null) continue;
      const known = waitFor.filter((waited) => this.#checkWaited(join, waited));
      this.#waitFor.set(join.id, [...new Set(known.map((waited) => waited.to))]);
      for (const { to: id } of known) {
        if (!this.#edges.leadsTo(id, join.id)) {
          this.#edges.add(id, { to: join.id, on: 'success', condition: null });
        }
      }
    }
  }

  links(): Links {
    if (this.#edges.count > EDGES_MAX) {
      const message = `${this.#edges.count} edges with those that branches imply, and ${EDGES_MAX} are the most`;
      this.#problem('/edges', message);
    }
    return { edges: this.#edges.byNode, bodyOf: this.#bodyOf, waitFor: this.#waitFor };
  }

  #readCondition(edge: NormalisedEdge): PlanEdge['condition'] | undefined {
    if (edge.condition === null) return null;
    const parsed = parseExpression(edge.condition);
    if (parsed.ok) return parsed.expression;
    this.#problem(`${edge.pointer}/condition`, parsed.message);
    return undefined;
  }

  #checkFrom({ from, pointerOfFrom }: NormalisedEdge): boolean {
    const role = this.#roleAtEnd(from);
    if (role !== null) {
      this.#problem(pointerOfFrom, followsNothing(from, role));
      return false;
    }
    if (this.#nodeIds.has(from)) return true;
    const message = from === END_TARGET ? `nothing follows "${END_TARGET}"` : unknownNode(from);
    this.#problem(pointerOfFrom, message);
    return false;
  }

  #checkTarget(to: string, pointer: string): boolean {
    if (to === END_TARGET) return true;
    if (!this.#nodeIds.has(to)) {
      this.#problem(pointer, unknownNode(to));
      return false;
    }
    const role = this.#roleAtEnd(to);
    if (role !== null) {
      this.#problem(
        pointer,
        `${quoteId(to)} is ${role}: it runs when the execution ends, and nothing may lead to it`,
      );
      return false;
    }
    const map = this.#bodyOf.get(to);
    if (map === undefined) return true;
    this.#problem(
      pointer,
      `${quoteId(to)} is the body of ${quoteId(map)}: lead to the map instead`,
    );
    return false;
  }

  #checkListedBranch(node: ParsedNode, edge: NormalisedEdge): void {
    if (this.#branchTargetsOf(node).has(edge.to)) return;
    this.#warn(
      edge.pointer,
      `never taken: the branches of ${quoteId(node.id)} decide, and ${quoteId(edge.to)} is none of their targets`,
    );
  }

  /** Kept, because a node may have as many branches as edges. */
  #branchTargetsOf(node: ParsedNode): ReadonlySet<string> {
    const kept = this.#branchTargets.get(node.id);
    if (kept !== undefined) return kept;
    const branches = node.kind.edges?.(node.spec) ?? [];
    const targets = new Set(branches.filter(({ on }) => on === 'success').map(({ to }) => to));
    this.#branchTargets.set(node.id, targets);
    return targets;
  }

  #checkWaited(join: ParsedNode, { to: id, pointer }: NodeReference): boolean {
    const at = locate(join, pointer);
    const node = this.#nodes.get(id);
    const role = this.#roleAtEnd(id);
    if (!this.#nodeIds.has(id)) {
      this.#problem(at, unknownNode(id));
    } else if (id === join.id) {
      this.#problem(at, 'a node cannot wait for itself');
    } else if (role !== null) {
      this.#problem(at, followsNothing(id, role));
    } else if (this.#bodyOf.has(id)) {
      this.#problem(at, `${quoteId(id)} is the body of a map: wait for the map instead`);
    } else if (node?.kind.branchesOnly === true && !this.#edges.leadsTo(id, join.id)) {
      this.#problem(at, `no branch of ${quoteId(id)} leads here, so it would never arrive`);
    } else {
      return true;
    }
    return false;
  }

  /** The role of a node that runs when the execution ends; null: it is a step. */
  #roleAtEnd(id: string): string | null {
    if (this.#nodes.get(id)?.kind.runOn !== undefined) return 'a finalizer';
    return this.#undoIds.has(id) ? 'an undo' : null;
  }

  #problem(pointer: string, message: string): void {
    this.#findings.problems.add(pointer, message);
  }

  #warn(pointer: string, message: string): void {
    this.#findings.warnings.add('never_taken', pointer, message);
  }
}

function followsNothing(id: string, role: string): string {
  return `${quoteId(id)} is ${role}: nothing follows it`;
}
