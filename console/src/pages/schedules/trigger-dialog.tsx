import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import type { Schedule } from './read-schedules.ts';

/** Starts the execution of a schedule now, once however often it is asked. */
export function TriggerDialog({
  schedule,
  onStarted,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly onStarted: (executionId: string) => void;
  readonly onClose: () => void;
}) {
  const [key] = useState(newKey);
  const { schedule_id: id, name, workflow_id: workflowId } = schedule;
  const triggering = useMutation({
    mutationFn: () =>
      call('trigger-schedule', { path: { id }, headers: { 'idempotency-key': key } }),
    onSuccess: ({ execution_id: executionId }) => {
      notify(`Triggered schedule ${name}`);
      onClose();
      onStarted(executionId);
    },
  });
  return (
    <FormDialog
      title={`Trigger schedule ${name}`}
      description={`Starts an execution of ${workflowId} now, in your name. The next fires stay.`}
      action="Start now"
      hint={{ command: `svc schedule trigger ${name}`, request: `POST /schedules/${id}/trigger` }}
      sending={triggering}
      onSend={() => triggering.mutate()}
      onClose={onClose}
    >
      <JsonView value={schedule.input} label="Input" />
    </FormDialog>
  );
}
