import { classNames } from '../../ui/class-names.ts';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { Time } from '../../ui/data/time.tsx';
import { DeadlineBadge } from './deadline.tsx';
import { titleOf } from './description.tsx';
import styles from './page.module.css';
import type { Approval } from './read-approvals.ts';

/** One approval of the list; its button chooses it. */
export function ApprovalRow({
  approval,
  selected,
  onSelect,
  isPicked,
  onPick,
}: {
  readonly approval: Approval;
  readonly selected: boolean;
  readonly onSelect: () => void;
  /** Whether it is one of several to decide together. */
  readonly isPicked: boolean;
  /** Null: approvals are not decided together here. */
  readonly onPick: ((isPicked: boolean) => void) | null;
}) {
  const { node_id: nodeId, workflow_id: workflowId, decision } = approval;
  const title = titleOf(approval);
  return (
    <div className={classNames(styles.line, selected && styles.selected)}>
      {onPick === null ? null : (
        <label className={styles.pick}>
          <span className="visually-hidden">
            Select {title} of {approval.execution_id}
          </span>
          <input
            type="checkbox"
            checked={isPicked}
            onChange={(event) => onPick(event.target.checked)}
          />
        </label>
      )}
      <button
        type="button"
        aria-current={selected || undefined}
        className={styles.row}
        onClick={onSelect}
      >
        <span className={styles.title}>{title}</span>
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
    </div>
  );
}
