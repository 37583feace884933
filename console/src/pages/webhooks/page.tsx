import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { listOf } from '../../api/list-of.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { Deliveries } from './deliveries.tsx';
import { describeEvents, type Webhook } from './read-webhooks.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'delete'; readonly webhook: Webhook }
  | { readonly dialog: 'secret'; readonly url: string; readonly secret: string };

/** The webhooks of the tenant, and the messages of one of them. */
export function WebhooksPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const [open, setOpen] = useState<Open | null>(null);
  const query = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) => call('list-webhooks', { signal }),
  });
  const close = () => setOpen(null);
  const list = listOf(query, ({ webhooks }) => webhooks);
  const shown = list.rows.find(({ webhook_id: id }) => id === search.webhook);
  const closeShown = () => change({ webhook: undefined });
  return (
    <Stack>
      <PageHeader title="Webhooks" about="Servers that receive a message when something happens.">
        {can('POST', '/webhooks') ? (
          <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
            Create webhook…
          </Button>
        ) : null}
      </PageHeader>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no webhook yet">
            <p>A webhook sends a signed message when an execution ends or needs a decision.</p>
          </EmptyState>
        }
      >
        <DataTable
          label="Webhooks"
          rows={list.rows}
          rowKey={({ webhook_id: id }) => id}
          columns={
            can('DELETE', '/webhooks/:id')
              ? [...COLUMNS, actionsOf((webhook) => setOpen({ dialog: 'delete', webhook }))]
              : COLUMNS
          }
        />
      </ListContent>
      {shown === undefined ? null : <Deliveries webhook={shown} onClose={closeShown} />}
      {open?.dialog === 'create' ? (
        <CreateWebhookDialog
          onClose={close}
          onCreated={({ url, secret }) => setOpen({ dialog: 'secret', url, secret })}
        />
      ) : null}
      {open?.dialog === 'secret' ? (
        <WebhookSecretDialog url={open.url} secret={open.secret} onClose={close} />
      ) : null}
      {open?.dialog === 'delete' ? (
        <DeleteWebhookDialog
          webhook={open.webhook}
          onClose={close}
          onDeleted={() => {
            close();
            closeShown();
          }}
        />
      ) : null}
    </Stack>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'address',
    title: 'Address',
    cell: ({ url, webhook_id: id }) => (
      <Link to="/webhooks" search={{ webhook: id }} resetScroll={false}>
        {url}
      </Link>
    ),
  },
  { id: 'events', title: 'Events', cell: describeEvents },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) =>
      status === 'active' ? (
        <StatusBadge status={status} />
      ) : (
        <span title="The receiver answered 410: it is gone.">
          <StatusBadge status={status} />
        </span>
      ),
  },
  { id: 'created', title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
];

function actionsOf(onDelete: (webhook: Webhook) => void): Column<Webhook> {
  return {
    id: 'actions',
    title: 'Actions',
    cell: (webhook) => (
      <Button
        kind="danger"
        aria-label={`Delete the webhook to ${webhook.url}`}
        onClick={() => onDelete(webhook)}
      >
        Delete…
      </Button>
    ),
  };
}
