import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call, type ReplyOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { describeTiming } from './read-schedules.ts';
import { OVERLAPS } from './schedule-form.ts';
import { FireList } from './timing-fields.tsx';

const READ_AGAIN_MS = 15_000;

/** One schedule by its id or name: its settings, its fires and what became of the last one. */
export function ScheduleDetails({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['schedules', 'one', name],
    queryFn: ({ signal }) => call('read-schedule', { path: { id: name }, signal }),
    refetchInterval: READ_AGAIN_MS,
  });
  return (
    <ReadingContent query={query}>
      {(schedule) => <Details schedule={schedule} onClose={onClose} />}
    </ReadingContent>
  );
}

function Details({
  schedule,
  onClose,
}: {
  readonly schedule: ReplyOf<'read-schedule'>;
  readonly onClose: () => void;
}) {
  const { fires, last_execution_id: lastId, last_fire_at: lastAt } = schedule;
  const overlap = OVERLAPS.find(({ value }) => value === schedule.overlap_policy);
  return (
    <Panel title={`Schedule ${schedule.name}`} actions={<Button onClick={onClose}>Close</Button>}>
      <Facts
        facts={[
          ['When', describeTiming(schedule)],
          ['Workflow', `${schedule.workflow_id} (${schedule.workflow_version ?? 'latest'})`],
          ['While the last execution is live', overlap?.label ?? schedule.overlap_policy],
          ['Catch-up window', `${schedule.catchup_window_secs} s`],
          ['Last fire', lastAt === null ? 'none' : <Time key="last" at={lastAt} />],
          [
            'Last execution',
            lastId === null ? (
              'none'
            ) : (
              <Link key="execution" to="/executions/$id" params={{ id: lastId }}>
                {lastId}
              </Link>
            ),
          ],
          ['Last error', schedule.last_error ?? 'none'],
          [
            'Fires',
            `${fires.started} started, ${fires.skipped} skipped, ${fires.missed} missed, ${fires.failed} failed`,
          ],
        ]}
      />
      <h3>Next fires</h3>
      {schedule.next_fires.length === 0 ? (
        <p>It is paused and does not fire.</p>
      ) : (
        <FireList fires={schedule.next_fires} label={`Next fires of ${schedule.name}`} />
      )}
      <h3>Input</h3>
      <JsonView value={schedule.input} label={`Input of ${schedule.name}`} />
    </Panel>
  );
}
