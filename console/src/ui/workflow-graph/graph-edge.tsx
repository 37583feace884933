import { EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';

import { classNames } from '../class-names.ts';
import { drawPath } from './draw-path.ts';
import type { RouteData, RouteEdge } from './flow-elements.ts';
import styles from './graph-edge.module.css';
import type { Point } from './lay-out.ts';

/** An edge along the route that the layout found, with the arrow at its end. */
export const GraphEdgeLine = memo(function GraphEdgeLine({ data }: EdgeProps<RouteEdge>) {
  if (data === undefined) return null;
  const { edge, placed, label, state, change } = data;
  const look = classNames(styles[state], styles[edge.kind], change && styles[change]);
  return (
    <>
      <path className={classNames(styles.line, look)} d={drawPath(placed.points)} />
      <path className={classNames(styles.arrow, look)} d={drawArrow(placed.points)} />
      {label === null || placed.label === null ? null : (
        <EdgeLabelRenderer>
          <div
            className={classNames(styles.label, styles[`${state}Label`])}
            style={{
              transform: `translate(-50%, -50%) translate(${placed.label.x}px, ${placed.label.y}px)`,
            }}
            title={explain(data)}
          >
            {label}
            {data.decidedBy === null || edge.condition === null || state === 'open' ? null : (
              <span className={styles.decided}>{data.decidedBy}</span>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** The whole condition, and the value that decided. */
function explain({ edge, state, label, decidedBy }: RouteData): string {
  const condition = edge.condition ?? label ?? '';
  if (state === 'open') return condition;
  const outcome = state === 'taken' ? 'Taken' : 'Not taken';
  return `${condition}\n${outcome}${decidedBy === null ? '' : `: ${decidedBy}`}`;
}

const ARROW = { length: 8, half: 4 } as const;

/** Routes are orthogonal, so the arrow points along one axis. */
function drawArrow(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return '';
  const [dx, dy] = [Math.sign(tip.x - before.x), Math.sign(tip.y - before.y)];
  const back = { x: tip.x - dx * ARROW.length, y: tip.y - dy * ARROW.length };
  const side = { x: dy * ARROW.half, y: dx * ARROW.half };
  return `M ${tip.x} ${tip.y} L ${back.x + side.x} ${back.y + side.y} L ${back.x - side.x} ${back.y - side.y} Z`;
}
