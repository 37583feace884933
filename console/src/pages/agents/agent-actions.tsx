import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Row } from '../../ui/layout/stack.tsx';
import type { Agent } from './read-agents.ts';

/** Activates an agent, or deactivates it after its name has been typed. */
export function AgentActions({ agent }: { readonly agent: Agent }) {
  const { can } = useSession();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const { id, name, status } = agent;
  const reload = () => void client.invalidateQueries({ queryKey: ['agents'] });
  const activating = useMutation({
    mutationFn: () => call('activate-agent', { path: { id } }),
    onSuccess: () => {
      reload();
      notify(`Activated ${name}`);
    },
  });
  const deactivating = useMutation({
    mutationFn: () => call('deactivate-agent', { path: { id } }),
    onSuccess: () => {
      reload();
      notify(`Deactivated ${name}`);
      setAsks(false);
    },
  });
  return (
    <Row>
      {status !== 'active' && can('POST', '/agents/:id/activate') ? (
        <Button
          aria-label={`Activate ${name}`}
          busy={activating.isPending}
          onClick={() => activating.mutate()}
        >
          Activate
        </Button>
      ) : null}
      {status !== 'deactivated' && can('POST', '/agents/:id/deactivate') ? (
        <Button kind="danger" aria-label={`Deactivate ${name}`} onClick={() => setAsks(true)}>
          Deactivate…
        </Button>
      ) : null}
      <ActionError error={activating.error} />
      {asks ? (
        <ConfirmDialog
          title={`Deactivate agent ${name}`}
          action="Deactivate agent"
          name={name}
          busy={deactivating.isPending}
          error={deactivating.error}
          onConfirm={() => deactivating.mutate()}
          onClose={() => setAsks(false)}
        >
          <p>Workflows that call it fail at that step until somebody activates it again.</p>
          <CallHint request={`POST /agents/${id}/deactivate`} />
        </ConfirmDialog>
      ) : null}
    </Row>
  );
}
