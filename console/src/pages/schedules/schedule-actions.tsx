import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Row } from '../../ui/layout/stack.tsx';
import { BackfillDialog } from './backfill-dialog.tsx';
import { DeleteScheduleDialog } from './delete-schedule-dialog.tsx';
import { EditScheduleDialog } from './edit-schedule-dialog.tsx';
import type { Schedule } from './read-schedules.ts';
import { TriggerDialog } from './trigger-dialog.tsx';

type Open = 'trigger' | 'backfill' | 'edit' | 'delete';

/** The actions on a schedule that the role may take. */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const { can } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const { schedule_id: id, name, paused } = schedule;
  const pausing = useMutation({
    mutationFn: () => call('update-schedule', { path: { id }, body: { paused: !paused } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['schedules'] });
      notify(paused ? `Resumed schedule ${name}` : `Paused schedule ${name}`);
    },
  });
  const close = () => setOpen(null);
  const mayChange = can('PUT', '/schedules/:id');
  return (
    <Row>
      {can('POST', '/schedules/:id/trigger') ? (
        <Button aria-label={`Trigger ${name}`} onClick={() => setOpen('trigger')}>
          Trigger…
        </Button>
      ) : null}
      {can('POST', '/schedules/:id/backfill') ? (
        <Button aria-label={`Backfill ${name}`} onClick={() => setOpen('backfill')}>
          Backfill…
        </Button>
      ) : null}
      {mayChange ? (
        <Button
          aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
          busy={pausing.isPending}
          onClick={() => pausing.mutate()}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
      ) : null}
      {mayChange ? (
        <Button aria-label={`Change ${name}`} onClick={() => setOpen('edit')}>
          Change…
        </Button>
      ) : null}
      {can('DELETE', '/schedules/:id') ? (
        <Button kind="danger" aria-label={`Delete ${name}`} onClick={() => setOpen('delete')}>
          Delete…
        </Button>
      ) : null}
      <ActionError error={pausing.error} />
      {open === 'trigger' ? (
        <TriggerDialog
          schedule={schedule}
          onClose={close}
          onStarted={(executionId) =>
            void navigate({ to: '/executions/$id', params: { id: executionId } })
          }
        />
      ) : null}
      {open === 'backfill' ? <BackfillDialog schedule={schedule} onClose={close} /> : null}
      {open === 'edit' ? <EditScheduleDialog schedule={schedule} onClose={close} /> : null}
      {open === 'delete' ? <DeleteScheduleDialog schedule={schedule} onClose={close} /> : null}
    </Row>
  );
}
