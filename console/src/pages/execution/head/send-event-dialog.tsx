import { useState } from 'react';

import { call, type BodyOf } from '../../../api/client.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../../ui/controls/dialog.tsx';
import { TextArea, TextField } from '../../../ui/controls/field.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
import { expectAccepted, useAction } from './use-action.ts';

type Payload = BodyOf<'deliver-external-event'>['payload'];

/** Delivers an external event; the key that the execution waits for is filled in. */
export function SendEventDialog({
  id,
  correlationKey,
  onClose,
}: {
  readonly id: string;
  readonly correlationKey: string;
  readonly onClose: () => void;
}) {
  const [key, setKey] = useState(correlationKey);
  const [text, setText] = useState('{}');
  const payload = parsePayload(text);
  const send = useAction(
    'Sent the event',
    (given: Payload) =>
      expectAccepted(
        call('deliver-external-event', {
          path: { id },
          body: { correlation_key: key, payload: given },
        }),
        'The execution did not take the event: it has ended.',
      ),
    onClose,
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send an external event"
      description="A wait with this key takes the payload. Without a wait the event is kept for the next one."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (payload !== null && key !== '') send.mutate(payload.value);
        }}
      >
        <TextField
          label="Correlation key"
          value={key}
          required
          spellCheck={false}
          onChange={(event) => setKey(event.target.value)}
        />
        <TextArea
          label="Payload, as JSON"
          value={text}
          spellCheck={false}
          problem={payload === null ? 'This is no JSON.' : null}
          onChange={(event) => setText(event.target.value)}
        />
        <ActionError error={send.error} />
        <CallHint
          command={`svc execution send-event ${id} ${key} --payload '${text}'`}
          request={`POST /executions/${id}/external-event`}
        />
        <DialogActions>
          <Button onClick={onClose}>Keep waiting</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={payload === null || key === ''}
            busy={send.isPending}
          >
            Send event
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function parsePayload(text: string): { readonly value: Payload } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
