import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type BodyOf } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { Loading } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { FactText } from './fact-text.tsx';
import { describeScope, findFactsOf, SCANNED_MAX, type Fact } from './read-facts.ts';

const SHOWN = 5;

/** Forgets one fact, with the reason that the audit log keeps. */
export function ForgetFactDialog({
  fact,
  onClose,
}: {
  readonly fact: Fact;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const forgetting = useForget(onClose);
  return (
    <FormDialog
      title="Forget fact"
      action="Forget fact"
      keep="Keep"
      kind="danger"
      hint={{ request: 'POST /v1/memory/forget' }}
      sending={forgetting}
      onSend={() => forgetting.mutate({ id: fact.id, reason })}
      onClose={onClose}
    >
      <blockquote>
        <FactText content={fact.content} />
      </blockquote>
      <Facts facts={[['Whose', describeScope(fact)]]} />
      <ReasonField reason={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Forgets all facts of an end user, after a look at those that it hits. */
export function ForgetUserDialog({
  endUserId,
  onClose,
}: {
  readonly endUserId: string;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const forgetting = useForget(onClose);
  const found = useQuery({
    queryKey: ['memory', 'facts-of', endUserId],
    queryFn: ({ signal }) => findFactsOf(endUserId, signal),
    staleTime: 0,
  });
  const facts = found.data?.facts ?? [];
  return (
    <ConfirmDialog
      title={`Forget all facts of ${endUserId}`}
      action="Forget all"
      name={endUserId}
      busy={forgetting.isPending}
      error={forgetting.error ?? found.error}
      onConfirm={() => forgetting.mutate({ end_user_id: endUserId, reason })}
      onClose={onClose}
    >
      {found.isPending ? <Loading label="Reading the facts that this hits…" /> : null}
      {found.data === undefined ? null : (
        <>
          <p>
            {found.data.isAll
              ? `This forgets ${facts.length} ${facts.length === 1 ? 'fact' : 'facts'}.`
              : `This forgets ${facts.length} of the newest ${SCANNED_MAX} facts, and older ones of this user.`}
          </p>
          <ul>
            {facts.slice(0, SHOWN).map((fact) => (
              <li key={fact.id}>
                <FactText content={fact.content} />
              </li>
            ))}
          </ul>
          {facts.length > SHOWN ? <p>And {facts.length - SHOWN} more.</p> : null}
        </>
      )}
      <ReasonField reason={reason} onChange={setReason} />
      <CallHint request="POST /v1/memory/forget" />
    </ConfirmDialog>
  );
}

function ReasonField({
  reason,
  onChange,
}: {
  readonly reason: string;
  readonly onChange: (reason: string) => void;
}) {
  return (
    <TextField
      label="Reason"
      hint="The audit log keeps it."
      value={reason}
      required
      pattern=".*\S.*"
      maxLength={2000}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function useForget(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<'forget-facts'>) => call('forget-facts', { body }),
    onSuccess: ({ count }) => {
      void client.invalidateQueries({ queryKey: ['memory'] });
      notify(`Forgot ${count} ${count === 1 ? 'fact' : 'facts'}`);
      onDone();
    },
  });
}
