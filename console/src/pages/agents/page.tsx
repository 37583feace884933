import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import { AgentActions } from './agent-actions.tsx';
import { AgentDetails } from './agent-details.tsx';
import { DiscoverDialog } from './discover-dialog.tsx';
import { readStatus, STATUSES, type Agent } from './read-agents.ts';

const PAGE = 100;
const READ_AGAIN_MS = 15_000;

/** The agents that workflows can call, and one of them with its card. */
export function AgentsPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const [discovers, setDiscovers] = useState(false);
  const status = readStatus(search.status);
  const list = useByCursor({
    key: ['agents', 'list', status ?? null],
    everyMs: READ_AGAIN_MS,
    read: async (cursor, signal) => {
      const query = { status, limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-agents', { query, signal });
      return { rows: page.agents, nextCursor: page.next_cursor };
    },
  });
  const mayAct = can('POST', '/agents/:id/activate') || can('POST', '/agents/:id/deactivate');
  return (
    <Stack>
      <PageHeader title="Agents" about="Agents that workflows can call, by their cards.">
        {can('POST', '/agents/preview') && can('POST', '/agents/discover') ? (
          <Button kind="primary" onClick={() => setDiscovers(true)}>
            Discover agent…
          </Button>
        ) : null}
      </PageHeader>
      <Row>
        <SelectField
          label="Status"
          value={status ?? ''}
          options={[
            { value: '', label: 'Any status' },
            ...STATUSES.map((value) => ({ value, label: value })),
          ]}
          onChange={(event) => change({ status: event.target.value })}
        />
      </Row>
      <ListContent
        list={list}
        empty={
          <EmptyState title={status === undefined ? 'There is no agent yet' : 'No agent matches'}>
            <p>Discover one by the address of its card, or register a card with POST /agents.</p>
          </EmptyState>
        }
      >
        <DataTable
          label="Agents"
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={mayAct ? [...COLUMNS, ACTIONS] : COLUMNS}
        />
      </ListContent>
      <LoadMore list={list} />
      {search.agent === undefined ? null : (
        <AgentDetails id={search.agent} onClose={() => change({ agent: undefined })} />
      )}
      {discovers ? (
        <DiscoverDialog
          onClose={() => setDiscovers(false)}
          onDiscovered={(agent) => {
            setDiscovers(false);
            change({ agent, status: undefined });
          }}
        />
      ) : null}
    </Stack>
  );
}

const COLUMNS: readonly Column<Agent>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/agents" search={{ agent: id }} resetScroll={false}>
        {name}
      </Link>
    ),
  },
  { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'address', title: 'Address', cell: ({ uri }) => uri ?? 'none' },
  {
    id: 'skills',
    title: 'Skills',
    numeric: true,
    cell: ({ capabilities }) => capabilities.skills.length,
  },
  { id: 'version', title: 'Version', cell: ({ version }) => version },
  {
    id: 'heartbeat',
    title: 'Last heartbeat',
    cell: ({ last_heartbeat: at }) => (at === null ? 'none' : <Time at={at} />),
  },
];

const ACTIONS: Column<Agent> = {
  id: 'actions',
  title: 'Actions',
  cell: (agent) => <AgentActions agent={agent} />,
};
