import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { nameOf, type Policy } from './policies.ts';

/** Removes a policy; a broader one, or the configuration, decides from then on. */
export function RemovePolicyDialog({
  policy,
  onClose,
}: {
  readonly policy: Policy;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const name = nameOf(policy);
  const removing = useMutation({
    mutationFn: () => {
      const { workflow_id: id } = policy;
      return call('remove-retention-policy', { query: id === null ? {} : { workflow_id: id } });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['retention'] });
      notify(`Removed the policy of ${name}`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Remove the policy of ${name}`}
      action="Remove policy"
      name={name}
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      <p>A broader policy or the configuration decides from then on, and may remove more.</p>
    </ConfirmDialog>
  );
}
