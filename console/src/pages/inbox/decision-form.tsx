import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type KeyboardEvent } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useShortcuts } from '../../app/use-shortcuts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextArea } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { useDraft } from './drafts.ts';
import styles from './page.module.css';
import { keyOf, nameOf, type Approval } from './read-approvals.ts';

type Decision = 'approved' | 'rejected';

const CONFLICT = 409;

/**
 * Approves or rejects, with a comment. `a` and `r` lead to the comment, and Enter there decides, so
 * that one slip of a key decides nothing.
 */
export function DecisionForm({
  approval,
  onDecided,
  onGone,
}: {
  readonly approval: Approval;
  readonly onDecided: () => void;
  /** Somebody else was faster, or what is asked has changed. */
  readonly onGone: () => void;
}) {
  const client = useQueryClient();
  const field = useRef<HTMLDivElement>(null);
  const [prepared, setPrepared] = useState<Decision | null>(null);
  const [comment, setComment] = useDraft(keyOf(nameOf(approval)));
  const decide = useMutation({
    mutationFn: (decision: Decision) =>
      call('approve-execution', {
        path: { id: approval.execution_id },
        body: { decision, ...requestOf(approval), ...(comment === '' ? {} : { comment }) },
      }),
    onSuccess: ({ accepted }, decision) => {
      if (!accepted) return onGone();
      setComment('');
      notify(`${decision === 'approved' ? 'Approved' : 'Rejected'} ${approval.node_id}`);
      onDecided();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === CONFLICT) onGone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const prepare = (decision: Decision) => {
    setPrepared(decision);
    field.current?.querySelector('textarea')?.focus();
  };
  useShortcuts({ a: () => prepare('approved'), r: () => prepare('rejected') });
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      setPrepared(null);
      event.currentTarget.blur();
    }
    const sends = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
    if (!sends || prepared === null || decide.isPending) return;
    event.preventDefault();
    decide.mutate(prepared);
  };
  return (
    <div className={styles.form} ref={field}>
      <TextArea
        label="Comment"
        rows={2}
        value={comment}
        hint={prepared === null ? HINT : `Enter records “${prepared}”; Escape leaves the field.`}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.buttons}>
        <Button
          kind="primary"
          aria-keyshortcuts="a"
          busy={decide.isPending}
          onClick={() => decide.mutate('approved')}
        >
          Approve
        </Button>
        <Button
          kind="danger"
          aria-keyshortcuts="r"
          busy={decide.isPending}
          onClick={() => decide.mutate('rejected')}
        >
          Reject
        </Button>
      </div>
      <ActionError error={decide.error} />
      <CallHint
        command={`svc execution approve ${approval.execution_id}`}
        request={`POST /executions/${approval.execution_id}/approve`}
      />
    </div>
  );
}

const HINT =
  'Keys: a approves and r rejects after Enter; j and k move through the list, x selects.';

function requestOf({ node_id, shown_hash, step }: Approval) {
  return {
    node_id,
    ...(shown_hash === null ? {} : { shown_hash }),
    ...(step === null ? {} : { step }),
  };
}
