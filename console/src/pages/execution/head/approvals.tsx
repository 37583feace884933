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
import { useReading } from '../use-reading.ts';
import styles from './head.module.css';
import type { Approval } from './types.ts';
import { expectAccepted, useAction } from './use-action.ts';

/** What a person must decide, each with what exactly is approved. */
export function Approvals({ id, seen }: { readonly id: string; readonly seen: number }) {
  const { data, error, refetch } = useReading('list-approvals', {
    key: [seen],
    params: { path: { id } },
  });
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
  if (data === undefined || data.pending.length === 0) return null;
  return (
    <Panel title="Waiting for a decision">
      {data.pending.map((approval) => (
        <PendingApproval
          key={`${approval.node_id} ${approval.visit} ${approval.step ?? ''}`}
          id={id}
          approval={approval}
        />
      ))}
    </Panel>
  );
}

function PendingApproval({ id, approval }: { readonly id: string; readonly approval: Approval }) {
  const { can } = useSession();
  const [comment, setComment] = useState('');
  const { node_id: node, step, shown, shown_hash: hash } = approval;
  const decide = useAction('Recorded the decision', (decision: 'approved' | 'rejected') =>
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
  );
  const flags = `${hash === null ? '' : ` --shown-hash ${hash}`} --node ${node}`;
  return (
    <article className={styles.approval} aria-label={`Approval of ${node}`}>
      <h3>{approval.description ?? node}</h3>
      <p>
        Node {node}
        {step === undefined ? '' : `, step ${step}`}, asked <Time at={approval.requested_at} />
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
            <Button
              kind="primary"
              busy={decide.isPending}
              onClick={() => decide.mutate('approved')}
            >
              Approve
            </Button>
            <Button kind="danger" busy={decide.isPending} onClick={() => decide.mutate('rejected')}>
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
