import '@xyflow/react/dist/base.css';

import { ReactFlowProvider } from '@xyflow/react';
import { useMemo } from 'react';

import { ErrorState, Loading } from '../feedback/states.tsx';
import { compareGraphs, describeChanges, type ComparedGraph } from './compare-graphs.ts';
import { withDecisions } from './decisions.ts';
import { GraphAsText } from './graph-as-text.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import type { NodeRun } from './node-run.ts';
import { readGraph } from './read-graph.ts';
import { useLayout } from './use-layout.ts';
import styles from './workflow-graph.module.css';

export interface WorkflowGraphProps {
  /** The definition (`ir`), also one that is still being written. */
  readonly definition: unknown;
  /** Names the graph for screen readers. */
  readonly label: string;
  /** What an execution did, by node. */
  readonly nodes?: ReadonlyMap<string, NodeRun>;
  /** The execution's state at the moment shown: edges show the values that their conditions read. */
  readonly state?: unknown;
  /** The node that is selected; null: none. */
  readonly selected?: string | null;
  readonly onSelect?: (nodeId: string) => void;
  /** Opens what the node runs: the workflow of a subgraph, or the child execution. Null: there is none. */
  readonly stepInto?: (node: {
    readonly id: string;
    readonly runsWorkflow: string;
  }) => (() => void) | null;
  /** An earlier definition: the graph shows what was added, changed and removed since. */
  readonly diff?: unknown;
}

/** The graph of a workflow, alone, with an execution's path, or compared with another version. */
export function LoadedGraph(props: WorkflowGraphProps) {
  const { definition, diff, label, state } = props;
  const graph = useMemo((): ComparedGraph => {
    const after = readGraph(definition);
    if (diff !== undefined) return compareGraphs(readGraph(diff), after);
    return { ...after, changeOfNode: new Map(), changeOfEdge: new Map() };
  }, [definition, diff]);
  const nodes = useMemo(
    () =>
      props.nodes === undefined || state === undefined
        ? props.nodes
        : withDecisions(graph, props.nodes, state),
    [graph, props.nodes, state],
  );
  const { drawn, error } = useLayout(graph);
  if (drawn === null) {
    return error === null ? (
      <Loading label="Laying out the graph…" />
    ) : (
      <ErrorState error={error} />
    );
  }
  if (graph.nodes.length === 0) return <p className={styles.empty}>This workflow has no nodes.</p>;
  return (
    <div className={styles.graph}>
      {diff === undefined ? null : <p className={styles.changes}>{describeChanges(graph)}</p>}
      <ReactFlowProvider>
        <GraphCanvas
          drawn={drawn}
          label={label}
          nodes={nodes}
          selected={props.selected ?? null}
          onSelect={props.onSelect}
          stepInto={props.stepInto}
        />
      </ReactFlowProvider>
      <GraphAsText graph={graph} nodes={nodes} />
    </div>
  );
}
