import { Link, useParams } from '@tanstack/react-router';

import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { AbsoluteTime } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { executionsOf } from './executions-of.ts';
import { GraphPane } from './graph-pane.tsx';
import styles from './page.module.css';
import { PauseBadge, PauseButton } from './pause-control.tsx';
import { useWorkflow, type Workflow } from './read-workflow.ts';
import { RunningCount } from './running-count.tsx';
import { SchedulesPane } from './schedules-pane.tsx';
import { SchemaPane } from './schema-pane.tsx';
import { StartPane } from './start-pane.tsx';
import { VersionsPane } from './versions-pane.tsx';

const TAB_IDS = ['graph', 'versions', 'start', 'schema', 'schedules'] as const;
type TabId = (typeof TAB_IDS)[number];

const TITLES: Readonly<Record<TabId, string>> = {
  graph: 'Graph',
  versions: 'Versions',
  start: 'Start',
  schema: 'Definition',
  schedules: 'Schedules',
};

/** One workflow: its graph, versions and schema, and the form that starts it. */
export function WorkflowPage() {
  const { id = '' } = useParams({ strict: false });
  const [search] = useSearchState();
  const workflow = useWorkflow(id, search['version'] ?? null);
  return (
    <>
      {workflow.data === undefined ? <PageHeader title={id} /> : null}
      <ReadingContent query={workflow}>{(read) => <Content workflow={read} />}</ReadingContent>
    </>
  );
}

function Content({ workflow }: { readonly workflow: Workflow }) {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const { workflow_id: id, version, pause, ir } = workflow;
  const mayStart = can('POST', '/executions');
  const offered = TAB_IDS.filter((tab) => tab !== 'start' || mayStart);
  const value = offered.find((tab) => tab === search['tab']) ?? 'graph';
  const about = ir['description'];
  return (
    <div className={styles.page}>
      <PageHeader title={id} {...(typeof about === 'string' ? { about } : {})}>
        <PauseBadge pause={pause} />
        {can('POST', '/workflows') ? (
          <Link to="/editor" search={{ workflow: id, version }}>
            Edit
          </Link>
        ) : null}
        <PauseButton workflowId={id} pause={pause} />
      </PageHeader>
      <Facts
        facts={[
          ['Version', `${version}, revision ${workflow.revision}`],
          ['Registered', <AbsoluteTime key="at" at={workflow.created_at} />],
          [
            'Executions',
            <span key="executions" className={styles.links}>
              <Link to="/executions" search={executionsOf({ id })}>
                All
              </Link>
              <Link to="/executions" search={executionsOf({ id, version })}>
                Of version {version}
              </Link>
              <RunningCount id={id} version={version} />
            </span>,
          ],
          ...(pause?.reason ? [['Paused because', pause.reason, 'wide'] as const] : []),
        ]}
      />
      <Tabs
        label={`Parts of ${id}`}
        value={value}
        onChange={(tab) => change({ tab })}
        tabs={offered.map((tab) => ({
          id: tab,
          title: TITLES[tab],
          content: tab === value ? <Pane tab={tab} workflow={workflow} /> : null,
        }))}
      />
    </div>
  );
}

function Pane({ tab, workflow }: { readonly tab: TabId; readonly workflow: Workflow }) {
  const { workflow_id: id, version } = workflow;
  switch (tab) {
    case 'graph':
      return <GraphPane workflow={workflow} />;
    case 'versions':
      return <VersionsPane workflow={workflow} />;
    case 'start':
      return <StartPane key={`${id} ${version}`} workflow={workflow} />;
    case 'schema':
      return <SchemaPane workflow={workflow} />;
    case 'schedules':
      return <SchedulesPane workflowId={id} />;
  }
}
