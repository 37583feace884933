import { Link } from '@tanstack/react-router';

import { useSession } from '../../app/session.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { AbsoluteTime, DurationText } from '../../ui/data/time.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { ApprovalAction } from './approval-action.tsx';
import { DeadlineText, describeOtherwise } from './deadline.tsx';
import { DecisionForm } from './decision-form.tsx';
import { titleOf, WholeDescription } from './description.tsx';
import { EndingNotice } from './ending-notice.tsx';
import styles from './page.module.css';
import { keyOf, nameOf, type Approval, type ApprovalName } from './read-approvals.ts';

/** One open approval: what is asked, until when, and the decision. */
export function OpenApproval({
  approval,
  onDecided,
  onGone,
}: {
  readonly approval: Approval;
  readonly onDecided: () => void;
  readonly onGone: () => void;
}) {
  const { can } = useSession();
  return (
    <Panel title={titleOf(approval)}>
      <WholeDescription description={approval.description} />
      <ApprovalAction approval={approval} />
      <Facts
        facts={[
          ...placeOf(approval),
          ['Waits for', <DurationText key="age" from={approval.requested_at} to={null} />],
          ['Deadline', <DeadlineText key="deadline" approval={approval} />],
          ['After a rejection', asSentence(describeOtherwise(approval.otherwise))],
        ]}
      />
      {can('POST', '/executions/:id/approve') ? (
        <DecisionForm
          key={keyOf(nameOf(approval))}
          approval={approval}
          onDecided={onDecided}
          onGone={onGone}
        />
      ) : (
        <p className={styles.about}>Your role reads approvals; it does not decide them.</p>
      )}
    </Panel>
  );
}

/** A decided approval, with the person who decided. */
export function DecidedApproval({ approval }: { readonly approval: Approval }) {
  const { decision, user_id: userId, actor_id: actorId, decided_at: at, comment } = approval;
  return (
    <Panel title={titleOf(approval)}>
      <WholeDescription description={approval.description} />
      <ApprovalAction approval={approval} />
      <Facts
        facts={[
          ...placeOf(approval),
          ['Decision', <StatusBadge key="decision" status={decision ?? ''} />],
          ['By', userId ?? actorId ?? ''],
          ['At', at === null ? '' : <AbsoluteTime key="at" at={at} />],
          ['Comment', comment ?? 'none'],
        ]}
      />
    </Panel>
  );
}

/** An approval that was open when this page was read: says who ended it, or what did. */
export function EndedApproval({
  name,
  approval,
}: {
  readonly name: ApprovalName;
  /** As it was last seen; null: the address alone names it. */
  readonly approval: Approval | null;
}) {
  return (
    <Panel title={approval === null ? name.node : titleOf(approval)}>
      <EndingNotice name={name} />
      {approval === null ? null : (
        <>
          <WholeDescription description={approval.description} />
          <ApprovalAction approval={approval} />
        </>
      )}
      <p>
        <Link to="/executions/$id" params={{ id: name.execution }}>
          Open the execution
        </Link>
      </p>
    </Panel>
  );
}

function asSentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

function placeOf(approval: Approval) {
  const { execution_id: id, workflow_id: workflowId, node_id: nodeId, step } = approval;
  return [
    [
      'Execution',
      <Link key="execution" to="/executions/$id" params={{ id }} search={{ node: nodeId }}>
        {id}
      </Link>,
    ],
    ['Workflow', workflowId],
    ['Node', step === null ? nodeId : `${nodeId}, wait ${step}`],
  ] as const;
}
