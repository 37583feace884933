import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { CheckField, TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { EVENT_TYPES, type EventType } from './read-webhooks.ts';
import styles from './webhooks.module.css';

/** Creates a webhook; all events are chosen at first. */
export function CreateWebhookDialog({
  onCreated,
  onClose,
}: {
  readonly onCreated: (created: ReplyOf<'create-webhook'>) => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly EventType[]>(EVENT_TYPES);
  const creating = useMutation({
    mutationFn: () => {
      const isAll = chosen.length === EVENT_TYPES.length;
      return call('create-webhook', {
        body: { url: url.trim(), event_types: isAll ? null : [...chosen] },
      });
    },
    onSuccess: (created) => {
      void client.invalidateQueries({ queryKey: ['webhooks'] });
      onCreated(created);
    },
  });
  return (
    <FormDialog
      title="Create a webhook"
      description="Its address receives signed messages, in order for each execution."
      action="Create webhook"
      hint={{ command: `svc webhook create ${url.trim() || '<url>'}`, request: 'POST /webhooks' }}
      sending={creating}
      isIncomplete={chosen.length === 0}
      onSend={() => creating.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        hint="http or https, without credentials. It answers 200 to 299 when it has the message."
        value={url}
        required
        maxLength={2048}
        autoComplete="off"
        onChange={(event) => setUrl(event.target.value)}
      />
      <fieldset className={styles.events}>
        <legend>Events</legend>
        {EVENT_TYPES.map((type) => (
          <div key={type}>
            <CheckField
              label={type}
              checked={chosen.includes(type)}
              onChange={(event) =>
                setChosen(
                  EVENT_TYPES.filter((one) =>
                    one === type ? event.target.checked : chosen.includes(one),
                  ),
                )
              }
            />
          </div>
        ))}
      </fieldset>
      {chosen.length === 0 ? <p role="alert">Choose at least one event.</p> : null}
    </FormDialog>
  );
}
