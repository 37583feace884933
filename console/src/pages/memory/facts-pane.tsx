import { useState } from 'react';

import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import { FactText } from './fact-text.tsx';
import { ForgetFactDialog, ForgetUserDialog } from './forget-dialogs.tsx';
import { describeScope, useFacts, type Fact } from './read-facts.ts';

type Open =
  | { readonly dialog: 'fact'; readonly fact: Fact }
  | { readonly dialog: 'user'; readonly endUserId: string };

/** The facts of the tenant, newest first. */
export function FactsPane() {
  const { can } = useSession();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useFacts();
  const close = () => setOpen(null);
  return (
    <Stack>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no fact yet">
            <p>
              Agents remember facts. Save a key of an embedding provider, and add one here to try.
            </p>
          </EmptyState>
        }
      >
        <DataTable
          label="Facts"
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={can('POST', '/v1/memory/forget') ? [...COLUMNS, actionsOf(setOpen)] : COLUMNS}
        />
      </ListContent>
      <LoadMore list={list} />
      {open?.dialog === 'fact' ? <ForgetFactDialog fact={open.fact} onClose={close} /> : null}
      {open?.dialog === 'user' ? (
        <ForgetUserDialog endUserId={open.endUserId} onClose={close} />
      ) : null}
    </Stack>
  );
}

const COLUMNS: readonly Column<Fact>[] = [
  { id: 'content', title: 'Fact', cell: ({ content }) => <FactText content={content} /> },
  { id: 'scope', title: 'Whose', cell: describeScope },
  {
    id: 'metadata',
    title: 'Metadata',
    cell: ({ id, metadata }) =>
      Object.keys(metadata).length === 0 ? (
        'none'
      ) : (
        <JsonView value={metadata} label={`Metadata of fact ${id}`} openDepth={0} />
      ),
  },
  { id: 'created', title: 'Added', cell: ({ created_at: at }) => <Time at={at} /> },
];

function actionsOf(onOpen: (open: Open) => void): Column<Fact> {
  return {
    id: 'actions',
    title: 'Actions',
    cell: (fact) => {
      const { content, end_user_id: endUserId } = fact;
      return (
        <Row>
          <Button
            kind="danger"
            aria-label={`Forget: ${content.slice(0, 60)}`}
            onClick={() => onOpen({ dialog: 'fact', fact })}
          >
            Forget…
          </Button>
          {endUserId === null ? null : (
            <Button kind="danger" onClick={() => onOpen({ dialog: 'user', endUserId })}>
              Forget all of {endUserId}…
            </Button>
          )}
        </Row>
      );
    },
  };
}
