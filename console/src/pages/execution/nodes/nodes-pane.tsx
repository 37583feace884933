import { useNavigate } from '@tanstack/react-router';
import { Suspense, useMemo } from 'react';

import type { ReplyOf } from '../../../api/client.ts';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { Loading } from '../../../ui/feedback/states.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Row } from '../../../ui/layout/stack.tsx';
import { type NodeRun, WorkflowGraph } from '../../../ui/workflow-graph/index.ts';
import { ForkButton } from '../fork/fork-button.tsx';
import type { WorkPlaces } from '../live/work-places.ts';
import type { Selection } from '../selection.ts';
import { useReading } from '../use-reading.ts';
import { Journal } from './journal.tsx';
import { MapItems } from './map-items.tsx';
import { NodeList, type NodeSum } from './node-list.tsx';
import { nameActivity } from './name-activity.ts';
import styles from './nodes-pane.module.css';

const NO_NODES: readonly NodeSum[] = [];

/** The nodes as of the chosen event: as a graph and as a list, with the chosen one's own parts. */
export function NodesPane({
  id,
  seen,
  workflow,
  selection,
  places,
}: {
  readonly id: string;
  readonly seen: number;
  readonly workflow: { readonly id: string; readonly version: string };
  readonly selection: Selection;
  /** Null: not known. */
  readonly places: WorkPlaces | null;
}) {
  const at = Math.min(selection.at ?? seen, seen);
  const query = useReading('read-timeline', {
    key: ['nodes'],
    params: { path: { id }, query: { sequence: at, limit: 1 } },
  });
  // Where work is now says nothing about an earlier point.
  const placesThen = at === seen ? places : null;
  const nodes = useMemo(
    () => query.data?.nodes.map((node) => nameStatus(node, placesThen)) ?? NO_NODES,
    [query.data, placesThen],
  );
  const chosen = nodes.find(({ node_id: node }) => node === selection.node);
  const select = (node: NodeSum) =>
    selection.select({
      node: node.node_id,
      ...(selection.at === null ? {} : { at: node.last_sequence }),
    });
  return (
    <Panel title="Nodes" actions={<span>after event {at}</span>}>
      <Graph nodes={nodes} workflow={workflow} selection={selection} />
      <ReadingContent query={query}>
        {() => <NodeList nodes={nodes} selected={selection.node} onSelect={select} />}
      </ReadingContent>
      {chosen !== undefined && at === seen ? <NodeActions id={id} node={chosen} /> : null}
      {chosen !== undefined && chosen.progress !== null ? (
        <MapItems
          key={chosen.node_id}
          id={id}
          node={chosen}
          at={at}
          selection={selection}
          places={placesThen}
        />
      ) : null}
      {chosen?.kind === 'function' ? (
        <Journal
          key={chosen.node_id}
          id={id}
          nodeId={chosen.node_id}
          at={at}
          selection={selection}
        />
      ) : null}
    </Panel>
  );
}

/** What can be done at the last visit of the chosen node. */
function NodeActions({ id, node }: { readonly id: string; readonly node: NodeSum }) {
  const from = { node: node.node_id };
  return (
    <Row>
      <ForkButton id={id} from={from} label={`Fork from ${node.node_id}`} />
      {node.progress !== null && node.progress.failed > 0 ? (
        <ForkButton id={id} from={{ ...from, items: 'failed' }} label="Rerun the failed items" />
      ) : null}
    </Row>
  );
}

function Graph({
  nodes,
  workflow,
  selection,
}: {
  readonly nodes: readonly NodeSum[];
  readonly workflow: { readonly id: string; readonly version: string };
  readonly selection: Selection;
}) {
  const navigate = useNavigate();
  const { data } = useReading('read-workflow', {
    key: [],
    params: { path: { id: workflow.id }, query: { version: workflow.version } },
    isFinal: true,
  });
  const runs = useMemo(
    () => new Map(nodes.map((node) => [node.node_id, toNodeRun(node)])),
    [nodes],
  );
  const childOf = useMemo(
    () => new Map(nodes.map((node) => [node.node_id, node.child_execution_id])),
    [nodes],
  );
  // Retention or an import may leave an execution without its workflow: the list shows the nodes.
  if (data === undefined) return null;
  return (
    <div className={styles.graph}>
      <Suspense fallback={<Loading label="Opening the graph…" />}>
        <WorkflowGraph
          definition={data.ir}
          label={`Graph of ${workflow.id}`}
          nodes={runs}
          selected={selection.node}
          onSelect={(node) => selection.select({ node })}
          stepInto={({ id }) => {
            const child = childOf.get(id) ?? null;
            if (child === null) return null;
            return () => void navigate({ to: '/executions/$id', params: { id: child } });
          }}
        />
      </Suspense>
    </div>
  );
}

function nameStatus(
  node: ReplyOf<'read-timeline'>['nodes'][number],
  places: WorkPlaces | null,
): NodeSum {
  const { status, node_id: id } = node;
  if (status !== 'working') return { ...node, status };
  return { ...node, status: nameActivity(places?.ofNode(id) ?? null) };
}

function toNodeRun(node: NodeSum): NodeRun {
  return {
    status: node.status,
    attempts: node.attempts,
    startedAt: node.started_at,
    endedAt: node.ended_at,
    from: node.from,
    ...(node.progress === null ? {} : { progress: node.progress }),
  };
}
