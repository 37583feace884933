import { useSearchState } from '../../app/search.ts';
import { ToggleChip } from '../../ui/controls/chip.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { DurationText, Time } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './page.module.css';
import { useWorkers, type Worker } from './read-workers.ts';

/** Workers and the service's own processes, as far as they were seen in the last minute. */
export function WorkersPanel() {
  const query = useWorkers();
  return (
    <Panel title="Workers">
      <ReadingContent query={query}>
        {(answer) => (
          <Workers rows={answer.workers} areItemsExact={answer.active_items_are_exact} />
        )}
      </ReadingContent>
    </Panel>
  );
}

function Workers({
  rows,
  areItemsExact,
}: {
  readonly rows: readonly Worker[];
  readonly areItemsExact: boolean;
}) {
  const [search, change] = useSearchState();
  const columns = [holderColumn(search['worker'], (worker) => change({ worker })), ...COLUMNS];
  return (
    <>
      {rows.some(({ kind }) => kind === 'tool') ? null : (
        <p className={styles.about}>
          No worker has claimed anything in the last minute. The guide “Workers” shows how to write
          and start one.
        </p>
      )}
      {areItemsExact ? null : (
        <p className={styles.about}>
          More items are at work than the service counts: workers hold at least as many as shown.
        </p>
      )}
      <DataTable
        label="Workers and processes"
        columns={columns}
        rows={rows}
        rowKey={({ worker_id: id }) => id}
      />
    </>
  );
}

/** The name of a worker is also the filter of the leases below. */
function holderColumn(
  chosen: string | undefined,
  choose: (worker: string | undefined) => void,
): Column<Worker> {
  return {
    id: 'worker',
    title: 'Worker',
    cell: ({ worker_id: id }) => (
      <ToggleChip pressed={id === chosen} onToggle={() => choose(id === chosen ? undefined : id)}>
        {id}
      </ToggleChip>
    ),
  };
}

const COLUMNS: readonly Column<Worker>[] = [
  {
    id: 'kind',
    title: 'Kind',
    cell: ({ kind, role }) => (
      <Badge tone={kind === 'tool' ? 'run' : 'idle'}>{kind === 'tool' ? 'tools' : role}</Badge>
    ),
  },
  {
    id: 'held',
    title: 'Holds',
    numeric: true,
    cell: ({ active_items: items }) => items,
  },
  {
    id: 'serves',
    title: 'Serves',
    cell: (worker) => describeServing(worker),
  },
  {
    id: 'builds',
    title: 'Builds',
    cell: ({ build_ids: builds = [] }) => (builds.length === 0 ? '–' : builds.join(', ')),
  },
  { id: 'version', title: 'Version', cell: ({ version }) => version },
  { id: 'host', title: 'Host', cell: ({ host }) => host },
  {
    id: 'since',
    title: 'Since',
    cell: ({ started_at: at }) => <DurationText from={at} to={null} />,
  },
  { id: 'seen', title: 'Seen', cell: ({ last_heartbeat: at }) => <Time at={at} /> },
];

function describeServing({ kind, tools, queues = [], queue_types: types }: Worker): string {
  if (kind === 'runtime') return types.length === 0 ? '–' : types.join(', ');
  const what = tools ? tools.join(', ') : 'every tool';
  const where = queues.length === 0 ? types : queues;
  return `${what} of ${where.join(', ')}`;
}
