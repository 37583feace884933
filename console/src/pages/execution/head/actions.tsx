import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { useSession } from '../../../app/session.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
import { ExportButton } from './export-button.tsx';
import { PauseDialog } from './pause-dialog.tsx';
import { SendEventDialog } from './send-event-dialog.tsx';
import { hasEnded, type Execution } from './types.ts';
import { useAction } from './use-action.ts';

type Opened = 'cancel' | 'pause' | 'retry' | 'event' | null;

/** What can be done with the execution; what the role or the status refuses is not offered. */
export function ExecutionActions({ execution }: { readonly execution: Execution }) {
  const { can } = useSession();
  const [opened, setOpened] = useState<Opened>(null);
  const { execution_id: id, pauses } = execution;
  const isLive = !hasEnded(execution);
  const isPaused = pauses.some(({ scope }) => scope === 'execution');
  const mayRetry =
    (execution.status === 'failed' || execution.status === 'cancelled') &&
    execution.retried_as === null;
  const close = () => setOpened(null);
  return (
    <>
      {isLive && isPaused && can('POST', '/executions/:id/resume') ? (
        <ResumeButton id={id} />
      ) : null}
      {isLive && !isPaused && can('POST', '/executions/:id/pause') ? (
        <Button onClick={() => setOpened('pause')}>Pause</Button>
      ) : null}
      {isLive && can('POST', '/executions/:id/external-event') ? (
        <Button onClick={() => setOpened('event')}>Send event</Button>
      ) : null}
      {mayRetry && can('POST', '/executions/:id/retry') ? (
        <Button kind="primary" onClick={() => setOpened('retry')}>
          Retry
        </Button>
      ) : null}
      {can('GET', '/executions/:id/export') ? <ExportButton id={id} /> : null}
      {isLive && can('POST', '/executions/:id/cancel') ? (
        <Button kind="danger" onClick={() => setOpened('cancel')}>
          Cancel
        </Button>
      ) : null}
      {opened === 'pause' ? <PauseDialog id={id} onClose={close} /> : null}
      {opened === 'event' ? (
        <SendEventDialog
          id={id}
          correlationKey={execution.waiting_on.find(hasKey)?.correlation_key ?? ''}
          onClose={close}
        />
      ) : null}
      {opened === 'retry' ? <RetryDialog execution={execution} onClose={close} /> : null}
      {opened === 'cancel' ? <CancelDialog execution={execution} onClose={close} /> : null}
    </>
  );
}

export function ResumeButton({ id }: { readonly id: string }) {
  const resume = useAction('Resumed the execution', () =>
    call('resume-execution', { path: { id } }),
  );
  return (
    <>
      <Button kind="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
        Resume
      </Button>
      <ActionError error={resume.error} />
    </>
  );
}

function CancelDialog({
  execution,
  onClose,
}: {
  readonly execution: Execution;
  readonly onClose: () => void;
}) {
  const { execution_id: id, workflow_id: workflow } = execution;
  const cancel = useAction(
    'Cancelled the execution',
    () => call('cancel-execution', { path: { id } }),
    onClose,
  );
  return (
    <ConfirmDialog
      title="Cancel this execution?"
      action="Cancel execution"
      name={workflow}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p>
        This ends {id} of {workflow} and its running child executions. Work under way is revoked,
        and finalizers run. It cannot be undone; a retry starts a new execution.
      </p>
      <CallHint command={`svc execution cancel ${id}`} request={`POST /executions/${id}/cancel`} />
    </ConfirmDialog>
  );
}

function RetryDialog({
  execution,
  onClose,
}: {
  readonly execution: Execution;
  readonly onClose: () => void;
}) {
  const { execution_id: id } = execution;
  const navigate = useNavigate();
  const retry = useAction(
    'Started the retry',
    async () => {
      const { execution_id: next } = await call('retry-execution', { path: { id }, body: {} });
      await navigate({ to: '/executions/$id', params: { id: next } });
    },
    onClose,
  );
  return (
    <ConfirmDialog
      title="Retry this execution?"
      action="Retry execution"
      busy={retry.isPending}
      error={retry.error}
      onConfirm={() => retry.mutate()}
      onClose={onClose}
    >
      <p>A new execution resumes where this one failed. Recorded results are not called again.</p>
      <CallHint command={`svc execution retry ${id}`} request={`POST /executions/${id}/retry`} />
    </ConfirmDialog>
  );
}

function hasKey({ correlation_key: key }: Execution['waiting_on'][number]): boolean {
  return key !== null;
}
