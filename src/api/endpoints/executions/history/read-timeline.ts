import { z } from 'zod';

import type { NodeRun } from '../../../../shared/domain/execution/timeline/node-runs.ts';
import type { VisitTrack } from '../../../../shared/domain/execution/timeline/visit-track.ts';
import { readTimeline as read } from '../../../../shared/engine/executions/history/read-timeline.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { executionParam } from '../../../schemas/params.ts';
import { optionalQuery, queryInteger } from '../../../schemas/query.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { executionStatus } from '../execution-shape.ts';

const LAST = Number.MAX_SAFE_INTEGER;
const LIMIT_MAX = 500;

const runStatus = z.enum([
  'queued',
  'working',
  'waiting',
  'retrying',
  'completed',
  'failed',
  'cancelled',
]);

const nodeShape = z.object({
  node_id: z.string(),
  kind: z.string(),
  status: runStatus.meta({
    description:
      'The status of its last visit. A node that runs the items of a map has that of the item that is furthest from done.',
  }),
  visits: z.int(),
  attempts: z.int().meta({ description: 'Attempts of the last visit, from 1.' }),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  first_sequence: z.int(),
  last_sequence: z.int(),
  error: z.string().nullable(),
  child_execution_id: executionId.nullable(),
  from: z.array(z.string()).meta({ description: 'Nodes whose completion led here.' }),
  progress: z
    .object({ done: z.int(), total: z.int(), failed: z.int() })
    .nullable()
    .meta({ description: 'Items of a map.' }),
});

const visitShape = z.object({
  node_id: z.string(),
  visit: z.int(),
  kind: z.string(),
  scheduled_sequence: z.int(),
  item: z
    .object({ node_id: z.string(), visit: z.int(), index: z.int() })
    .nullable()
    .meta({ description: 'The item of the map whose visit this is.' }),
  item_count: z.int().nullable(),
  stretches: z
    .array(
      z.object({
        activity: z.enum(['queued', 'working', 'waiting', 'retrying']),
        sequence: z.int(),
        at: timestamp,
        attempt: z.int(),
        child_execution_id: executionId.nullable(),
      }),
    )
    .meta({ description: 'The last 50, in order; each ends where the next one begins.' }),
  end: z
    .object({
      outcome: z.enum(['completed', 'failed', 'cancelled']),
      sequence: z.int(),
      at: timestamp,
      error: z.string().nullable(),
    })
    .nullable(),
});

export const readTimeline = defineEndpoint({
  name: 'read-timeline',
  method: 'GET',
  path: '/executions/:id/timeline',
  access: 'read',
  summary: 'Reads what each node of an execution did, and when',
  note:
    'Without `node` the visits are all but the items of maps. `queued` is the time before a worker ' +
    'began, where the worker says how long its call took. The answer is 413 for an execution of more ' +
    'than 100 000 events. The first reading of a history folds it, and the process keeps it for the next.',
  params: executionParam,
  query: z.object({
    sequence: queryInteger({
      min: 0,
      fallback: LAST,
      description: 'As of this event. Default: the last.',
    }).meta({ default: undefined }),
    node: optionalQuery(
      z.string().meta({ description: 'Only visits of this node, and the items of its maps.' }),
    ),
    status: optionalQuery(runStatus),
    after: queryInteger({
      min: 0,
      fallback: 0,
      description: 'Only visits that began after this event; `next_after` of the page before.',
    }),
    limit: queryInteger({ min: 1, fallback: 200, clampTo: LIMIT_MAX }),
  }),
  replies: {
    200: z.object({
      execution_id: executionId,
      sequence: z.int().min(0),
      last_sequence: z.int().min(1),
      status: executionStatus,
      started_at: timestamp,
      ended_at: timestamp.nullable(),
      nodes: z.array(nodeShape).meta({ description: 'Nodes that have begun: the first 500.' }),
      nodes_total: z.int(),
      visits: z.array(visitShape),
      next_after: z.int().nullable().meta({ description: 'Null on the last page.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await read(engine, caller, {
      executionId: params.id,
      sequence: query.sequence === LAST ? null : query.sequence,
      nodeId: query.node,
      status: query.status,
      after: query.after,
      limit: query.limit,
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        last_sequence: found.lastSequence,
        status: found.status,
        started_at: found.startedAt,
        ended_at: found.endedAt,
        nodes: found.nodes.map(shapeNode),
        nodes_total: found.nodesTotal,
        visits: found.visits.map(shapeVisit),
        next_after: found.nextAfter,
      },
    };
  },
});

function shapeNode(run: NodeRun): z.input<typeof nodeShape> {
  return {
    node_id: run.nodeId,
    kind: run.nodeKind,
    status: run.status,
    visits: run.visits,
    attempts: run.attempts,
    started_at: toText(run.startedAt),
    ended_at: run.endedAt === null ? null : toText(run.endedAt),
    first_sequence: run.firstSequence,
    last_sequence: run.lastSequence,
    error: run.error,
    child_execution_id: run.childId,
    from: [...run.from],
    progress: run.progress && { ...run.progress },
  };
}

function shapeVisit(track: VisitTrack): z.input<typeof visitShape> {
  const { end } = track;
  return {
    node_id: track.nodeId,
    visit: track.visit,
    kind: track.nodeKind,
    scheduled_sequence: track.scheduledSequence,
    item: track.item && {
      node_id: track.item.nodeId,
      visit: track.item.visit,
      index: track.item.index,
    },
    item_count: track.itemCount,
    stretches: track.stretches.map(({ activity, sequence, at, attempt, childId }) => ({
      activity,
      sequence,
      at: toText(at),
      attempt,
      child_execution_id: childId,
    })),
    end: end && {
      outcome: end.outcome,
      sequence: end.sequence,
      at: toText(end.at),
      error: end.error,
    },
  };
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
