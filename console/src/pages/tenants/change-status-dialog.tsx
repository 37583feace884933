import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import type { Tenant } from './limits.ts';

export type TenantStatus = Tenant['status'];

const CHANGES: Readonly<
  Record<TenantStatus, { readonly action: string; readonly means: string; readonly done: string }>
> = {
  active: {
    action: 'Activate tenant',
    means: 'Its executions continue where they rested, and its callers may write again.',
    done: 'Activated',
  },
  suspended: {
    action: 'Suspend tenant',
    means:
      'It may read and write nothing. No work is handed out, and timers and retries wait. ' +
      'Every process follows within a second.',
    done: 'Suspended',
  },
  archived: {
    action: 'Archive tenant',
    means: 'It may not even read, and nothing of it runs. Its data stays.',
    done: 'Archived',
  },
};

/** Changes what a tenant may do, after its id has been typed where that takes something away. */
export function ChangeStatusDialog({
  tenant,
  status,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly status: TenantStatus;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { action, means, done } = CHANGES[status];
  const changing = useMutation({
    mutationFn: () => call('update-tenant', { path: { id: tenant.id }, body: { status } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['tenants'] });
      notify(`${done} ${tenant.id}`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`${action} ${tenant.id}`}
      action={action}
      {...(status === 'active' ? {} : { name: tenant.id })}
      busy={changing.isPending}
      error={changing.error}
      onConfirm={() => changing.mutate()}
      onClose={onClose}
    >
      <p>{means}</p>
      <Facts
        facts={[
          ['Name', tenant.name],
          ['Now', tenant.status],
        ]}
      />
      <CallHint request={`PUT /tenants/${tenant.id} {"status":"${status}"}`} />
    </ConfirmDialog>
  );
}
