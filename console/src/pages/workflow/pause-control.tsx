import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import type { WorkflowPause } from '../workflows/read-workflows.ts';

/** Whether a workflow is paused, with the number of executions that it holds. */
export function PauseBadge({ pause }: { readonly pause: WorkflowPause | null }) {
  if (pause === null) return null;
  const held = `${pause.held_is_exact ? '' : 'more than '}${pause.held}`;
  return (
    <Badge tone="wait">
      {pause.state}, {held} held
    </Badge>
  );
}

/** Pauses a workflow with a reason, or resumes it; nothing for a role that may not. */
export function PauseButton({
  workflowId,
  pause,
}: {
  readonly workflowId: string;
  readonly pause: WorkflowPause | null;
}) {
  const { can } = useSession();
  const [isAsking, setAsking] = useState(false);
  const resume = useChange(workflowId, () => call('resume-workflow', { path: { id: workflowId } }));
  if (pause !== null && pause.state !== 'resuming') {
    if (!can('POST', '/workflows/:id/resume')) return null;
    return (
      <>
        <Button
          aria-label={`Resume ${workflowId}`}
          busy={resume.isPending}
          onClick={() => {
            resume.mutate(undefined, { onSuccess: () => notify(`Resumed ${workflowId}`) });
          }}
        >
          Resume
        </Button>
        <ActionError error={resume.error} />
      </>
    );
  }
  if (!can('POST', '/workflows/:id/pause')) return null;
  return (
    <>
      <Button aria-label={`Pause ${workflowId}`} onClick={() => setAsking(true)}>
        Pause
      </Button>
      {isAsking ? <PauseDialog workflowId={workflowId} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function PauseDialog({
  workflowId,
  onClose,
}: {
  readonly workflowId: string;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const pause = useChange(workflowId, () =>
    call('pause-workflow', {
      path: { id: workflowId },
      body: reason === '' ? {} : { reason },
    }),
  );
  return (
    <FormDialog
      title={`Pause ${workflowId}`}
      description="Running executions of every version are held after their current step, and new ones wait for the resume."
      action="Pause workflow"
      keep="Keep running"
      hint={{
        command: `svc workflow pause ${workflowId}`,
        request: `POST /workflows/${encodeURIComponent(workflowId)}/pause`,
      }}
      sending={pause}
      onSend={() =>
        pause.mutate(undefined, {
          onSuccess: () => {
            notify(`Paused ${workflowId}`);
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Reason"
        hint="Shown to everybody who wonders why nothing moves."
        maxLength={1_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}

function useChange(workflowId: string, change: () => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['workflows'] }),
        client.invalidateQueries({ queryKey: ['workflow', workflowId] }),
      ]),
  });
}
