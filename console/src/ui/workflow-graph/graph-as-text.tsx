import type { ComparedGraph } from './compare-graphs.ts';
import { describeNode } from './describe-graph.ts';
import type { NodeRun } from './node-run.ts';
import styles from './workflow-graph.module.css';

/** The same graph as a list: for screen readers, for searching and for copying. */
export function GraphAsText({
  graph,
  nodes,
}: {
  readonly graph: ComparedGraph;
  readonly nodes: ReadonlyMap<string, NodeRun> | undefined;
}) {
  return (
    <details className={styles.text}>
      <summary>Graph as text</summary>
      <ol>
        {graph.nodes.map((node) => (
          <li key={node.id}>
            {describeNode(node, { graph, nodes, change: graph.changeOfNode.get(node.id) })}
          </li>
        ))}
      </ol>
    </details>
  );
}
