import { Link } from '@tanstack/react-router';

import { Badge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { DurationText } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './page.module.css';
import { useQueues, type Queue } from './read-workers.ts';

/** What waits and what is out, by queue and tool, and who serves it. */
export function QueuesPanel() {
  const queues = useQueues();
  return (
    <Panel title="Queues">
      <ReadingContent query={queues}>
        {(answer) => <Content queues={answer.queues} isExact={answer.is_exact} />}
      </ReadingContent>
    </Panel>
  );
}

function Content({
  queues,
  isExact,
}: {
  readonly queues: readonly Queue[];
  readonly isExact: boolean;
}) {
  if (queues.length === 0) {
    return (
      <p className={styles.about}>
        No item waits, none is leased, and none failed in the last hour. A node whose tool runs on a
        worker puts its items here.
      </p>
    );
  }
  return (
    <>
      <Unserved queues={queues} />
      <DataTable label="Queues by tool" columns={COLUMNS} rows={queues} rowKey={keyOf} />
      {isExact ? null : (
        <p className={styles.about}>The queues hold more items than were counted.</p>
      )}
    </>
  );
}

/** Items that wait for nobody are the first thing to know. */
function Unserved({ queues }: { readonly queues: readonly Queue[] }) {
  const tools = queues.filter(isUnserved).map(({ tool }) => tool);
  if (tools.length === 0) return null;
  return (
    <p className={styles.warning}>
      No worker claims {[...new Set(tools)].join(', ')}: start one that serves{' '}
      {tools.length === 1 ? 'this tool' : 'these tools'}.
    </p>
  );
}

const COLUMNS: readonly Column<Queue>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <code>{tool}</code> },
  {
    id: 'queue',
    title: 'Queue',
    cell: ({ queue, queue_type: type }) => (queue === null ? type : `${type} ${queue}`),
  },
  { id: 'waiting', title: 'Waiting', numeric: true, cell: ({ waiting }) => waiting },
  {
    id: 'oldest',
    title: 'Oldest',
    numeric: true,
    cell: ({ oldest_at: at }) => (at === null ? '–' : <DurationText from={at} to={null} />),
  },
  { id: 'leased', title: 'Leased', numeric: true, cell: ({ leased }) => leased },
  {
    id: 'failed',
    title: 'Dead letters, last hour',
    numeric: true,
    cell: ({ failed_last_hour: failed, tool }) =>
      failed === 0 ? (
        0
      ) : (
        <Link to="/failures" search={{ tool }} aria-label={`${failed} failures of ${tool}`}>
          {failed}
        </Link>
      ),
  },
  {
    id: 'workers',
    title: 'Workers',
    cell: (queue) =>
      queue.served_by.length === 0 ? (
        <Badge tone={isUnserved(queue) ? 'bad' : 'idle'}>nobody</Badge>
      ) : (
        queue.served_by.join(', ')
      ),
  },
];

function isUnserved({ waiting, served_by: workers }: Queue): boolean {
  return waiting > 0 && workers.length === 0;
}

function keyOf({ queue_type: type, queue, tool }: Queue): string {
  return JSON.stringify([type, queue, tool]);
}
