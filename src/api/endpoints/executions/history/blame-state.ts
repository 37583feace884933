import { z } from 'zod';

import { blameState as blame } from '../../../../shared/engine/executions/history/blame-state.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { executionParam } from '../../../schemas/params.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { atSequence, FOLD_BOUNDS, orLast } from './state-query.ts';

export const blameState = defineEndpoint({
  name: 'blame-state',
  method: 'GET',
  path: '/executions/:id/state/blame',
  access: 'read',
  summary: 'Tells which event set each key of the state last',
  note: `${FOLD_BOUNDS}The answer names the first 1000 keys of the state.`,
  params: executionParam,
  query: atSequence,
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
          at: timestamp,
        }),
      ),
      truncated: z.boolean().meta({ description: 'The state has more keys.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await blame(engine, caller, {
      executionId: params.id,
      sequence: orLast(query.sequence),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        keys: found.keys.map((one) => ({
          key: one.key,
          sequence: one.sequence,
          kind: one.kind,
          node_id: one.nodeId,
          actor_id: one.actorId,
          at: one.createdAt,
        })),
        truncated: found.truncated,
      },
    };
  },
});
