import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call, type ReplyOf } from '../../api/client.ts';
import { listOf } from '../../api/list-of.ts';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { type Column, DataTable } from '../../ui/data/data-table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';

/** The schedules that start the workflow. */
export function SchedulesPane({ workflowId }: { readonly workflowId: string }) {
  const query = useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => call('list-schedules', { signal }),
  });
  const list = listOf(query, ({ schedules }) =>
    schedules.filter(({ workflow_id: id }) => id === workflowId),
  );
  return (
    <ListContent
      list={list}
      empty={
        <EmptyState title="No schedule starts this workflow">
          <Link to="/schedules">Create one</Link>
        </EmptyState>
      }
    >
      <DataTable
        label={`Schedules of ${workflowId}`}
        rows={list.rows}
        rowKey={({ schedule_id: id }) => id}
        columns={COLUMNS}
      />
    </ListContent>
  );
}

const COLUMNS: readonly Column<ReplyOf<'list-schedules'>['schedules'][number]>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => (
      <Link to="/schedules" search={{ schedule: name }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'when',
    title: 'When',
    cell: ({ cron_expression: cron, every, timezone }) => (
      <code>{cron === null ? `every ${every}` : `${cron} (${timezone})`}</code>
    ),
  },
  {
    id: 'version',
    title: 'Version',
    cell: ({ workflow_version: version }) => version ?? 'latest',
  },
  {
    id: 'next',
    title: 'Next',
    cell: ({ paused, next_run_at: next }) =>
      paused ? <StatusBadge status="paused" /> : next === null ? '–' : <Time at={next} />,
  },
];
