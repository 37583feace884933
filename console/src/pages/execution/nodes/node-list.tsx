import { Link } from '@tanstack/react-router';

import type { ReplyOf } from '../../../api/client.ts';
import { classNames } from '../../../ui/class-names.ts';
import { StatusBadge } from '../../../ui/data/badge.tsx';
import { DurationText } from '../../../ui/data/time.tsx';
import styles from './nodes-pane.module.css';

export type NodeSum = Omit<ReplyOf<'read-timeline'>['nodes'][number], 'status'> & {
  /** Told more precisely than the history can: `waiting_for_a_worker`. */
  readonly status: string;
};

/** Every node that has begun, as text; the graph shows the same. */
export function NodeList({
  nodes,
  selected,
  onSelect,
}: {
  readonly nodes: readonly NodeSum[];
  readonly selected: string | null;
  readonly onSelect: (node: NodeSum) => void;
}) {
  return (
    <ul className={styles.list} aria-label="Nodes">
      {nodes.map((node) => (
        <li
          key={node.node_id}
          className={classNames(styles.item, node.node_id === selected && styles.chosen)}
        >
          <button
            type="button"
            className={styles.name}
            aria-current={node.node_id === selected ? 'true' : undefined}
            onClick={() => onSelect(node)}
          >
            {node.node_id}
          </button>
          <StatusBadge status={node.status} />
          <span className={styles.note}>
            {node.kind} · <DurationText from={node.started_at} to={node.ended_at} />
            {node.attempts > 1 ? ` · attempt ${node.attempts}` : ''}
            {node.visits > 1 ? ` · ${node.visits} visits` : ''}
          </span>
          {node.progress === null ? null : (
            <span className={styles.note}>{describeProgress(node.progress)}</span>
          )}
          {node.child_execution_id === null ? null : (
            <Link to="/executions/$id" params={{ id: node.child_execution_id }}>
              Open child execution
            </Link>
          )}
          {node.error === null ? null : <span className={styles.error}>{node.error}</span>}
        </li>
      ))}
    </ul>
  );
}

export function describeProgress(progress: {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}): string {
  const { done, total, failed } = progress;
  return `${done}/${total} items done${failed === 0 ? '' : `, ${failed} failed`}`;
}
