import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { useSearchState } from '../../app/search.ts';
import { SelectField } from '../../ui/controls/field.tsx';
import { type Column, DataTable } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ListContent, ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Loading } from '../../ui/feedback/states.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { TextDiff } from '../../ui/text-editor/index.ts';
import { canonical } from '../../ui/workflow-graph/compare-graphs.ts';
import { WorkflowGraph } from '../../ui/workflow-graph/index.ts';
import { readWorkflows, type WorkflowVersion } from '../workflows/read-workflows.ts';
import { executionsOf } from './executions-of.ts';
import styles from './page.module.css';
import { RunningCount } from './running-count.tsx';
import { useWorkflow, type Workflow } from './read-workflow.ts';

/** All versions, the latest first, and the difference of the shown one from another. */
export function VersionsPane({ workflow }: { readonly workflow: Workflow }) {
  const [search, change] = useSearchState();
  const { workflow_id: id, version } = workflow;
  const list = useByCursor({
    key: ['workflows', id],
    read: (cursor, signal) => readWorkflows(id, cursor, signal),
  });
  const compared = search['compare'] ?? '';
  const others = list.rows.filter((row) => row.version !== version);
  return (
    <ListContent list={list} empty={null}>
      <div className={styles.compared}>
        <DataTable
          label={`Versions of ${id}`}
          rows={list.rows}
          rowKey={(row) => row.version}
          columns={columnsOf(workflow)}
        />
        <LoadMore list={list} />
        <Panel title="Compare">
          {others.length === 0 ? (
            <p>A second version can be compared with this one.</p>
          ) : (
            <SelectField
              label={`Compare version ${version} with`}
              value={compared}
              onChange={(event) => change({ compare: event.target.value })}
              options={[
                { value: '', label: 'nothing' },
                ...others.map((row) => ({ value: row.version, label: `version ${row.version}` })),
              ]}
            />
          )}
          {compared === '' ? null : <Comparison workflow={workflow} earlier={compared} />}
        </Panel>
      </div>
    </ListContent>
  );
}

function Comparison({
  workflow,
  earlier,
}: {
  readonly workflow: Workflow;
  readonly earlier: string;
}) {
  const { workflow_id: id, version, ir } = workflow;
  const other = useWorkflow(id, earlier);
  return (
    <ReadingContent query={other}>
      {({ ir: before }) => (
        <div className={styles.compared}>
          <Suspense fallback={<Loading />}>
            <div className={styles.comparedGraph}>
              <WorkflowGraph
                definition={ir}
                diff={before}
                label={`Changes from version ${earlier} to ${version}`}
              />
            </div>
          </Suspense>
          <Suspense fallback={<Loading />}>
            <TextDiff
              label={`Text from version ${earlier} to ${version}`}
              before={canonical(before, 2)}
              after={canonical(ir, 2)}
            />
          </Suspense>
        </div>
      )}
    </ReadingContent>
  );
}

function columnsOf({ workflow_id: id, version }: Workflow): readonly Column<WorkflowVersion>[] {
  return [
    {
      id: 'version',
      title: 'Version',
      cell: (row) => (
        <Link
          to="/workflows/$id"
          params={{ id }}
          search={{ tab: 'versions', version: row.version }}
          aria-current={row.version === version ? 'true' : undefined}
        >
          {row.version}
        </Link>
      ),
    },
    { id: 'revision', title: 'Revision', numeric: true, cell: (row) => row.revision },
    { id: 'at', title: 'Registered', cell: (row) => <Time at={row.created_at} /> },
    {
      id: 'running',
      title: 'Running',
      cell: (row) => <RunningCount id={id} version={row.version} />,
    },
    {
      id: 'executions',
      title: 'Executions',
      cell: (row) => (
        <Link to="/executions" search={executionsOf({ id, version: row.version })}>
          Executions of {row.version}
        </Link>
      ),
    },
  ];
}
