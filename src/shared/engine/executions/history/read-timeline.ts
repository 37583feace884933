import type { ExecutionRef, Reader } from '../../caller.ts';
import {
  type NodeRun,
  type NodeRunStatus,
  statusAsOf,
  summariseNodes,
} from '../../../domain/execution/timeline/node-runs.ts';
import type { VisitTrack } from '../../../domain/execution/timeline/visit-track.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import { notFound } from '../../../domain/errors.ts';
import { redactError } from '../redact-view.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { openHistory, type OpenHistory, sequenceWithin } from './open-history.ts';

export interface ReadTimeline extends ExecutionRef {
  /** Null: the last one. */
  readonly sequence: number | null;
  /** Only visits of this node and the items of its maps; null: all visits but items of maps. */
  readonly nodeId: string | null;
  readonly status: NodeRunStatus | null;
  /** Only visits that began after this sequence. */
  readonly after: number;
  readonly limit: number;
}

export interface Timeline {
  readonly executionId: ExecutionId;
  readonly sequence: number;
  readonly lastSequence: number;
  readonly status: ExecutionStatus;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly nodes: readonly NodeRun[];
  readonly nodesTotal: number;
  /** As they were at `sequence`. */
  readonly visits: readonly VisitTrack[];
  /** For the next page; null: there is none. */
  readonly nextAfter: number | null;
}

/** Nodes of a workflow that one answer describes. */
const NODES_MAX = 500;
/** Stretches of a visit; a visit with more of them shows the last ones. */
const STRETCHES_MAX = 50;
const ERROR_CHARS_MAX = 500;

/** Returns the sum of every node, and a page of visits with their stretches. */
export async function readTimeline(
  deps: UseCaseDeps,
  caller: Reader,
  params: ReadTimeline,
): Promise<Timeline> {
  const opened = await openHistory(deps, caller, params);
  const { row, history } = opened;
  const sequence = sequenceWithin(row, params.sequence);
  if (params.nodeId !== null && !opened.plan.nodes.has(params.nodeId)) {
    throw notFound(`node ${params.nodeId} of execution ${row.executionId}`);
  }
  const nodes = [...summariseNodes(history.tracks.values(), sequence).values()];
  const page: VisitTrack[] = [];
  let nextAfter: number | null = null;
  for (const track of history.tracks.values()) {
    if (!isAsked(track, params, sequence)) continue;
    if (page.length === params.limit) {
      nextAfter = page.at(-1)?.scheduledSequence ?? null;
      break;
    }
    page.push(asOf(track, sequence));
  }
  const show = <One extends { readonly nodeId: string; readonly error: string | null }>(one: One) =>
    showError(deps, opened, one);
  return {
    executionId: row.executionId,
    sequence,
    lastSequence: row.lastSequence,
    status: row.status,
    startedAt: row.createdAt,
    endedAt: row.completedAt,
    nodes: nodes.slice(0, NODES_MAX).map(show),
    nodesTotal: nodes.length,
    visits: page.map((track) => ({
      ...track,
      end: track.end && show({ ...track.end, nodeId: track.nodeId }),
    })),
    nextAfter,
  };
}

function isAsked(track: VisitTrack, asked: ReadTimeline, sequence: number): boolean {
  const { scheduledSequence, nodeId, item } = track;
  if (scheduledSequence > sequence || scheduledSequence <= asked.after) return false;
  const isOfNode =
    asked.nodeId === null
      ? item === null
      : nodeId === asked.nodeId || item?.nodeId === asked.nodeId;
  if (!isOfNode) return false;
  return asked.status === null || statusAsOf(track, sequence) === asked.status;
}

function asOf(track: VisitTrack, sequence: number): VisitTrack {
  return {
    ...track,
    stretches: track.stretches
      .filter((stretch) => stretch.sequence <= sequence)
      .slice(-STRETCHES_MAX),
    end: track.end !== null && track.end.sequence <= sequence ? track.end : null,
  };
}

function showError<One extends { readonly nodeId: string; readonly error: string | null }>(
  { pseudonym }: UseCaseDeps,
  { plan }: OpenHistory,
  one: One,
): One {
  if (one.error === null) return one;
  const shown = redactError(one.error, { plan, nodeId: one.nodeId, pseudonym });
  return { ...one, error: shown.slice(0, ERROR_CHARS_MAX) };
}
