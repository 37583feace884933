import { z } from 'zod';

import { readState as read } from '../../../../shared/engine/executions/history/read-state.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { anyObject } from '../../../schemas/json-values.ts';
import { executionParam } from '../../../schemas/params.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { executionStatus } from '../execution-shape.ts';
import { FOLD_BOUNDS, momentOf, stateQuery } from './state-query.ts';

export const readState = defineEndpoint({
  name: 'read-state',
  method: 'GET',
  path: '/executions/:id/state',
  access: 'read',
  summary: 'Reads the state of an execution after one of its events',
  note:
    `${FOLD_BOUNDS}Values that the service keeps as artifacts stay references. Members that would make ` +
    'the answer larger than half a megabyte are left out, the largest first, and `omitted` names them.',
  params: executionParam,
  query: stateQuery,
  replies: {
    200: z.object({
      execution_id: executionId,
      sequence: z.int().min(0),
      last_sequence: z.int().min(1),
      status: executionStatus.meta({ description: 'At that time.' }),
      at: timestamp.nullable().meta({ description: 'When that event was recorded.' }),
      state: anyObject,
      omitted: z
        .array(z.object({ key: z.string(), chars: z.int() }))
        .meta({ description: 'Members that are left out: the 100 largest.' }),
      omitted_total: z.int(),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await read(engine, caller, {
      executionId: params.id,
      at: momentOf(query),
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        sequence: found.sequence,
        last_sequence: found.lastSequence,
        status: found.status,
        at: found.at,
        state: found.state,
        omitted: found.omitted.map((one) => ({ ...one })),
        omitted_total: found.omittedTotal,
      },
    };
  },
});
