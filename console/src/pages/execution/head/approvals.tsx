import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { useSession } from '../../../app/session.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { TextField } from '../../../ui/controls/field.tsx';
import { Copyable } from '../../../ui/data/copyable.tsx';
import { JsonView } from '../../../ui/data/json-view.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError, ErrorState } from '../../../ui/feedback/states.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { DeadlineText, describeOtherwise } from '../../inbox/deadline.tsx';
import { titleOf, WholeDescription } from '../../inbox/description.tsx';
import { useDraft } from '../../inbox/drafts.ts';
import { EndingNotice } from '../../inbox/ending-notice.tsx';
import { keyOf, type ApprovalName } from '../../inbox/read-approvals.ts';
import { useReading } from '../use-reading.ts';
import styles from './head.module.css';
import type { Approval } from './types.ts';
import { expectAccepted, useAction } from './use-action.ts';

/** What a person must decide, each with what exactly is approved, and what others decided meanwhile. */
export function Approvals({
  id,
  seen,
  isAsked,
}: {
  readonly id: string;
  readonly seen: number;
  /** Whether the execution asks a person now. */
  readonly isAsked: boolean;
}) {
  const [shown, setShown] = useState<readonly Approval[]>([]);
  const [closed, setClosed] = useState<readonly string[]>([]);
  // The event of a decision may arrive before the answer to the request that made it.
  const [sent, setSent] = useState<readonly string[]>([]);
  const open = shown.filter((approval) => !closed.includes(draftKeyOf(id, approval)));
  const { data, error, refetch } = useReading('list-approvals', {
    key: [seen],
    params: { path: { id } },
    enabled: isAsked || open.length > 0,
  });
  if (data === undefined) {
    return error === null ? null : <ErrorState error={error} onRetry={refetch} />;
  }
  const waits = (key: string) =>
    sent.includes(key) || data.pending.some((one) => draftKeyOf(id, one) === key);
  const unseen = data.pending.filter(
    (one) => !shown.some((known) => draftKeyOf(id, known) === draftKeyOf(id, one)),
  );
  if (unseen.length > 0) setShown([...shown, ...unseen]);
  if (open.length === 0) return null;
  return (
    <Panel title={isAsked ? 'Waiting for a decision' : 'No longer waiting for a decision'}>
      {open.map((approval) => {
        const key = draftKeyOf(id, approval);
        const close = () => setClosed((others) => [...others, key]);
        return waits(key) ? (
          <PendingApproval
            key={key}
            id={id}
            approval={approval}
            onSend={() => setSent((others) => [...others, key])}
            onRefused={() => setSent((others) => others.filter((other) => other !== key))}
            onDecided={close}
          />
        ) : (
          <EndedApproval key={key} id={id} approval={approval} onClose={close} />
        );
      })}
    </Panel>
  );
}

/** It stays until somebody has read it, with the comment that was being written. */
function EndedApproval({
  id,
  approval,
  onClose,
}: {
  readonly id: string;
  readonly approval: Approval;
  readonly onClose: () => void;
}) {
  const { node_id: node } = approval;
  const [, setComment] = useDraft(draftKeyOf(id, approval));
  return (
    <article className={styles.approval} aria-label={`Decision on ${node}`}>
      <h3>{titleOf(approval)}</h3>
      <WholeDescription description={approval.description} />
      <EndingNotice name={nameOf(id, approval)} />
      <div className={styles.buttons}>
        <Button
          onClick={() => {
            setComment('');
            onClose();
          }}
        >
          Close
        </Button>
      </div>
    </article>
  );
}

function PendingApproval({
  id,
  approval,
  onSend,
  onRefused,
  onDecided,
}: {
  readonly id: string;
  readonly approval: Approval;
  readonly onSend: () => void;
  readonly onRefused: () => void;
  readonly onDecided: () => void;
}) {
  const { can } = useSession();
  const [comment, setComment] = useDraft(draftKeyOf(id, approval));
  const { node_id: node, step, shown, shown_hash: hash } = approval;
  const decide = useAction(
    'Recorded the decision',
    (decision: 'approved' | 'rejected') =>
      expectAccepted(
        call('approve-execution', {
          path: { id },
          body: {
            decision,
            node_id: node,
            ...(step === undefined ? {} : { step }),
            // The service refuses the decision if the execution asks something else by now.
            ...(hash === null ? {} : { shown_hash: hash }),
            ...(comment === '' ? {} : { comment }),
          },
        }),
        'Nothing was recorded: the execution no longer waits for this decision.',
      ),
    () => {
      setComment('');
      onDecided();
    },
  );
  const send = (decision: 'approved' | 'rejected') => {
    onSend();
    decide.mutate(decision, { onError: onRefused });
  };
  const flags = `${hash === null ? '' : ` --shown-hash ${hash}`} --node ${node}`;
  return (
    <article className={styles.approval} aria-label={`Approval of ${node}`}>
      <h3>{titleOf(approval)}</h3>
      <WholeDescription description={approval.description} />
      <p>
        Node {node}
        {step === undefined ? '' : `, step ${step}`}, asked <Time at={approval.requested_at} />
      </p>
      <p>
        <DeadlineText approval={approval} /> After a rejection,{' '}
        {describeOtherwise(approval.otherwise)}.
      </p>
      {shown === null ? null : <JsonView label={`What ${node} asks to approve`} value={shown} />}
      {hash === null ? null : (
        <p>
          Hash of what is shown <Copyable text={hash} label="hash" shorten />
        </p>
      )}
      {can('POST', '/executions/:id/approve') ? (
        <>
          <TextField
            label="Comment"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <div className={styles.buttons}>
            <Button kind="primary" busy={decide.isPending} onClick={() => send('approved')}>
              Approve
            </Button>
            <Button kind="danger" busy={decide.isPending} onClick={() => send('rejected')}>
              Reject
            </Button>
          </div>
          <ActionError error={decide.error} />
          <CallHint
            command={`svc execution approve ${id}${flags}`}
            request={`POST /executions/${id}/approve`}
          />
        </>
      ) : (
        <p>Your role may not decide this.</p>
      )}
    </article>
  );
}

function nameOf(execution: string, { node_id: node, visit, step }: Approval): ApprovalName {
  return { execution, node, visit: String(visit), step: step ?? '' };
}

/** The inbox uses the same key, so that people can finish a comment here that they began there. */
function draftKeyOf(execution: string, approval: Approval): string {
  return keyOf(nameOf(execution, approval));
}
