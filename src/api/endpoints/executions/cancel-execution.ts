import { cancelExecution as cancel } from '../../../shared/engine/executions/cancel-execution.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId } from '../../schemas/text.ts';
import { endingShape } from './execution-shape.ts';

export const cancelExecution = defineEndpoint({
  name: 'cancel-execution',
  method: 'POST',
  path: '/executions/:id/cancel',
  access: 'write',
  summary: 'Cancels a running or paused execution',
  note:
    'A cancelled execution gives the same answer; a completed or failed one gives 400. ' +
    'Running work is taken back at once. If undos or finalizers run, the status stays `running` until ' +
    'they end, and `ending` says how the execution ends then: an execution that was failing ends as failed.',
  params: executionParam,
  replies: {
    200: z.object({
      execution_id: executionId,
      status: z.literal('cancelled'),
      ending: endingShape.optional(),
    }),
  },
  errors: [400, 404],
  async handle({ params, caller }, { engine }) {
    const cancelled = await cancel(engine, caller, { executionId: params.id });
    const { executionId: execution_id, ending } = cancelled;
    return {
      status: 200,
      body: {
        execution_id,
        status: 'cancelled',
        ...(ending !== null && { ending: { outcome: ending } }),
      },
    };
  },
});
