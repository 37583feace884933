import { classNames } from '../../ui/class-names.ts';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { Time } from '../../ui/data/time.tsx';
import { DeadlineBadge } from './deadline.tsx';
import styles from './page.module.css';
import type { Approval } from './read-approvals.ts';

/** One approval of the list; its button chooses it. */
export function ApprovalRow({
  approval,
  selected,
  onSelect,
}: {
  readonly approval: Approval;
  readonly selected: boolean;
  readonly onSelect: () => void;
}) {
  const { description, node_id: nodeId, workflow_id: workflowId, decision } = approval;
  return (
    <button
      type="button"
      aria-current={selected || undefined}
      className={classNames(styles.row, selected && styles.selected)}
      onClick={onSelect}
    >
      <span className={styles.title}>{description ?? nodeId}</span>
      <span className={styles.about}>
        {workflowId}, {nodeId}
      </span>
      <span className={styles.badges}>
        <span className={styles.about}>
          asked <Time at={approval.requested_at} />
        </span>
        {decision === null ? (
          <DeadlineBadge at={approval.deadline_at} />
        ) : (
          <StatusBadge status={decision} />
        )}
      </span>
    </button>
  );
}
