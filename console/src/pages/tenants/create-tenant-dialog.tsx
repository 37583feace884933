import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Stack } from '../../ui/layout/stack.tsx';

export function CreateTenantDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: () => call('create-tenant', { body: { id: id.trim(), name: name.trim() } }),
    onSuccess: ({ tenant_id: created }) => {
      void client.invalidateQueries({ queryKey: ['tenants'] });
      notify(`Created tenant ${created}`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create a tenant"
      description="Tenants share the installation and see nothing of each other."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Stack>
          <TextField
            label="Id"
            hint="1 to 63 of a-z, 0-9, - and _. It never changes."
            value={id}
            required
            pattern="[a-z0-9][a-z0-9_\-]{0,62}"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setId(event.target.value)}
          />
          <TextField
            label="Name"
            value={name}
            required
            maxLength={256}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
          <ActionError error={creating.error} />
          <CallHint request="POST /tenants" />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" busy={creating.isPending}>
              Create tenant
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
