import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { SelectField, TextField } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
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
    <Dialog open onClose={onClose} title="Create a token" description={`In tenant ${tenantId}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Stack>
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
          <ActionError error={creating.error} />
          <CallHint
            command={`svc token create --tenant ${tenantId} --role ${role} --name "${name.trim() || '<name>'}"`}
            request="POST /tokens"
          />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" busy={creating.isPending}>
              Create token
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
