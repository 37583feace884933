import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LongText } from '../../ui/data/long-text.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { Row } from '../../ui/layout/stack.tsx';
import { LetterDialog } from './letter-dialog.tsx';
import styles from './page.module.css';
import { Undoing } from './undoing.tsx';
import { RepeatDialog } from './repeat-dialog.tsx';

type Letter = ReplyOf<'list-dead-letters'>['work_items'][number];

const PAGE = 50;

/** Every item whose attempts are used up, the latest first. */
export function DeadLetters() {
  const { can } = useSession();
  const tenant = useTenantId();
  const [chosen, setChosen] = useState<Letter | null>(null);
  const [read, setRead] = useState<string | null>(null);
  const list = useByCursor({
    key: ['dead-letters', tenant],
    read: async (cursor, signal) => {
      const query = { status: 'dead_lettered' as const, limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-dead-letters', { query, signal });
      return { rows: page.work_items, nextCursor: page.next_cursor };
    },
  });
  const mayRequeue = can('POST', '/work-items/:id/requeue');
  return (
    <>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no dead letter">
            <p>An item whose attempts are used up stays here, so that it can be requeued.</p>
          </EmptyState>
        }
      >
        <div className={styles.view}>
          <DataTable
            label="Dead letters"
            columns={[...COLUMNS, actionColumn(setRead, mayRequeue ? setChosen : null)]}
            rows={list.rows}
            rowKey={({ id }) => id}
          />
          <LoadMore list={list} />
          <CallHint command="svc work-item list" request="GET /work-items?status=dead_lettered" />
        </div>
      </ListContent>
      {read === null ? null : <LetterDialog id={read} onClose={() => setRead(null)} />}
      {chosen === null ? null : (
        <RepeatDialog
          members={[{ execution_id: chosen.execution_id, work_item_id: chosen.id }]}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Letter>[] = [
  { id: 'at', title: 'When', cell: ({ dead_lettered_at: at }) => <Time at={at} /> },
  {
    id: 'node',
    title: 'Node',
    cell: ({ execution_id: id, node_id: node }) => (
      <Link to="/executions/$id" params={{ id }}>
        {node}
      </Link>
    ),
  },
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <code>{tool}</code> },
  { id: 'attempts', title: 'Attempts', numeric: true, cell: ({ attempt }) => attempt + 1 },
  { id: 'error', title: 'Error', cell: ({ error }) => <LongText text={error} /> },
  {
    id: 'undoes',
    title: 'Undoes',
    cell: (letter) => (letter.undoes === null ? 'nothing' : <Undoing letter={letter} />),
  },
  {
    id: 'handled',
    title: 'Handled',
    cell: ({ handled }) => (handled ? <Badge tone="idle">the execution continued</Badge> : 'no'),
  },
];

function actionColumn(
  read: (id: string) => void,
  requeue: ((letter: Letter) => void) | null,
): Column<Letter> {
  return {
    id: 'action',
    title: 'Actions',
    cell: (letter) => (
      <Row>
        <Button aria-label={`Show ${letter.id}`} onClick={() => read(letter.id)}>
          Show
        </Button>
        {requeue === null ? null : (
          <Button aria-label={`Requeue ${letter.id}`} onClick={() => requeue(letter)}>
            Requeue
          </Button>
        )}
      </Row>
    ),
  };
}
