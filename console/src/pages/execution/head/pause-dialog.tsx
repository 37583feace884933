import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { TextField } from '../../../ui/controls/field.tsx';
import { FormDialog } from '../../../ui/controls/form-dialog.tsx';
import { useAction } from './use-action.ts';

export function PauseDialog({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const pause = useAction(
    'Paused the execution',
    () => call('pause-execution', { path: { id }, body: reason === '' ? {} : { reason } }),
    onClose,
  );
  return (
    <FormDialog
      title="Pause this execution"
      description="Work under way may finish and events are recorded, but no further step starts."
      action="Pause execution"
      keep="Keep running"
      hint={{ command: `svc execution pause ${id}`, request: `POST /executions/${id}/pause` }}
      sending={pause}
      onSend={() => pause.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        value={reason}
        maxLength={1_000}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}
