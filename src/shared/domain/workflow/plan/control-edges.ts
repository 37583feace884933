import type { PlanEdge } from './plan.ts';

/** The control edges put together so far. Stating an unconditional edge again adds nothing. */
export class ControlEdges {
  readonly #byNode = new Map<string, PlanEdge[]>();
  readonly #unconditional = new Set<string>();
  readonly #pairs = new Set<string>();
  #count = 0;

  get byNode(): ReadonlyMap<string, readonly PlanEdge[]> {
    return this.#byNode;
  }

  get count(): number {
    return this.#count;
  }

  add(from: string, edge: PlanEdge): void {
    if (edge.condition === null) {
      const key = JSON.stringify([from, edge.on, edge.to]);
      if (this.#unconditional.has(key)) return;
      this.#unconditional.add(key);
    }
    this.#pairs.add(JSON.stringify([from, edge.to]));
    this.#count += 1;
    const edges = this.#byNode.get(from);
    if (edges === undefined) this.#byNode.set(from, [edge]);
    else edges.push(edge);
  }

  leadsTo(from: string, to: string): boolean {
    return this.#pairs.has(JSON.stringify([from, to]));
  }
}
