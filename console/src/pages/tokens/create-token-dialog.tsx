import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { SelectField, TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { describeRole, ROLES } from './roles.ts';

const DAY_SECONDS = 86_400;
const LIFETIMES = [
  { value: '', label: 'Until it is revoked' },
  { value: String(DAY_SECONDS), label: 'One day' },
  { value: String(30 * DAY_SECONDS), label: '30 days' },
  { value: String(90 * DAY_SECONDS), label: '90 days' },
  { value: String(365 * DAY_SECONDS), label: 'A year' },
];

/** Creates a token of the tenant on screen. */
export function CreateTokenDialog({
  onCreated,
  onClose,
}: {
  readonly onCreated: (created: ReplyOf<'create-token'>) => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const tenantId = useTenantId();
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]['role']>('viewer');
  const [lifetime, setLifetime] = useState(LIFETIMES[3]?.value ?? '');
  const creating = useMutation({
    mutationFn: () => {
      const seconds = lifetime === '' ? {} : { expires_in_seconds: Number(lifetime) };
      return call('create-token', { body: { name: name.trim(), role, ...seconds } });
    },
    onSuccess: (created) => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      onCreated(created);
    },
  });
  return (
    <FormDialog
      title="Create a token"
      description={`In tenant ${tenantId}`}
      action="Create token"
      hint={{
        command: `svc token create --tenant ${tenantId} --role ${role} --name "${name.trim() || '<name>'}"`,
        request: 'POST /tokens',
      }}
      sending={creating}
      onSend={() => creating.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Whose it is. Events and the audit log show it."
        value={name}
        required
        maxLength={128}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Role"
        hint={describeRole(role)}
        value={role}
        options={ROLES.map((of) => ({ value: of.role, label: of.role }))}
        onChange={(event) => {
          const chosen = ROLES.find((of) => of.role === event.target.value);
          if (chosen !== undefined) setRole(chosen.role);
        }}
      />
      <SelectField
        label="Valid"
        value={lifetime}
        options={LIFETIMES}
        onChange={(event) => setLifetime(event.target.value)}
      />
    </FormDialog>
  );
}
