import { Link } from '@tanstack/react-router';

import type { ReplyOf } from '../../api/client.ts';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { type Column, DataTable } from '../../ui/data/data-table.tsx';
import { DurationText, Time } from '../../ui/data/time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

type Execution = ReplyOf<'list-executions'>['executions'][number];

export function LatestExecutions({ executions }: { readonly executions: readonly Execution[] }) {
  if (executions.length === 0) return null;
  return (
    <Panel title="Latest executions" actions={<Link to="/executions">All executions</Link>}>
      <DataTable
        label="Latest executions"
        rows={executions}
        rowKey={({ execution_id: id }) => id}
        columns={COLUMNS}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Execution>[] = [
  { id: 'status', title: 'Status', cell: (row) => <StatusBadge status={row.status} /> },
  {
    id: 'execution',
    title: 'Execution',
    cell: (row) => (
      <Link to="/executions/$id" params={{ id: row.execution_id }}>
        {row.workflow_id} <code>…{row.execution_id.slice(-8)}</code>
      </Link>
    ),
  },
  { id: 'started', title: 'Started', cell: (row) => <Time at={row.created_at} /> },
  {
    id: 'duration',
    title: 'Duration',
    cell: (row) => <DurationText from={row.created_at} to={row.completed_at} />,
  },
];
