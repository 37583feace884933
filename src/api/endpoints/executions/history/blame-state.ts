import { z } from 'zod';

import {
  blameState as blame,
  type BlamedKey,
} from '../../../../shared/engine/executions/history/blame-state.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { executionParam } from '../../../schemas/params.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { FOLD_BOUNDS, momentOf, stateQuery } from './state-query.ts';

export const blameState = defineEndpoint({
  name: 'blame-state',
  method: 'GET',
  path: '/executions/:id/state/blame',
  access: 'read',
  summary: 'Tells which event set each key of the state last',
  note: `${FOLD_BOUNDS}The answer names the first 1000 keys of the state.`,
  params: executionParam,
  query: stateQuery,
  replies: {
    200: z.object({
      execution_id: executionId,
      sequence: z.int().min(0),
      keys: z.array(
        z.object({
          key: z.string(),
          sequence: z.int().min(1),
          kind: z.string(),
          node_id: z.string().nullable(),
          actor_id: z.string(),
          worker_id: z.string().nullable().meta({ description: 'The worker, if one set it.' }),
          at: timestamp,
          cause: z
            .object({
              sequence: z.int().min(1),
              kind: z.enum(['ApprovalReceived', 'ExternalEventReceived']),
              actor_id: z.string(),
              user_id: z.string().nullable(),
            })
            .nullable()
            .meta({
              description: 'The decision or the external event that the event follows from.',
            }),
        }),
      ),
      truncated: z.boolean().meta({ description: 'The state has more keys.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await blame(engine, caller, {
      executionId: params.id,
      at: momentOf(query),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        keys: found.keys.map(shapeKey),
        truncated: found.truncated,
      },
    };
  },
});

function shapeKey(one: BlamedKey) {
  const { cause } = one;
  return {
    key: one.key,
    sequence: one.sequence,
    kind: one.kind,
    node_id: one.nodeId,
    actor_id: one.actorId,
    worker_id: one.actorId.startsWith(WORKER) ? one.actorId.slice(WORKER.length) : null,
    at: one.createdAt,
    cause: cause && {
      sequence: cause.sequence,
      kind: cause.kind,
      actor_id: cause.actorId,
      user_id: cause.userId,
    },
  };
}

const WORKER = 'worker:';
