import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { ActionError, EmptyState } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import type { Delivery, Webhook } from './read-webhooks.ts';

const PAGE = 50;
const READ_AGAIN_MS = 5_000;

/** The messages of a webhook, newest first, with what became of each. */
export function Deliveries({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const { can } = useSession();
  const { webhook_id: id, url, status } = webhook;
  const list = useByCursor({
    key: ['webhooks', 'deliveries', id],
    everyMs: READ_AGAIN_MS,
    read: async (cursor, signal) => {
      const query = { limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-deliveries', { path: { id }, query, signal });
      return { rows: page.deliveries, nextCursor: page.next_cursor };
    },
  });
  const mayRedeliver =
    status === 'active' && can('POST', '/webhooks/:id/deliveries/:delivery_id/redeliver');
  return (
    <Panel title={`Messages to ${url}`} actions={<Button onClick={onClose}>Close</Button>}>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no message yet">
            <p>The next event that the webhook asks for is sent to it.</p>
          </EmptyState>
        }
      >
        <DataTable
          label="Messages"
          rows={list.rows}
          rowKey={(delivery) => delivery.id}
          columns={mayRedeliver ? [...COLUMNS, redeliveryOf(id)] : COLUMNS}
        />
      </ListContent>
      <LoadMore list={list} />
    </Panel>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { id: 'event', title: 'Event', cell: ({ event_type: type }) => type },
  {
    id: 'execution',
    title: 'Execution',
    cell: ({ execution_id: id }) => (
      <Link to="/executions/$id" params={{ id }}>
        {id.slice(0, 13)}…
      </Link>
    ),
  },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'attempts', title: 'Attempts', numeric: true, cell: ({ attempts }) => attempts },
  {
    id: 'answer',
    title: 'Last answer',
    cell: ({ last_status: status, last_error: error }) => error ?? status ?? 'none',
  },
  {
    id: 'next',
    title: 'Next attempt',
    cell: ({ next_attempt_at: at }) => (at === null ? 'none' : <Time at={at} />),
  },
  { id: 'created', title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
];

function redeliveryOf(webhookId: string): Column<Delivery> {
  return {
    id: 'redeliver',
    title: 'Actions',
    cell: (delivery) =>
      delivery.status === 'pending' ? null : <Redeliver {...{ webhookId, delivery }} />,
  };
}

function Redeliver({
  webhookId,
  delivery,
}: {
  readonly webhookId: string;
  readonly delivery: Delivery;
}) {
  const client = useQueryClient();
  const { id, event_type: type } = delivery;
  const redelivering = useMutation({
    mutationFn: () => call('redeliver-message', { path: { id: webhookId, delivery_id: id } }),
    onSuccess: () => notify(`${type} is sent again`),
    // A refusal says that the message has changed, too.
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', webhookId] }),
  });
  return (
    <>
      <Button
        aria-label={`Send again: ${type}`}
        busy={redelivering.isPending}
        onClick={() => redelivering.mutate()}
      >
        Send again
      </Button>
      <ActionError error={redelivering.error} />
    </>
  );
}
