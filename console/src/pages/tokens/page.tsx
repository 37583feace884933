import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge, type Tone } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { describeRole, statusOf, type Token, type TokenStatus } from './roles.ts';
import { RotateTokenDialog } from './rotate-token-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const PAGE = 100;
const TONES: Readonly<Record<TokenStatus, Tone>> = {
  active: 'ok',
  expired: 'idle',
  revoked: 'bad',
  replaced: 'idle',
};

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly dialog: 'secret'; readonly token: Token; readonly secret: string };

/** The tokens of the tenant: made with the secret shown once, rotated, revoked. */
export function TokensPage() {
  const { can } = useSession();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useByCursor({
    key: ['tokens'],
    read: async (cursor, signal) => {
      const query = { limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-tokens', { query, signal });
      return { rows: page.tokens, nextCursor: page.next_cursor };
    },
  });
  const close = () => setOpen(null);
  const create = can('POST', '/tokens') ? (
    <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
      Create token…
    </Button>
  ) : null;
  const rights = {
    rotate: can('POST', '/tokens/:id/rotate'),
    revoke: can('DELETE', '/tokens/:id'),
  };
  return (
    <Stack>
      <PageHeader title="Tokens" about="Who may call the API of this tenant, and in which role.">
        {create}
      </PageHeader>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no token yet">
            <p>Create one for each person, program and worker: each can be revoked alone.</p>
            {create}
          </EmptyState>
        }
      >
        <DataTable
          label="Tokens"
          rows={list.rows}
          rowKey={({ token_id: id }) => id}
          columns={
            rights.rotate || rights.revoke ? [...COLUMNS, actionsOf(rights, setOpen)] : COLUMNS
          }
        />
      </ListContent>
      <LoadMore list={list} />
      {open?.dialog === 'create' ? (
        <CreateTokenDialog
          onClose={close}
          onCreated={({ token: secret, ...token }) => setOpen({ dialog: 'secret', token, secret })}
        />
      ) : null}
      {open?.dialog === 'rotate' ? (
        <RotateTokenDialog
          token={open.token}
          onClose={close}
          onRotated={({ token: secret, replaced: _, ...token }) =>
            setOpen({ dialog: 'secret', token, secret })
          }
        />
      ) : null}
      {open?.dialog === 'revoke' ? <RevokeTokenDialog token={open.token} onClose={close} /> : null}
      {open?.dialog === 'secret' ? (
        <SecretDialog token={open.token} secret={open.secret} onClose={close} />
      ) : null}
    </Stack>
  );
}

const COLUMNS: readonly Column<Token>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name },
  {
    id: 'role',
    title: 'Role',
    cell: ({ role }) => <span title={describeRole(role)}>{role}</span>,
  },
  {
    id: 'status',
    title: 'Status',
    cell: (token) => <Badge tone={TONES[statusOf(token)]}>{statusOf(token)}</Badge>,
  },
  { id: 'created', title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  {
    id: 'expires',
    title: 'Expires',
    cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
  },
  {
    id: 'used',
    title: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
  },
];

interface Rights {
  readonly rotate: boolean;
  readonly revoke: boolean;
}

function actionsOf(rights: Rights, onOpen: (open: Open) => void): Column<Token> {
  return {
    id: 'actions',
    title: 'Actions',
    cell: (token) =>
      statusOf(token) === 'active' ? <TokenActions {...{ token, rights, onOpen }} /> : null,
  };
}

function TokenActions({
  token,
  rights,
  onOpen,
}: {
  readonly token: Token;
  readonly rights: Rights;
  readonly onOpen: (open: Open) => void;
}) {
  return (
    <Row>
      {rights.rotate && token.replaced_by === null ? (
        <Button
          aria-label={`Rotate ${token.name}`}
          onClick={() => onOpen({ dialog: 'rotate', token })}
        >
          Rotate…
        </Button>
      ) : null}
      {rights.revoke ? (
        <Button
          kind="danger"
          aria-label={`Revoke ${token.name}`}
          onClick={() => onOpen({ dialog: 'revoke', token })}
        >
          Revoke…
        </Button>
      ) : null}
    </Row>
  );
}
