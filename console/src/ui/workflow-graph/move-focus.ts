import { type Layout, type Point, sizeOf } from './lay-out.ts';
import type { Graph } from './read-graph.ts';

const KEYS = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End'] as const;
export type MoveKey = (typeof KEYS)[number];

export function isMoveKey(key: string): key is MoveKey {
  return KEYS.some((known) => known === key);
}

/**
 * The node that a key leads to: down and up along the edges, left and right to the neighbours in the
 * same row, Home to the start. Null: nothing is there.
 */
export function moveFocus(
  from: string,
  key: MoveKey,
  { graph, layout }: { readonly graph: Graph; readonly layout: Layout },
): string | null {
  const at = centreOf(from, layout);
  if (at === null) return null;
  const others = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const centre = id === from ? null : centreOf(id, layout);
      return centre === null ? [] : [{ id, centre }];
    });
  switch (key) {
    case 'ArrowDown': {
      const next = graph.edges.filter((edge) => edge.from === from).map(({ to }) => to);
      return nearest(others(next), at);
    }
    case 'ArrowUp': {
      const before = graph.edges.filter((edge) => edge.to === from).map((edge) => edge.from);
      return nearest(others(before), at);
    }
    case 'ArrowLeft':
    case 'ArrowRight': {
      const sign = key === 'ArrowLeft' ? -1 : 1;
      const beside = others(graph.nodes.map(({ id }) => id)).filter(
        ({ centre }) =>
          (centre.x - at.x) * sign > 1 && Math.abs(centre.y - at.y) < sizeOf(from).height,
      );
      return nearest(beside, at);
    }
    case 'Home':
      return graph.nodes.find(({ isStart }) => isStart)?.id ?? graph.nodes[0]?.id ?? null;
    case 'End':
      return lowest(graph, layout);
  }
}

export function centreOf(id: string, layout: Layout): Point | null {
  const at = layout.nodes.get(id);
  if (at === undefined) return null;
  const { width, height } = sizeOf(id);
  return { x: at.x + width / 2, y: at.y + height / 2 };
}

function nearest(
  candidates: readonly { readonly id: string; readonly centre: Point }[],
  to: Point,
): string | null {
  const distance = ({ centre }: { readonly centre: Point }) =>
    Math.hypot(centre.x - to.x, centre.y - to.y);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0]?.id ?? null;
}

function lowest(graph: Graph, layout: Layout): string | null {
  const heightOf = (id: string) => layout.nodes.get(id)?.y ?? 0;
  return graph.nodes.map(({ id }) => id).toSorted((a, b) => heightOf(b) - heightOf(a))[0] ?? null;
}
