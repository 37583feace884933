import { Panel, ReactFlow, useReactFlow } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';

import { Button } from '../controls/button.tsx';
import type { ComparedGraph } from './compare-graphs.ts';
import { firstLook } from './first-look.ts';
import { flowElements, type StepInto } from './flow-elements.ts';
import { GraphEdgeLine } from './graph-edge.tsx';
import { GraphNodeCard } from './graph-node.tsx';
import { centreOf, isMoveKey, moveFocus } from './move-focus.ts';
import type { NodeRun } from './node-run.ts';
import type { LaidOut } from './use-layout.ts';
import styles from './workflow-graph.module.css';

const NODE_TYPES = { step: GraphNodeCard };
const EDGE_TYPES = { route: GraphEdgeLine };
const ZOOM = { min: 0.05, max: 2 } as const;
/** From here on only what is on screen is drawn. */
const DRAWN_MAX = 300;
const FIT = { padding: 0.1, maxZoom: 1 } as const;

export function GraphCanvas({
  drawn,
  label,
  nodes,
  selected,
  onSelect,
  stepInto,
}: {
  readonly drawn: LaidOut<ComparedGraph>;
  readonly label: string;
  readonly nodes: ReadonlyMap<string, NodeRun> | undefined;
  readonly selected: string | null;
  readonly onSelect: ((nodeId: string) => void) | undefined;
  readonly stepInto: StepInto | undefined;
}) {
  const { graph, layout } = drawn;
  const flow = useReactFlow();
  const frame = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const start = graph.nodes.find(({ isStart }) => isStart)?.id ?? graph.nodes[0]?.id ?? null;
  // The one node that Tab leads to; it may have been removed meanwhile.
  const tabStop =
    [focused, selected, start].find((id) => id !== null && layout.nodes.has(id)) ?? null;
  const elements = useMemo(
    () => flowElements({ graph, layout, nodes, selected, tabStop, onSelect, stepInto }),
    [graph, layout, nodes, selected, tabStop, onSelect, stepInto],
  );
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const card = frame.current?.querySelector(`[data-node="${CSS.escape(wanted.current)}"]`);
    if (!(card instanceof HTMLElement)) return;
    wanted.current = null;
    card.focus({ preventScroll: true });
  });
  const focus = (id: string) => {
    const centre = centreOf(id, layout);
    if (centre === null) return;
    wanted.current = id;
    setFocused(id);
    if (!isOnScreen(frame.current, id)) {
      void flow.setCenter(centre.x, centre.y, { zoom: flow.getZoom(), duration: moveMs() });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (isMoveKey(key)) {
      const next = tabStop === null ? null : moveFocus(tabStop, key, { graph, layout });
      if (next !== null) focus(next);
    } else if (key === '+' || key === '=') void flow.zoomIn({ duration: moveMs() });
    else if (key === '-') void flow.zoomOut({ duration: moveMs() });
    else if (key === '0') void flow.zoomTo(1, { duration: moveMs() });
    else if (key === 'f') void flow.fitView({ ...FIT, duration: moveMs() });
    else return;
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys pressed on the nodes arrive here
    <div
      ref={frame}
      role="group"
      aria-label={`${label}: ${graph.nodes.length} nodes, ${graph.edges.length} edges`}
      className={styles.canvas}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const id = event.target.dataset['node'];
        if (id !== undefined) setFocused(id);
      }}
    >
      <div className={styles.flow}>
        <ReactFlow
          nodes={elements.nodes}
          edges={elements.edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          minZoom={ZOOM.min}
          maxZoom={ZOOM.max}
          onInit={(instance) => {
            const size = frame.current?.getBoundingClientRect();
            if (size !== undefined) void instance.setViewport(firstLook(layout, start, size));
          }}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          zoomOnScroll={false}
          onlyRenderVisibleElements={graph.nodes.length > DRAWN_MAX}
          proOptions={{ hideAttribution: true }}
        >
          <Panel position="top-right" className={styles.tools ?? ''}>
            <Button
              aria-label="Zoom in"
              title="Zoom in (+)"
              onClick={() => void flow.zoomIn({ duration: moveMs() })}
            >
              +
            </Button>
            <Button
              aria-label="Zoom out"
              title="Zoom out (-)"
              onClick={() => void flow.zoomOut({ duration: moveMs() })}
            >
              −
            </Button>
            <Button
              title="Fit the whole graph (f)"
              onClick={() => void flow.fitView({ ...FIT, duration: moveMs() })}
            >
              Fit
            </Button>
          </Panel>
        </ReactFlow>
      </div>
    </div>
  );
}

function isOnScreen(frame: HTMLElement | null, id: string): boolean {
  const card = frame?.querySelector(`[data-node="${CSS.escape(id)}"]`);
  if (frame === null || !card) return false;
  const [outer, inner] = [frame.getBoundingClientRect(), card.getBoundingClientRect()];
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

const MOVE_MS = 150;

function moveMs(): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : MOVE_MS;
}
