import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../../ui/controls/dialog.tsx';
import { TextField } from '../../../ui/controls/field.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
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
    <Dialog
      open
      onClose={onClose}
      title="Pause this execution"
      description="Work under way may finish and events are recorded, but no further step starts."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pause.mutate();
        }}
      >
        <TextField
          label="Reason"
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.target.value)}
        />
        <ActionError error={pause.error} />
        <CallHint command={`svc execution pause ${id}`} request={`POST /executions/${id}/pause`} />
        <DialogActions>
          <Button onClick={onClose}>Keep running</Button>
          <Button kind="primary" type="submit" busy={pause.isPending}>
            Pause execution
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
