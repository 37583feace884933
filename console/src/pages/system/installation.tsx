import { useQuery } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../api/client.ts';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { formatBytes } from '../../ui/data/format-bytes.ts';
import { Time } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';

const EVERY_MS = 10_000;

type System = ReplyOf<'read-system'>;
type Process = System['processes'][number];

/** The processes that run, and their database. */
export function Installation() {
  const query = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => call('read-system', { signal }),
    refetchInterval: EVERY_MS,
  });
  return (
    <ReadingContent query={query}>{(system) => <SystemPanels system={system} />}</ReadingContent>
  );
}

function SystemPanels({ system }: { readonly system: System }) {
  const { processes, store, shards, version } = system;
  return (
    <>
      <Panel title="Processes">
        {processes.length === 0 ? (
          <EmptyState title="No process has announced itself">
            <p>Start one with the scheduler role: svc serve, or svc-scheduler.</p>
          </EmptyState>
        ) : (
          <>
            {system.active_items_are_exact ? null : (
              <p>
                More items are at work than the service counts: processes hold at least as many as
                shown.
              </p>
            )}
            <DataTable
              label="Processes"
              rows={processes}
              rowKey={({ process_id: id }) => id}
              columns={PROCESS_COLUMNS}
            />
          </>
        )}
      </Panel>
      <Panel title="Database">
        <Facts facts={factsOf(store, { version, shards })} />
        {store.sessions.length === 0 ? null : (
          <DataTable
            label="Sessions that hold locks"
            rows={store.sessions}
            rowKey={({ pid }) => String(pid)}
            columns={SESSION_COLUMNS}
          />
        )}
      </Panel>
    </>
  );
}

function factsOf(store: System['store'], { version, shards }: Pick<System, 'version' | 'shards'>) {
  const pending = store.pending_migrations.length;
  return [
    ['Kind', store.kind === 'postgres' ? 'PostgreSQL' : 'SQLite'],
    ['Version', store.version],
    ['Size', formatBytes(store.bytes)],
    [
      'Migration',
      pending === 0
        ? `${store.migration} of ${store.known_migration}`
        : `${store.migration} of ${store.known_migration}, ${pending} pending`,
    ],
    ['Version of the process that answers', version],
    ...(shards === null ? [] : [['Shards at work', `${shards.held} of ${shards.total}`] as const]),
  ] as const;
}

const PROCESS_COLUMNS: readonly Column<Process>[] = [
  { id: 'id', title: 'Process', cell: ({ process_id: id }) => <code>{id}</code> },
  { id: 'role', title: 'Role', cell: ({ role }) => role },
  { id: 'version', title: 'Version', cell: ({ version }) => version },
  { id: 'host', title: 'Host', cell: ({ host }) => host },
  { id: 'started', title: 'Started', cell: ({ started_at: at }) => <Time at={at} /> },
  { id: 'seen', title: 'Last seen', cell: ({ last_heartbeat: at }) => <Time at={at} /> },
  { id: 'items', title: 'Items', numeric: true, cell: ({ active_items: items }) => items },
];

const SESSION_COLUMNS: readonly Column<System['store']['sessions'][number]>[] = [
  { id: 'pid', title: 'Session', cell: ({ pid }) => pid },
  { id: 'application', title: 'Application', cell: ({ application }) => application },
  { id: 'shards', title: 'Shards', numeric: true, cell: ({ shards }) => shards },
  { id: 'duties', title: 'Duties', numeric: true, cell: ({ duties }) => duties },
];
