import { useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback } from 'react';

import { useSearchState } from '../../app/search.ts';
import { JsonView } from '../../ui/data/json-view.tsx';
import { Loading } from '../../ui/feedback/states.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { WorkflowGraph } from '../../ui/workflow-graph/index.ts';
import styles from './page.module.css';
import type { Workflow } from './read-workflow.ts';

/** The graph, and the definition of the node that is selected. */
export function GraphPane({ workflow }: { readonly workflow: Workflow }) {
  const [search, change] = useSearchState();
  const navigate = useNavigate();
  const { workflow_id: id, ir } = workflow;
  const selected = search['node'] ?? null;
  const select = useCallback((node: string) => change({ node }), [change]);
  const stepInto = useCallback(
    ({ runsWorkflow }: { readonly runsWorkflow: string }) =>
      () =>
        void navigate({ to: '/workflows/$id', params: { id: runsWorkflow } }),
    [navigate],
  );
  const nodes = ir['nodes'];
  const node =
    selected !== null && typeof nodes === 'object' && nodes !== null
      ? (Object.entries(nodes).find(([name]) => name === selected)?.[1] ?? null)
      : null;
  return (
    <div className={styles.graph}>
      <Suspense fallback={<Loading />}>
        <WorkflowGraph
          definition={ir}
          label={`Graph of ${id}`}
          selected={selected}
          onSelect={select}
          stepInto={stepInto}
        />
      </Suspense>
      {node === null || selected === null ? null : (
        <Panel title={`Node ${selected}`}>
          <JsonView value={node} label={`Definition of ${selected}`} />
        </Panel>
      )}
    </div>
  );
}
