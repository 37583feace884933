/*
 * The graph of a definition. It reads what the runtime stores, and also a definition that an author
 * still writes: what cannot be read yet is left out, so that the graph follows every keystroke.
 */

export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly isStart: boolean;
  readonly description: string | null;
  /** The workflow that the node runs; null: none. */
  readonly runsWorkflow: string | null;
  /** The definition's JSON of the node, for comparing. */
  readonly source: unknown;
}

export type EdgeKind =
  /** Taken after a success, where its condition is true. */
  | 'success'
  /** Taken after a permanent failure. */
  | 'failure'
  /** From a map to the node that runs for each item. */
  | 'item'
  /** From a node to the one that undoes it, if the execution fails or is cancelled. */
  | 'undo';

export interface GraphEdge {
  /** Stays the same in another version of the definition with the same edge. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly condition: string | null;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Where paths end: no node of the definition has this id. */
export const END_ID = 'end';

export function readGraph(definition: unknown): Graph {
  const ir = recordOf(definition);
  const written = Object.entries(recordOf(ir['nodes'])).map(([id, raw]) => ({
    id,
    raw: recordOf(raw),
    kind: kindOf(recordOf(raw)),
  }));
  const edges = new EdgeList();
  for (const raw of listOf(ir['edges'])) readEdge(recordOf(raw), edges);
  for (const node of written) readImpliedEdges(node, edges);
  const known = new Set([...written.map(({ id }) => id), END_ID]);
  const drawn = edges.list.filter(({ from, to }) => known.has(from) && known.has(to));
  const start = textOf(ir['start_node']) ?? guessStart(written, drawn);
  const nodes: GraphNode[] = written.map(({ id, raw, kind }) => ({
    id,
    kind: textOf(kind['type']) ?? 'pass',
    isStart: id === start,
    description: textOf(raw['description']) ?? textOf(kind['description']),
    runsWorkflow: textOf(kind['workflow_ref']),
    source: raw,
  }));
  if (drawn.some(({ to }) => to === END_ID)) nodes.push(END_NODE);
  return { nodes, edges: drawn };
}

const END_NODE: GraphNode = {
  id: END_ID,
  kind: 'end',
  isStart: false,
  description: null,
  runsWorkflow: null,
  source: null,
};

/** Keeps the first of edges that are alike. */
class EdgeList {
  readonly #byId = new Map<string, GraphEdge>();

  add(edge: Omit<GraphEdge, 'id'>): void {
    const id = JSON.stringify([edge.from, edge.to, edge.kind, edge.condition]);
    if (!this.#byId.has(id)) this.#byId.set(id, { ...edge, id });
  }

  leads(from: string, to: string): boolean {
    return this.list.some((edge) => edge.from === from && edge.to === to);
  }

  get list(): readonly GraphEdge[] {
    return [...this.#byId.values()];
  }
}

interface WrittenNode {
  readonly id: string;
  readonly raw: Fields;
  readonly kind: Fields;
}

function readEdge(raw: Fields, edges: EdgeList): void {
  const from = textOf(raw['from']) ?? textOf(raw['source']);
  const to = textOf(raw['to']) ?? textOf(raw['target']);
  if (from === null || to === null) return;
  const kind = raw['on'] === 'failure' ? 'failure' : 'success';
  edges.add({ from, to, kind, condition: conditionOf(raw['condition']) });
}

/** The edges that a node itself names: branches, fallbacks, the body of a map, what a join waits for. */
function readImpliedEdges({ id, raw, kind }: WrittenNode, edges: EdgeList): void {
  const add = (to: string | null, more: Partial<Pick<GraphEdge, 'kind' | 'condition'>> = {}) => {
    if (to !== null) edges.add({ from: id, to, kind: 'success', condition: null, ...more });
  };
  for (const branch of listOf(kind['branches'])) {
    const fields = recordOf(branch);
    const to = textOf(branch) ?? textOf(fields['target']) ?? textOf(fields['node']);
    add(to, { condition: conditionOf(fields['condition']) });
  }
  add(textOf(raw['fallback_node']), { kind: 'failure' });
  add(textOf(kind['node']), { kind: 'item' });
  add(textOf(raw['undo']), { kind: 'undo' });
  const onFail = recordOf(kind['on_fail']);
  const onViolation = recordOf(kind['on_violation']);
  add(targetOf(onFail['retry']), { kind: 'failure', condition: 'retry' });
  add(targetOf(onFail['branch']), { kind: 'failure', condition: 'not passed' });
  add(targetOf(onViolation['branch']), { kind: 'failure', condition: 'rule violated' });
  for (const waited of listOf(kind['wait_for'])) {
    const from = textOf(waited);
    if (from === null || edges.leads(from, id)) continue;
    edges.add({ from, to: id, kind: 'success', condition: null });
  }
}

function targetOf(value: unknown): string | null {
  return textOf(value) ?? textOf(recordOf(value)['target']);
}

/** As the runtime does: the node named `start`, else the only node without an edge to it. */
function guessStart(nodes: readonly WrittenNode[], edges: readonly GraphEdge[]): string | null {
  if (nodes.some(({ id }) => id === 'start')) return 'start';
  const reached = new Set(edges.map(({ to }) => to));
  const first = nodes.filter(
    ({ id, kind }) => !reached.has(id) && textOf(kind['type']) !== 'finalizer',
  );
  return first.length === 1 ? (first[0]?.id ?? null) : null;
}

function kindOf(raw: Fields): Fields {
  const given = raw['kind'] ?? raw['type'];
  return typeof given === 'string' ? { ...raw, type: given } : recordOf(given);
}

function conditionOf(value: unknown): string | null {
  const text = value === false ? 'false' : textOf(value)?.trim();
  return text === undefined || text === '' || text === 'true' ? null : text;
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
