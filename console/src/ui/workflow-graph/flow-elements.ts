import { type Edge, type Node, Position } from '@xyflow/react';

import type { Change, ComparedGraph } from './compare-graphs.ts';
import { describeNode } from './describe-graph.ts';
import { type EdgeState, stateOfEdge } from './edge-state.ts';
import { labelOf, sizeOf, type Layout, type PlacedEdge } from './lay-out.ts';
import type { NodeRun } from './node-run.ts';
import type { GraphEdge, GraphNode } from './read-graph.ts';

export type StepInto = (node: {
  readonly id: string;
  readonly runsWorkflow: string;
}) => (() => void) | null;

export interface StepData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly run: NodeRun | undefined;
  readonly change: Change | undefined;
  readonly description: string;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly onSelect: ((nodeId: string) => void) | undefined;
  readonly stepInto: (() => void) | null;
}

export interface RouteData extends Record<string, unknown> {
  readonly edge: GraphEdge;
  readonly placed: PlacedEdge;
  readonly label: string | null;
  readonly state: EdgeState;
  readonly change: Change | undefined;
  /** The value that decided; null: none is known. */
  readonly decidedBy: string | null;
}

export type StepNode = Node<StepData, 'step'>;
export type RouteEdge = Edge<RouteData, 'route'>;

/** The graph in the form of React Flow. */
export function flowElements(params: {
  readonly graph: ComparedGraph;
  readonly layout: Layout;
  readonly nodes: ReadonlyMap<string, NodeRun> | undefined;
  readonly selected: string | null;
  readonly tabStop: string | null;
  readonly onSelect: ((nodeId: string) => void) | undefined;
  readonly stepInto: StepInto | undefined;
}): { readonly nodes: StepNode[]; readonly edges: RouteEdge[] } {
  const { graph, layout, nodes } = params;
  return {
    nodes: graph.nodes.flatMap((node): StepNode[] => {
      const position = layout.nodes.get(node.id);
      if (position === undefined) return [];
      const change = graph.changeOfNode.get(node.id);
      const { id, runsWorkflow } = node;
      return [
        {
          id,
          type: 'step',
          position,
          ...sizeOf(id),
          targetPosition: Position.Top,
          sourcePosition: Position.Bottom,
          data: {
            node,
            run: nodes?.get(id),
            change,
            description: describeNode(node, { graph, nodes, change }),
            isSelected: id === params.selected,
            isTabStop: id === params.tabStop,
            onSelect: params.onSelect,
            stepInto:
              runsWorkflow === null ? null : (params.stepInto?.({ id, runsWorkflow }) ?? null),
          },
        },
      ];
    }),
    edges: graph.edges.flatMap((edge): RouteEdge[] => {
      const placed = layout.edges.get(edge.id);
      if (placed === undefined) return [];
      return [
        {
          id: edge.id,
          type: 'route',
          source: edge.from,
          target: edge.to,
          data: {
            edge,
            placed,
            label: labelOf(edge),
            state: stateOfEdge(edge, nodes),
            change: graph.changeOfEdge.get(edge.id),
            decidedBy: nodes?.get(edge.from)?.decidedBy ?? null,
          },
        },
      ];
    }),
  };
}
