import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge, StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { EditScheduleDialog } from './edit-schedule-dialog.tsx';
import { describeTiming, useSchedules, type Schedule } from './read-schedules.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { ScheduleDetails } from './schedule-details.tsx';

/** The schedules of the tenant: their next and last fires, and one of them in full. */
export function SchedulesPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const [creates, setCreates] = useState(false);
  const list = useSchedules();
  const mayAct =
    can('PUT', '/schedules/:id') ||
    can('POST', '/schedules/:id/trigger') ||
    can('DELETE', '/schedules/:id');
  const create = can('POST', '/schedules') ? (
    <Button kind="primary" onClick={() => setCreates(true)}>
      Create schedule…
    </Button>
  ) : null;
  return (
    <Stack>
      <PageHeader title="Schedules" about="Workflows that start by the clock.">
        {create}
      </PageHeader>
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no schedule yet">
            <p>A schedule starts a workflow by a cron expression or at an interval.</p>
          </EmptyState>
        }
      >
        <DataTable
          label="Schedules"
          rows={list.rows}
          rowKey={({ schedule_id: id }) => id}
          columns={mayAct ? [...COLUMNS, ACTIONS] : COLUMNS}
        />
      </ListContent>
      <LoadMore list={list} />
      {search.schedule === undefined ? null : (
        <ScheduleDetails name={search.schedule} onClose={() => change({ schedule: undefined })} />
      )}
      {creates ? <EditScheduleDialog schedule={null} onClose={() => setCreates(false)} /> : null}
    </Stack>
  );
}

const COLUMNS: readonly Column<Schedule>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => (
      <Link to="/schedules" search={{ schedule: name }} resetScroll={false}>
        {name}
      </Link>
    ),
  },
  {
    id: 'workflow',
    title: 'Workflow',
    cell: ({ workflow_id: id }) => (
      <Link to="/workflows/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { id: 'when', title: 'When', cell: (schedule) => <code>{describeTiming(schedule)}</code> },
  {
    id: 'next',
    title: 'Next fire',
    cell: ({ paused, next_run_at: next }) =>
      paused ? <StatusBadge status="paused" /> : next === null ? 'none' : <Time at={next} />,
  },
  {
    id: 'last',
    title: 'Last fire',
    cell: ({ last_fire_at: at, last_execution_id: id, last_error: error }) =>
      error !== null ? (
        <span title={error}>
          <Badge tone="bad">could not start</Badge>
        </span>
      ) : at === null || id === null ? (
        'none'
      ) : (
        <Link to="/executions/$id" params={{ id }}>
          <Time at={at} />
        </Link>
      ),
  },
];

const ACTIONS: Column<Schedule> = {
  id: 'actions',
  title: 'Actions',
  cell: (schedule) => <ScheduleActions schedule={schedule} />,
};
