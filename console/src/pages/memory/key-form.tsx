import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';

/** Tests and saves the key of the embedding provider, which no answer ever has. */
export function KeyForm({ configured }: { readonly configured: boolean }) {
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const body = { provider: 'openai', api_key: key } as const;
  const testing = useMutation({ mutationFn: () => call('test-memory-settings', { body }) });
  const saving = useMutation({
    mutationFn: () => call('save-memory-settings', { body }),
    onSuccess: () => {
      setKey('');
      testing.reset();
      void client.invalidateQueries({ queryKey: ['memory'] });
      notify('Saved the key');
    },
  });
  const { data } = testing;
  const tested =
    data === undefined ? null : data.ok ? 'The provider accepts this key.' : data.error;
  return (
    <Panel title={configured ? 'Replace the key' : 'Save a key'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TextField
            label="API key of OpenAI"
            hint="Kept encrypted, and never shown again."
            type="password"
            value={key}
            required
            autoComplete="off"
            onChange={(event) => {
              setKey(event.target.value);
              testing.reset();
            }}
          />
          <Row>
            <Button disabled={key === ''} busy={testing.isPending} onClick={() => testing.mutate()}>
              Test key
            </Button>
            <Button kind="primary" type="submit" busy={saving.isPending}>
              Save key
            </Button>
          </Row>
          <p role="status">{tested}</p>
          <ActionError error={saving.error ?? testing.error} />
          <CallHint request="POST /v1/memory/settings" />
        </Stack>
      </form>
    </Panel>
  );
}
