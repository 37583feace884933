import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';

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
    <FormDialog
      title="Create a tenant"
      description="Tenants share the installation and see nothing of each other."
      action="Create tenant"
      hint={{ request: 'POST /tenants' }}
      sending={creating}
      onSend={() => creating.mutate()}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
