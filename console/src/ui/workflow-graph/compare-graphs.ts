import type { Graph, GraphEdge, GraphNode } from './read-graph.ts';

export type Change = 'added' | 'removed' | 'changed' | 'same';

export interface ComparedGraph extends Graph {
  readonly changeOfNode: ReadonlyMap<string, Change>;
  readonly changeOfEdge: ReadonlyMap<string, Change>;
}

/** One graph of two versions: what only the earlier one has stays in it, as removed. */
export function compareGraphs(before: Graph, after: Graph): ComparedGraph {
  const nodes = merge(before.nodes, after.nodes, (old, now) => isSameNode(old, now));
  const edges = merge<GraphEdge>(before.edges, after.edges, () => true);
  return {
    nodes: nodes.items,
    edges: edges.items,
    changeOfNode: nodes.changes,
    changeOfEdge: edges.changes,
  };
}

/** A sentence for people: "2 nodes added, 1 changed, 1 edge removed". */
export function describeChanges({ changeOfNode, changeOfEdge }: ComparedGraph): string {
  const parts = [...describeOf('node', changeOfNode), ...describeOf('edge', changeOfEdge)];
  return parts.length === 0 ? 'The graph is the same.' : `${parts.join(', ')}.`;
}

function describeOf(what: string, changes: ReadonlyMap<string, Change>): readonly string[] {
  const told: readonly Change[] = ['added', 'changed', 'removed'];
  return told.flatMap((change) => {
    const count = changes
      .values()
      .filter((one) => one === change)
      .toArray().length;
    return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'} ${change}`];
  });
}

function merge<Item extends GraphNode | GraphEdge>(
  before: readonly Item[],
  after: readonly Item[],
  isSame: (old: Item, now: Item) => boolean,
): { readonly items: readonly Item[]; readonly changes: ReadonlyMap<string, Change> } {
  const old = new Map(before.map((item) => [item.id, item]));
  const kept = new Set(after.map(({ id }) => id));
  const changes = new Map<string, Change>();
  for (const item of after) {
    const earlier = old.get(item.id);
    changes.set(
      item.id,
      earlier === undefined ? 'added' : isSame(earlier, item) ? 'same' : 'changed',
    );
  }
  const removed = before.filter(({ id }) => !kept.has(id));
  for (const { id } of removed) changes.set(id, 'removed');
  return { items: [...after, ...removed], changes };
}

function isSameNode(old: GraphNode, now: GraphNode): boolean {
  return old.isStart === now.isStart && canonical(old.source) === canonical(now.source);
}

/** JSON with sorted keys: the order in which an author wrote them means nothing. */
export function canonical(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, inner: unknown) => sortKeys(inner), indent);
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
