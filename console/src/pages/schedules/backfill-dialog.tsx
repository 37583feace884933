import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import type { Schedule } from './read-schedules.ts';

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/** Starts the fires of a time that has passed. It shows their number first. */
export function BackfillDialog({
  schedule,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { schedule_id: id, name } = schedule;
  const isReadable = INSTANT.test(from) && INSTANT.test(to);
  const foreseen = useQuery({
    queryKey: ['schedules', id, 'backfill', from, to],
    queryFn: () => call('backfill-schedule', { path: { id }, body: { from, to, dry_run: true } }),
    enabled: isReadable,
    retry: false,
  });
  const backfilling = useMutation({
    mutationFn: () => call('backfill-schedule', { path: { id }, body: { from, to } }),
    onSuccess: ({ fires, next_from: next, stopped_by: problem }) => {
      const started = fires.filter(({ outcome }) => outcome === 'started').length;
      notify(`Started ${started} fires of ${name}`);
      if (next === null) return onClose();
      setFrom(next);
      if (problem !== null) notify(`Stopped at ${next}: ${problem}`);
    },
  });
  const fires = foreseen.data?.fires ?? [];
  const news = fires.filter(({ outcome }) => outcome === 'would_start').length;
  const more = foreseen.data?.next_from ?? null;
  return (
    <FormDialog
      title={`Backfill schedule ${name}`}
      description="Starts the fires of a past time that have not started, in your name. The next fires stay."
      action="Start fires"
      hint={{
        command: `svc schedule backfill ${name} --from ${from || '…'} --to ${to || '…'}`,
        request: `POST /schedules/${id}/backfill`,
      }}
      sending={backfilling}
      isIncomplete={!isReadable || news === 0}
      onSend={() => backfilling.mutate()}
      onClose={onClose}
    >
      <TextField
        label="From"
        hint="Such as 2026-11-01 or 2026-11-01T06:00:00Z; this time is included."
        value={from}
        required
        autoComplete="off"
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        label="To"
        hint="Not included; must have passed."
        value={to}
        required
        autoComplete="off"
        onChange={(event) => setTo(event.target.value)}
      />
      <p role="status">
        {foreseen.error !== null
          ? foreseen.error.message
          : foreseen.data === undefined
            ? 'Enter both times to see the fires.'
            : `${news} of ${fires.length} fires have not started${more === null ? '' : `, and more from ${more}`}.`}
      </p>
    </FormDialog>
  );
}
