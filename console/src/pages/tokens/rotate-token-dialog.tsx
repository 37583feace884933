import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { SelectField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import type { Token } from './roles.ts';

const GRACES = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'After an hour' },
  { value: '86400', label: 'After a day' },
  { value: '604800', label: 'After a week' },
];

/** Replaces a token with a new one of the same name, role and lifetime. */
export function RotateTokenDialog({
  token,
  onRotated,
  onClose,
}: {
  readonly token: Token;
  readonly onRotated: (rotated: ReplyOf<'rotate-token'>) => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [grace, setGrace] = useState(GRACES[1]?.value ?? '0');
  const rotating = useMutation({
    mutationFn: () =>
      call('rotate-token', {
        path: { id: token.token_id },
        query: { grace_seconds: Number(grace) },
      }),
    onSuccess: (rotated) => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      onRotated(rotated);
    },
  });
  return (
    <FormDialog
      title={`Rotate token ${token.name}`}
      description="Makes a new token of the same name, role and lifetime, which is shown once."
      action="Rotate token"
      hint={{
        command: `svc token rotate ${token.token_id} --tenant ${token.tenant_id} --grace ${grace}s`,
        request: `POST /tokens/${token.token_id}/rotate?grace_seconds=${grace}`,
      }}
      sending={rotating}
      onSend={() => rotating.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="The old token ends"
        hint="Until then both are accepted, so that clients can take the new one first."
        value={grace}
        options={GRACES}
        onChange={(event) => setGrace(event.target.value)}
      />
    </FormDialog>
  );
}
