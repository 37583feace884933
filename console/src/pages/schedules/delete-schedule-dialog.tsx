import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { Time } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { describeTiming, type Schedule } from './read-schedules.ts';

/** Deletes a schedule after its name has been typed. */
export function DeleteScheduleDialog({
  schedule,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { schedule_id: id, name, next_run_at: next } = schedule;
  const deleting = useMutation({
    mutationFn: () => call('delete-schedule', { path: { id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['schedules'] });
      notify(`Deleted schedule ${name}`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete schedule ${name}`}
      action="Delete schedule"
      name={name}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <p>It fires no more. Executions that it has started continue.</p>
      <Facts
        facts={[
          ['Workflow', schedule.workflow_id],
          ['When', describeTiming(schedule)],
          ['Next fire', next === null ? 'none' : <Time key="next" at={next} />],
        ]}
      />
      <CallHint command={`svc schedule delete ${name}`} request={`DELETE /schedules/${id}`} />
    </ConfirmDialog>
  );
}
