/** The control edges of a workflow, its nodes numbered from 0. */
export type Successors = readonly (readonly number[])[];

/** Whether `to` can be reached from `from` along one or more edges. */
export type Reaches = (from: number, to: number) => boolean;

/**
 * Works out, once, which node reaches which.
 *
 * Nodes that reach each other share one row (a strongly connected component), and components come
 * out of the search with all they lead to before them, so one pass of unions over bit sets closes
 * the graph: 2 000 nodes take a few milliseconds and half a megabyte at most, 10 000 nodes with
 * 50 000 edges tens of milliseconds and 12 MB.
 */
export function computeReachability(successors: Successors): Reaches {
  const { componentOf, count } = findComponents(successors);
  const words = Math.ceil(count / 32);
  const rows = new Uint32Array(count * words);
  for (const [from, component] of byComponent(componentOf)) {
    for (const to of successors[from] ?? []) {
      const next = componentOf[to] ?? 0;
      setBit(rows, component * words, next);
      if (next !== component) union(rows, words, { into: component * words, from: next * words });
    }
  }
  return (from, to) => {
    const next = componentOf[to] ?? 0;
    const word = rows[(componentOf[from] ?? 0) * words + (next >>> 5)] ?? 0;
    return (word & (1 << (next & 31))) !== 0;
  };
}

function byComponent(componentOf: Int32Array): readonly (readonly [number, number])[] {
  return Array.from(componentOf, (component, node) => [node, component] as const).toSorted(
    (one, other) => one[1] - other[1],
  );
}

function setBit(rows: Uint32Array, row: number, bit: number): void {
  const at = row + (bit >>> 5);
  rows[at] = (rows[at] ?? 0) | (1 << (bit & 31));
}

function union(
  rows: Uint32Array,
  words: number,
  { into, from }: { readonly into: number; readonly from: number },
): void {
  for (let word = 0; word < words; word += 1) {
    rows[into + word] = (rows[into + word] ?? 0) | (rows[from + word] ?? 0);
  }
}

/**
 * Tarjan's algorithm, with a stack of its own: a chain of 10 000 nodes would overflow the call
 * stack. Components are numbered so that every edge leads to the same or a lower number.
 */
function findComponents(successors: Successors): {
  readonly componentOf: Int32Array;
  readonly count: number;
} {
  const size = successors.length;
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const componentOf = new Int32Array(size).fill(-1);
  const nextEdge = new Int32Array(size);
  const open: number[] = [];
  let visited = 0;
  let count = 0;

  const enter = (node: number, path: number[]): void => {
    order[node] = visited;
    low[node] = visited;
    visited += 1;
    open.push(node);
    path.push(node);
  };
  const lower = (node: number, to: number): void => {
    low[node] = Math.min(low[node] ?? 0, to);
  };
  const close = (root: number): void => {
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      componentOf[node] = count;
      if (node === root) break;
    }
    count += 1;
  };

  for (let start = 0; start < size; start += 1) {
    if (order[start] !== -1) continue;
    const path: number[] = [];
    enter(start, path);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const edge = nextEdge[node] ?? 0;
      const next = successors[node]?.[edge];
      if (next !== undefined) {
        nextEdge[node] = edge + 1;
        if (order[next] === -1) enter(next, path);
        else if (componentOf[next] === -1) lower(node, order[next] ?? 0);
        continue;
      }
      path.pop();
      if (low[node] === order[node]) close(node);
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent, low[node] ?? 0);
    }
  }
  return { componentOf, count };
}
