import { useState } from 'react';

import { call, type BodyOf } from '../../../api/client.ts';
import { TextArea, TextField } from '../../../ui/controls/field.tsx';
import { FormDialog } from '../../../ui/controls/form-dialog.tsx';
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
    <FormDialog
      title="Send an external event"
      description="A wait with this key takes the payload. Without a wait the event is kept for the next one."
      action="Send event"
      keep="Keep waiting"
      hint={{
        command: `svc execution send-event ${id} ${key} --payload '${text}'`,
        request: `POST /executions/${id}/external-event`,
      }}
      sending={send}
      isIncomplete={payload === null || key === ''}
      onSend={() => {
        if (payload !== null) send.mutate(payload.value);
      }}
      onClose={onClose}
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
    </FormDialog>
  );
}

function parsePayload(text: string): { readonly value: Payload } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
