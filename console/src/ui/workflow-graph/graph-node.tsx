import { Handle, Position, type NodeProps } from '@xyflow/react';
import { memo } from 'react';

import { classNames } from '../class-names.ts';
import { StatusBadge } from '../data/badge.tsx';
import { DurationText } from '../data/time.tsx';
import type { StepNode } from './flow-elements.ts';
import styles from './graph-node.module.css';
import type { MapProgress, NodeRun } from './node-run.ts';
import { END_ID } from './read-graph.ts';

export const GraphNodeCard = memo(function GraphNodeCard({ data }: NodeProps<StepNode>) {
  const { node, run, change, stepInto } = data;
  return (
    <>
      <Handle
        type="target"
        position={Position.Top}
        isConnectable={false}
        className={styles.handle ?? ''}
      />
      <button
        type="button"
        // React Flow's own handling of the pointer would swallow the click's focus.
        className={classNames(
          'nopan',
          node.id === END_ID ? styles.end : styles.card,
          change && styles[change],
        )}
        data-node={node.id}
        data-status={run?.status}
        tabIndex={data.isTabStop ? 0 : -1}
        aria-pressed={data.onSelect === undefined ? undefined : data.isSelected}
        title={node.description ?? undefined}
        onClick={() => data.onSelect?.(node.id)}
      >
        <span className="visually-hidden">{data.description}</span>
        <span aria-hidden className={styles.look}>
          {node.id === END_ID ? 'end' : <Look data={data} />}
        </span>
      </button>
      {stepInto === null ? null : (
        <button
          type="button"
          className={classNames('nopan', styles.into)}
          aria-label={`Open what ${node.id} runs`}
          title={`Open what ${node.id} runs`}
          onClick={stepInto}
        >
          ⤵
        </button>
      )}
      <Handle
        type="source"
        position={Position.Bottom}
        isConnectable={false}
        className={styles.handle ?? ''}
      />
    </>
  );
});

function Look({ data }: { readonly data: StepNode['data'] }) {
  const { node, run, change } = data;
  return (
    <>
      <span className={styles.name}>{node.id}</span>
      <span className={styles.row}>
        <span className={styles.kind}>
          {node.isStart ? 'start · ' : ''}
          {node.kind}
        </span>
        {run === undefined ? <ChangeMark change={change} /> : <RunFacts run={run} />}
      </span>
      {run?.progress === undefined ? null : <Progress progress={run.progress} />}
    </>
  );
}

function ChangeMark({ change }: { readonly change: string | undefined }) {
  if (change === undefined || change === 'same') return null;
  return <span className={styles.change}>{change}</span>;
}

function RunFacts({ run }: { readonly run: NodeRun }) {
  const { attempts, startedAt, endedAt } = run;
  return (
    <span className={styles.facts}>
      {attempts > 1 ? <span title={`${attempts} attempts`}>×{attempts}</span> : null}
      {startedAt === null ? null : (
        <span className={styles.time}>
          <DurationText from={startedAt} to={endedAt} />
        </span>
      )}
      <StatusBadge status={SHORT[run.status] ?? run.status} />
    </span>
  );
}

/** Words that a card has room for. */
const SHORT: Readonly<Record<string, string>> = { waiting_for_a_worker: 'queued' };

function Progress({ progress: { done, total, failed } }: { readonly progress: MapProgress }) {
  const part = (count: number) => `${total === 0 ? 0 : (count / total) * 100}%`;
  return (
    <span className={styles.progress}>
      <span className={styles.bar}>
        <span className={styles.done} style={{ inlineSize: part(done) }} />
        <span className={styles.failedPart} style={{ inlineSize: part(failed) }} />
      </span>
      {done}/{total}
    </span>
  );
}
