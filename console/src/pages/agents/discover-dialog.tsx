import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { CardView } from './card-view.tsx';

type Preview = ReplyOf<'preview-agent'>;

const OUTCOMES: Readonly<Record<Preview['outcome'], string>> = {
  registers: 'The discovery registers this agent.',
  refreshes: 'The discovery refreshes the card of an agent that was discovered here before.',
  refuses:
    'An agent with this id was registered in another way or discovered elsewhere. ' +
    'The discovery does not replace it.',
};

/** Shows the card at an address first, and registers its agent then. */
export function DiscoverDialog({
  onDiscovered,
  onClose,
}: {
  readonly onDiscovered: (agentId: string) => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const body = { url: url.trim() };
  const previewing = useMutation({ mutationFn: () => call('preview-agent', { body }) });
  const discovering = useMutation({
    mutationFn: () => call('discover-agent', { body }),
    onSuccess: ({ id, name }) => {
      void client.invalidateQueries({ queryKey: ['agents'] });
      notify(`Discovered ${name}`);
      onDiscovered(id);
    },
  });
  const preview = previewing.data;
  return (
    <FormDialog
      wide
      title="Discover an agent"
      description="Fetches the Agent Card that the server at an address publishes."
      action="Show the card"
      kind="normal"
      hint={{ request: 'POST /agents/discover' }}
      sending={previewing}
      next={
        <Button
          kind="primary"
          disabled={preview === undefined || preview.outcome === 'refuses'}
          busy={discovering.isPending}
          onClick={() => discovering.mutate()}
        >
          Discover
        </Button>
      }
      onSend={() => previewing.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        hint="Of the agent or of its server, http or https."
        value={url}
        required
        autoComplete="off"
        onChange={(event) => {
          setUrl(event.target.value);
          previewing.reset();
          discovering.reset();
        }}
      />
      <ActionError error={discovering.error} />
      {preview === undefined ? null : (
        <section aria-label="Preview">
          <h3>{preview.card.name}</h3>
          <p>{OUTCOMES[preview.outcome]}</p>
          <CardView card={preview.card} />
        </section>
      )}
    </FormDialog>
  );
}
