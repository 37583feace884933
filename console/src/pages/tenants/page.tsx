import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Menu } from '../../ui/controls/menu.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { ChangeStatusDialog, type TenantStatus } from './change-status-dialog.tsx';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';
import { EditTenantDialog } from './edit-tenant-dialog.tsx';
import { describeLimits, type Tenant } from './limits.ts';

const PAGE = 100;
/** It manages the others and stays active. */
const DEFAULT_TENANT = 'default';

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'edit'; readonly tenant: Tenant }
  | { readonly dialog: 'status'; readonly tenant: Tenant; readonly status: TenantStatus };

/** The tenants of the installation, their limits, and what they may do. */
export function TenantsPage() {
  const { who, can } = useSession();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useByCursor({
    key: ['tenants', 'list'],
    read: async (cursor, signal) => {
      const query = { limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-tenants', { query, signal });
      return { rows: page.tenants, nextCursor: page.next_cursor };
    },
  });
  const close = () => setOpen(null);
  const create =
    who.is_operator && can('POST', '/tenants') ? (
      <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
        Create tenant…
      </Button>
    ) : null;
  const mayChange = who.is_operator && can('PUT', '/tenants/:id');
  return (
    <Stack>
      <PageHeader title="Tenants" about="Each has workflows, executions and tokens of its own.">
        {create}
      </PageHeader>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no tenant to see">
            <p>A tenant exists as soon as an operator creates it.</p>
            {create}
          </EmptyState>
        }
      >
        <DataTable
          label="Tenants"
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={mayChange ? [...COLUMNS, actionsOf(setOpen)] : COLUMNS}
        />
      </ListContent>
      <LoadMore list={list} />
      {open?.dialog === 'create' ? <CreateTenantDialog onClose={close} /> : null}
      {open?.dialog === 'edit' ? <EditTenantDialog tenant={open.tenant} onClose={close} /> : null}
      {open?.dialog === 'status' ? (
        <ChangeStatusDialog tenant={open.tenant} status={open.status} onClose={close} />
      ) : null}
    </Stack>
  );
}

const STATUSES: readonly { readonly status: TenantStatus; readonly label: string }[] = [
  { status: 'active', label: 'Activate…' },
  { status: 'suspended', label: 'Suspend…' },
  { status: 'archived', label: 'Archive…' },
];

function statusesFor(tenant: Tenant) {
  if (tenant.id === DEFAULT_TENANT) return [];
  return STATUSES.filter(({ status }) => status !== tenant.status);
}

const COLUMNS: readonly Column<Tenant>[] = [
  { id: 'id', title: 'Id', cell: ({ id }) => <code>{id}</code> },
  { id: 'name', title: 'Name', cell: ({ name }) => name },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'limits', title: 'Limits', cell: ({ limits }) => describeLimits(limits) },
  { id: 'created', title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { id: 'changed', title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];

function actionsOf(onOpen: (open: Open) => void): Column<Tenant> {
  return {
    id: 'actions',
    title: 'Actions',
    cell: (tenant) => (
      <Menu
        label={`Change ${tenant.id}`}
        entries={[
          { label: 'Name and limits…', onSelect: () => onOpen({ dialog: 'edit', tenant }) },
          ...statusesFor(tenant).map(({ status, label }) => ({
            label,
            danger: status !== 'active',
            onSelect: () => onOpen({ dialog: 'status', tenant, status }),
          })),
        ]}
      />
    ),
  };
}
