import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';

import { END_ID, type Graph, type GraphEdge } from './read-graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly points: readonly Point[];
  /** Null: it has no label. */
  readonly label: Point | null;
}

/** Where everything is, in pixels at zoom 1. */
export interface Layout {
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: ReadonlyMap<string, PlacedEdge>;
}

export const NODE_SIZE = { width: 224, height: 68 } as const;
export const END_SIZE = { width: 56, height: 28 } as const;
const LABEL_CHARS_MAX = 32;
const LABEL_HEIGHT = 20;
/** A character of the label's font, with some room. */
const CHAR_WIDTH = 7;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '36',
  'elk.layered.spacing.nodeNodeBetweenLayers': '44',
  'elk.layered.spacing.edgeNodeBetweenLayers': '20',
  'elk.edgeLabels.inline': 'true',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
} as const;

const LARGE_NODES = 150;
/** Fewer attempts to avoid crossings: hundreds of nodes take seconds otherwise. */
const QUICKER = {
  'elk.layered.thoroughness': '1',
  'elk.layered.considerModelOrder.strategy': 'NONE',
} as const;

/** Lays a graph out on a thread of its own, as hundreds of nodes take it a while. */
export async function layOut({ nodes, edges }: Graph): Promise<Layout> {
  const elk = (engine ??= new ELK({ workerFactory: () => new Worker(workerUrl) }));
  const placed = await elk.layout({
    id: 'root',
    layoutOptions: nodes.length > LARGE_NODES ? { ...OPTIONS, ...QUICKER } : OPTIONS,
    children: nodes.map(({ id }) => ({ id, ...sizeOf(id) })),
    edges: edges.map((edge) => {
      const text = labelOf(edge);
      return {
        id: edge.id,
        sources: [edge.from],
        targets: [edge.to],
        ...(text === null
          ? {}
          : { labels: [{ text, width: text.length * CHAR_WIDTH + 12, height: LABEL_HEIGHT }] }),
      };
    }),
  });
  return readLayout(placed);
}

let engine: InstanceType<typeof ELK> | null = null;

export function sizeOf(nodeId: string): { readonly width: number; readonly height: number } {
  return nodeId === END_ID ? END_SIZE : NODE_SIZE;
}

/** The text on an edge, shortened; the whole condition shows where the edge is described. */
export function labelOf({ kind, condition }: GraphEdge): string | null {
  const text =
    condition ??
    (kind === 'failure'
      ? 'on failure'
      : kind === 'item'
        ? 'each item'
        : kind === 'undo'
          ? 'undo'
          : null);
  if (text === null || text.length <= LABEL_CHARS_MAX) return text;
  return `${text.slice(0, LABEL_CHARS_MAX - 1)}…`;
}

function readLayout(placed: ElkNode): Layout {
  const nodes = new Map<string, Point>();
  for (const { id, x = 0, y = 0 } of placed.children ?? []) nodes.set(id, { x, y });
  const edges = new Map<string, PlacedEdge>();
  for (const { id, sections = [], labels = [] } of placed.edges ?? []) {
    const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    const [label] = labels;
    edges.set(id, {
      points,
      label:
        label === undefined
          ? null
          : {
              x: (label.x ?? 0) + (label.width ?? 0) / 2,
              y: (label.y ?? 0) + (label.height ?? 0) / 2,
            },
    });
  }
  return { nodes, edges };
}
