import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { describeEvents, type Webhook } from './read-webhooks.ts';

/** Deletes a webhook after its address has been typed. */
export function DeleteWebhookDialog({
  webhook,
  onDeleted,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { webhook_id: id, url } = webhook;
  const deleting = useMutation({
    mutationFn: () => call('delete-webhook', { path: { id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['webhooks'] });
      notify(`Deleted the webhook to ${url}`);
      onDeleted();
    },
  });
  return (
    <ConfirmDialog
      title="Delete webhook"
      action="Delete webhook"
      name={url}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <p>It receives no more messages. Its pending messages and their log are deleted too.</p>
      <Facts facts={[['Events', describeEvents(webhook)]]} />
      <CallHint command={`svc webhook delete ${id}`} request={`DELETE /webhooks/${id}`} />
    </ConfirmDialog>
  );
}
