import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { Time } from '../../ui/data/time.tsx';
import type { Token } from './roles.ts';

/** Ends a token forever, after its name has been typed. */
export function RevokeTokenDialog({
  token,
  onClose,
}: {
  readonly token: Token;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => call('revoke-token', { path: { id: token.token_id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      notify(`Revoked ${token.name}`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke token ${token.name}`}
      action="Revoke token"
      name={token.name}
      busy={revoking.isPending}
      error={revoking.error}
      onConfirm={() => revoking.mutate()}
      onClose={onClose}
    >
      <p>Every process refuses it at once, and its open streams end. This cannot be undone.</p>
      <Facts
        facts={[
          ['Role', token.role],
          [
            'Last used',
            token.last_used_at === null ? 'never' : <Time key="used" at={token.last_used_at} />,
          ],
        ]}
      />
      <CallHint
        command={`svc token revoke ${token.token_id} --tenant ${token.tenant_id}`}
        request={`DELETE /tokens/${token.token_id}`}
      />
    </ConfirmDialog>
  );
}
