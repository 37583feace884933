import { useEffect, useState } from 'react';

import { layOut, type Layout } from './lay-out.ts';
import type { Graph } from './read-graph.ts';

export interface LaidOut<Drawn extends Graph> {
  /** The graph that the layout belongs to: an earlier one, while the next is laid out. */
  readonly graph: Drawn;
  readonly layout: Layout;
}

/** The last graph that has a layout; null: the first is not laid out yet. */
export function useLayout<Drawn extends Graph>(
  graph: Drawn,
): { readonly drawn: LaidOut<Drawn> | null; readonly error: unknown } {
  const shape = shapeOf(graph);
  const [laidOut, setLaidOut] = useState<{
    readonly shape: string;
    readonly layout: Layout;
    readonly graph: Drawn;
  } | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isWanted = true;
    layOut(graph).then(
      (layout) => {
        if (!isWanted) return;
        setLaidOut({ shape, layout, graph });
        setError(null);
      },
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
    // The shape says all that the layout depends on.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a graph of the same shape has the same layout
  }, [shape]);
  if (laidOut === null) return { drawn: null, error };
  // Other facts of the same shape need no new layout.
  const isCurrent = laidOut.shape === shape;
  return { drawn: { graph: isCurrent ? graph : laidOut.graph, layout: laidOut.layout }, error };
}

function shapeOf({ nodes, edges }: Graph): string {
  return JSON.stringify([nodes.map(({ id }) => id), edges.map(({ id }) => id)]);
}
