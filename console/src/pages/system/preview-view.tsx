import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { tellNumber } from '../../ui/data/tell-number.ts';
import { formatBytes } from '../../ui/data/format-bytes.ts';
import { Time } from '../../ui/data/time.tsx';
import type { Preview } from './policies.ts';

/** The executions that retention would remove, by workflow and end. */
export function PreviewView({ preview }: { readonly preview: Preview }) {
  const { groups, complete } = preview;
  const total = groups.reduce((sum, { executions }) => sum + executions, 0);
  return (
    <>
      <p role="status">
        {complete ? '' : 'At least '}
        {tellNumber(total, 'execution')} would be removed
      </p>
      {groups.length === 0 ? null : (
        <DataTable
          label="Executions that would be removed"
          rows={groups}
          rowKey={({ workflow_id: id, status }) => `${id} ${status}`}
          columns={COLUMNS}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Preview['groups'][number]>[] = [
  { id: 'workflow', title: 'Workflow', cell: ({ workflow_id: id }) => id },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'executions',
    title: 'Executions',
    numeric: true,
    cell: ({ executions }) => executions,
  },
  { id: 'events', title: 'Events', numeric: true, cell: ({ events }) => events },
  {
    id: 'bytes',
    title: 'About',
    numeric: true,
    cell: ({ estimated_bytes: bytes }) => formatBytes(bytes),
  },
  {
    id: 'oldest',
    title: 'Oldest end',
    cell: ({ oldest_end: at }) => <Time at={at} />,
  },
];
